import type { TestAPI } from "vitest";
import type { Session, Settings } from "holdover";

/** vitest's `test` with a session for each test that asks for `holdover`. */
export const test: TestAPI<{ holdover: Session; holdoverSettings: Settings }>;
export const it: typeof test;
export { Findings, Session } from "holdover";
