// `setupFiles: ["holdover/vitest/setup"]`: a session for every test, without asking. For tests that run one after the
// other in a file; `test.concurrent` needs the fixture of `holdover/vitest`.

import { afterEach, beforeEach } from "vitest";
import { open } from "./vitest.mjs";

let current;

beforeEach(async ({ task }) => {
  const session = await open(task, {});
  current = { session, leave: session.enter() };
});

afterEach(async () => {
  current.leave();
  await current.session.check();
});
