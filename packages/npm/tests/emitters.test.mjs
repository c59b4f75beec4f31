// The emitters: the audit record against the vectors of the repository, the redaction against Holdover's own verdict.

import fs from "node:fs";
import OpenAI from "openai";
import pino from "pino";
import winston from "winston";
import { Writable } from "node:stream";
import { describe, expect } from "vitest";
import { NOT_RECORDED, fragHash, makeRecord, wireTap, writeRecord } from "holdover/audit";
import { pinoHooks, redact, winstonFormat } from "holdover/redact";
import { test } from "holdover/vitest";

const REASONING = {
  id: "rs_0123456789abcdef0123456789abcdef01234567",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "the plan" }],
  encrypted_content: `gAAAAABo${"x".repeat(60)}`,
};
const CUT = { id: "rs_…", type: "reasoning", summary: "…", encrypted_content: "…" };

function sink() {
  const pieces = [];
  const stream = new Writable({
    write(piece, _encoding, done) {
      pieces.push(String(piece));
      done();
    },
  });
  return { stream, text: () => pieces.join("") };
}

describe("audit", () => {
  test("the hash is that of the other languages", () => {
    // printf '[{"id":"rs_1","type":"reasoning","summary":[]}]' | sha256sum
    const vector = "5ea18b8be77dd9fbfaf5855519d9e23028de733613698a7bafc11162a249711c";
    expect(fragHash({ input: [{ role: "user" }, { id: "rs_1", type: "reasoning", summary: [] }] })).toBe(vector);
    // printf '[{"type":"reasoning","summary":[{"type":"summary_text","text":"Ünï/"}]}]' | sha256sum
    const item = { type: "reasoning", summary: [{ type: "summary_text", text: "Ünï/" }] };
    expect(fragHash({ input: [item] })).toBe("caefc62d349417eb63a7e2958e6286e8b1ddc6a7df543946310ee5900dadc04d");
    expect(fragHash({ input: "text" })).toBeUndefined();
  });

  test("members without a value are left out", () => {
    const members = { runId: "r", policy: NOT_RECORDED, exported: "no", resumeKeyType: "business_key" };
    expect(makeRecord({ input: "x" }, members)).toEqual({ run_id: "r", exported: "no", resume_key_type: "business_key" });
    expect(makeRecord({ input: "x" }, { ...members, policy: null }).reasoning_item_id_policy).toBe("none");
  });

  test("a run that records itself is judged with its record", async ({ holdover }) => {
    const tap = wireTap();
    const client = new OpenAI({ fetch: tap.fetch });
    const request = { model: "gpt-5.6", store: false, include: ["reasoning.encrypted_content"] };
    const history = [{ role: "user", content: "Plan." }];
    history.push(...(await client.responses.create({ ...request, input: history })).output);
    history.push({ role: "user", content: "Go on." });
    await client.responses.create({ ...request, input: history });
    const members = { runId: "r", policy: "preserve", exported: "no", resumeKeyType: "business_key" };
    writeRecord(tap.lastBody(), { session: holdover.name, ...members });
    const { coverage, findings } = await holdover.finish();
    expect(coverage.audit_records).toBe(1);
    expect(findings.filter((finding) => finding.severity !== "note")).toEqual([]);
    expect(fs.existsSync(process.env.HOLDOVER_AUDIT_FILE)).toBe(true);
  });
});

describe("redact", () => {
  test("the form stays and what is protected goes", () => {
    expect(redact({ output: [REASONING], id: "resp_0123456789abcdef", n: 3 })).toEqual({
      output: [CUT],
      id: "resp_0123456789abcdef",
      n: 3,
    });
    expect(redact("Authorization: Bearer sk-holdover-default; item msg_0123456789")).toBe(
      "Authorization: Bearer sk-…; item msg_…",
    );
    const circle = { name: "a" };
    circle.self = circle;
    expect(redact(circle)).toEqual({ name: "a", self: "[circular]" });
  });

  test("winston writes nothing that is protected", () => {
    const { stream, text } = sink();
    const format = winston.format.combine(winstonFormat(), winston.format.json());
    const logger = winston.createLogger({ format, transports: [new winston.transports.Stream({ stream })] });
    logger.info("turn", { output: [REASONING] });
    expect(JSON.parse(text())).toEqual({ level: "info", message: "turn", output: [CUT] });
  });

  for (const hooks of [undefined, pinoHooks]) {
    test(`pino ${hooks ? "with the hooks keeps" : "without them leaks"}`, async ({ holdover }) => {
      const { stream, text } = sink();
      const logger = pino(hooks ? { hooks } : {}, stream);
      const request = { model: "gpt-5.6", store: false, include: ["reasoning.encrypted_content"], input: "Plan." };
      logger.info({ response: await new OpenAI().responses.create(request) }, "turn");
      holdover.export("app.log", text());
      const leaks = (await holdover.finish()).findings.filter((finding) => finding.class === "leak");
      expect(leaks.length > 0).toBe(!hooks);
      if (!hooks) holdover.check = async () => {};
    });
  }
});
