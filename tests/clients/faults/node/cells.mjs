// Plays cells in openai-node; one JSON line a turn on stdout.
//
//     node cells.mjs PORT    with lines `fault mode session` on stdin
//
// Cells run side by side; a turn that does not end in time is `hung`, and its cell stops there.

import { readFileSync } from "node:fs";
import OpenAI from "openai";

const QUESTIONS = [
  "Plan the move to the new office.",
  "And what does it cost?",
  "And which risks do we take?",
  "And who decides?",
];
const TIMEOUT_MS = 5_000;
const HUNG_MS = 30_000;
const SIDE_BY_SIDE = 6;
const REASONING = { effort: "medium", summary: "auto" };

class Talk {
  constructor(baseURL, mode) {
    this.client = new OpenAI({ baseURL, apiKey: "sk-holdover-faults", timeout: TIMEOUT_MS });
    this.mode = mode;
    this.history = [];
    // Questions that the server has not taken yet.
    this.pending = [];
  }

  turn(question) {
    return this[this.mode]({ role: "user", content: question });
  }

  stream(request) {
    const body = { model: "gpt-5.6", reasoning: REASONING, ...request };
    return this.client.responses.stream(body).finalResponse();
  }

  async replay(question) {
    this.history.push(question);
    const include = ["reasoning.encrypted_content"];
    const response = await this.stream({ input: this.history, store: false, include });
    this.history.push(...response.output);
    return response.output_text;
  }

  async compacted(question) {
    if (this.history.length === 3) {
      const compacted = await this.client.responses.compact({ model: "gpt-5.6", input: this.history });
      this.history = [...compacted.output];
    }
    return this.replay(question);
  }

  async chain(question) {
    const anchor = this.anchor ? { previous_response_id: this.anchor } : {};
    this.pending.push(question);
    const response = await this.stream({ input: this.pending, store: true, ...anchor });
    this.anchor = response.id;
    this.pending = [];
    return response.output_text;
  }

  async conversation(question) {
    this.id ??= (await this.client.conversations.create()).id;
    this.pending.push(question);
    const response = await this.stream({ input: this.pending, store: true, conversation: this.id });
    this.pending = [];
    return response.output_text;
  }
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function played(talk, question) {
  let timer;
  const hung = new Promise((resolve) => {
    timer = setTimeout(() => resolve({ hung: true }), HUNG_MS);
  });
  const ended = talk.turn(question).then(
    (text) => ({ text }),
    (error) => ({ error: error?.constructor?.name ?? typeof error, message: String(error?.message).slice(0, 300) }),
  );
  const first = await Promise.race([ended, hung]);
  clearTimeout(timer);
  return first;
}

async function cell(port, line) {
  const [fault, mode, session] = line.split(" ");
  const talk = new Talk(`http://127.0.0.1:${port}/s/${session}/v1`, mode);
  for (const [index, question] of QUESTIONS.entries()) {
    const ended = await played(talk, question);
    say({ fault, turn: index + 1, ...ended });
    if (ended.hung) return;
  }
}

// What nobody awaits is the client's own: it must not end the other cells.
process.on("unhandledRejection", (error) => process.stderr.write(`not awaited: ${error}\n`));
process.on("uncaughtException", (error) => process.stderr.write(`not caught: ${error}\n`));

const cells = readFileSync(0, "utf8").split("\n").filter(Boolean);
const port = process.argv[2];
await Promise.all(
  Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (let line = cells.shift(); line; line = cells.shift()) await cell(port, line);
  }),
);
process.exit(0);
