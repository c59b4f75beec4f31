// vitest: the fixture `holdover`. Under `holdover test -- vitest run` the server is there; elsewhere
// `globalSetup: ["holdover/server"]` starts one for all workers.

import { test as base } from "vitest";
import session from "./session.cjs";

const { Findings, Session, lineOf, shown } = session;

/** The session of a task; its place is the test's file and line. */
export async function open(task, settings) {
  const file = task.file.filepath;
  const names = [task.name];
  for (let suite = task.suite; suite?.name; suite = suite.suite) names.unshift(suite.name);
  const line = task.location?.line ?? lineOf(file, task.name);
  return Session.open(`${shown(file)} > ${names.join(" > ")}`, { file: shown(file), line, ...settings });
}

/** vitest's `test` with a session for each test that asks for `holdover`. */
export const test = base.extend({
  // Settings of the session: `test.scoped({ holdoverSettings: { replies: […] } })`.
  holdoverSettings: {},
  holdover: async ({ task, holdoverSettings }, use) => {
    const session = await open(task, holdoverSettings);
    const leave = session.enter();
    try {
      await use(session);
    } finally {
      leave();
    }
    await session.check();
  },
});

export const it = test;
export { Findings, Session };
