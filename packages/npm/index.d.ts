/** A part of a reply: what the model says. */
export type ReplyPart =
  | "reasoning"
  | "message"
  | { reasoning: { summary?: string[] } }
  | { message: string | { text?: string; phase?: string } }
  | { call: { name: string; id?: string; arguments?: unknown } }
  | { refusal: string }
  | { item: Record<string, unknown> };

export type Severity = "note" | "warning" | "error";

/** How a session is set up. */
export interface Settings {
  /** The n-th request is answered with the n-th reply. */
  replies?: ReplyPart[][];
  /** Faults as `NAME:KEY=VALUE,…` or objects. */
  faults?: (string | Record<string, unknown>)[];
  profile?: string;
  org?: "default" | "zdr";
  accounts?: Record<string, string>[];
  world?: string;
  /** Lowest severity that fails the test; `error` unless given. */
  failOn?: Severity;
  /** Rules whose findings must come and fail nothing. */
  expect?: string[];
}

/** One place where a rule fired. */
export interface Finding {
  rule: string;
  severity: Severity;
  class: string;
  exchange: number | null;
  pointer: string | null;
  item: string | null;
  message: string;
  help: string;
  also: string[];
  sent?: string;
  expected?: string;
  place?: string;
}

/** What the judge says of a session. */
export interface Verdict {
  verdict: "clean" | "findings" | "inconclusive";
  coverage: Record<string, unknown> & { turns: number; reasoning_issued: number; reasoning_carried: number };
  findings: Finding[];
  inconclusive: unknown[];
  exchanges: number;
}

/** A session that is open until it is finished; `baseURL` and `apiKey` point a client at it. */
export class Session {
  readonly name: string;
  readonly baseURL: string;
  readonly apiKey: string;
  static open(test: string, settings?: Settings & { file?: string; line?: number }): Promise<Session>;
  environment(): Record<string, string>;
  enter(): () => void;
  export(file: string, text: string): void;
  finish(): Promise<Verdict>;
  check(): Promise<void>;
  assertCarried(atLeast?: number): Promise<void>;
}

/** The judge found something, or found nothing to judge where something was asserted. */
export class Findings extends Error {}

/** A session's name for the id of a test. */
export function sessionName(test: string): string;
