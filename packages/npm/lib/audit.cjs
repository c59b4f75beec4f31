"use strict";
// Writes Holdover's audit record: one JSON line for each run of an agent, appended to HOLDOVER_AUDIT_FILE. What it says
// about the fragment is read off the request body that left the client: give `wireTap().fetch` to the client.
//
//   const tap = wireTap();
//   const client = new OpenAI({ fetch: tap.fetch });
//   writeRecord(tap.lastBody(), { session, runId: "run-1", policy: "omit", exported: "no", resumeKeyType: "business_key" });

const { createHash } = require("node:crypto");
const fs = require("node:fs");

/** Stands for "this client does not record its policy"; `null` is the policy `none`. */
const NOT_RECORDED = Symbol("not recorded");

/** A `fetch` that keeps the bodies of the create requests that went through it, in order. */
function wireTap(fetch = globalThis.fetch) {
  const bodies = [];
  return {
    bodies,
    async fetch(url, init) {
      const { pathname } = new URL(typeof url === "string" ? url : url.url ?? String(url));
      if (init?.method?.toUpperCase() === "POST" && pathname.endsWith("/responses")) bodies.push(JSON.parse(init.body));
      return fetch(url, init);
    },
    lastBody() {
      if (!bodies.length) throw new Error("no create request was sent");
      return bodies[bodies.length - 1];
    },
  };
}

function reasoningItems(body) {
  return Array.isArray(body.input) ? body.input.filter((item) => item?.type === "reasoning") : [];
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}

/** SHA-256 of the reasoning items as one compact JSON array, members in the order they were sent. */
function fragHash(body) {
  const items = reasoningItems(body);
  return items.length ? sha256(JSON.stringify(items)) : undefined;
}

/** The record; members without a value are left out. */
function makeRecord(body, { session, runId, policy, exported, resumeKeyType, ...optional }) {
  const items = reasoningItems(body);
  return JSON.parse(
    JSON.stringify({
      session,
      run_id: runId,
      reasoning_item_id_policy: policy === NOT_RECORDED ? undefined : (policy ?? "none"),
      ids_present: items.length ? items.some((item) => typeof item.id === "string") : undefined,
      frag_hash: fragHash(body),
      exported,
      resume_key_type: resumeKeyType,
      instructions_hash: typeof body.instructions === "string" ? sha256(body.instructions) : undefined,
      callback_dedupe_key: optional.callbackDedupeKey,
      compaction_policy: optional.compactionPolicy,
      export_policy: optional.exportPolicy,
      handover: optional.handover,
    }),
  );
}

/** Appends one record; does nothing when nobody asked for audit records. */
function writeRecord(body, members) {
  const file = process.env.HOLDOVER_AUDIT_FILE;
  if (file) fs.appendFileSync(file, `${JSON.stringify(makeRecord(body, members))}\n`);
}

module.exports = { NOT_RECORDED, fragHash, makeRecord, wireTap, writeRecord };
