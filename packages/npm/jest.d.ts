import type { Session, Settings } from "holdover";

type Body = (holdover: Session) => Promise<void> | void;

/** A test with a session of its own: `test("name", withHoldover(async (holdover) => { … }))`. */
export function withHoldover(body: Body): () => Promise<void>;
export function withHoldover(settings: Settings, body: Body): () => Promise<void>;
export { Findings, Session } from "holdover";
