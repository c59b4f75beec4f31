/** Stands for "this client does not record its policy"; `null` is the policy `none`. */
export const NOT_RECORDED: unique symbol;

export interface RecordMembers {
  session?: string;
  runId: string;
  policy: "preserve" | "omit" | null | typeof NOT_RECORDED;
  exported: "no" | "redacted" | "raw";
  resumeKeyType: "run_state" | "business_key" | "reasoning_id";
  callbackDedupeKey?: string;
  compactionPolicy?: string;
  exportPolicy?: string;
  handover?: { peer_needs_id: boolean; resume_key: string; export_public: boolean };
}

type Body = Record<string, unknown>;

/** A `fetch` that keeps the bodies of the create requests that went through it, in order. */
export function wireTap(fetch?: typeof globalThis.fetch): { bodies: Body[]; fetch: typeof globalThis.fetch; lastBody(): Body };
export function fragHash(body: Body): string | undefined;
export function makeRecord(body: Body, members: RecordMembers): Record<string, unknown>;
/** Appends one record; does nothing when nobody asked for audit records. */
export function writeRecord(body: Body, members: RecordMembers): void;
