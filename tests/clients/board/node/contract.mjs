// The adapter's side of `holdover conformance`: one JSON line a step on standard input, one for each answer.
//
// A driver is a class that `serve` gets. What a library prints with `console` goes to standard error, so that the
// answers stay alone on standard output.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Programs about what other wires have not. */
const RESPONSES_ALONE = {
  "two-summary-parts": "the wire has no parts of summaries",
  "two-summary-parts-stream": "the wire has no parts of summaries",
  "store-default": "the wire stores nothing",
  "tool-loop-store-default": "the wire stores nothing",
  "store-false-alone": "the wire stores nothing",
};

export class NotApplicable extends Error {}

/** Says that the client has nothing of the kind. */
export function notApplicable(why) {
  throw new NotApplicable(why);
}

/** The version of an installed package. */
export function version(name) {
  const require = createRequire(import.meta.url);
  let folder = dirname(require.resolve(name));
  while (folder !== dirname(folder)) {
    try {
      const found = JSON.parse(readFileSync(join(folder, "package.json"), "utf-8"));
      if (found.name === name) return found.version;
    } catch {
      // The package's own folder is further up.
    }
    folder = dirname(folder);
  }
  return "";
}

/** What every driver has; `begin`, `user` and, where the client can, `save` and `load` are its own. */
export class Driver {
  static client = "";
  static package = "";
  /** The wire that the client speaks. */
  static wire = "responses";
  /** States that the client has, of `client-replay`, `server-chain`, `conversation`. */
  static states = ["client-replay"];
  /** What the client has beside the plain case, of `limit`, `omit`, `schema`, `handoff`, `log`. */
  static has = [];

  constructor(settings) {
    this.settings = settings;
    this.outputs = {};
  }

  /** What a tool answers. */
  tool(name) {
    return this.outputs[name];
  }

  async save() {
    notApplicable("the client has no way to save a conversation");
  }

  async load() {
    notApplicable("the client has no way to load a conversation");
  }

  /** Begins a new conversation. */
  async reset() {
    await this.begin();
  }
}

/** `reasoning` of a request. */
export function reasoning(settings) {
  const given = {};
  if (settings.effort) given.effort = settings.effort;
  if (settings.summary) given.summary = settings.summary;
  return given;
}

/** The members of an object that are not null. */
export function given(members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}

function check(kind, settings) {
  if (!kind.states.includes(settings.state)) notApplicable(`the client has no ${settings.state}`);
  const alone = kind.wire !== "responses" && RESPONSES_ALONE[settings.program];
  if (alone) notApplicable(alone);
  const asked = {
    limit: settings.history_limit !== null,
    omit: settings.reasoning_item_id_policy !== null,
    schema: settings.output_schema !== null,
    handoff: settings.handoff !== null,
    log: settings.log !== null,
  };
  for (const [name, wanted] of Object.entries(asked)) {
    if (wanted && !kind.has.includes(name)) notApplicable(`the client has no setting of this kind: ${name}`);
  }
}

/** Answers every line until there is none. */
export async function serve(kind) {
  const answer = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  let driver;
  for await (const line of createInterface({ input: process.stdin })) {
    const step = JSON.parse(line);
    let said = {};
    try {
      if (step.step === "start") {
        check(kind, step);
        driver = new kind(step);
        await driver.begin();
        said = { client: kind.client, version: version(kind.package), again: true };
      } else if (step.step === "user") {
        said = { text: String(await driver.user(step.text)) };
      } else if (step.step === "tool-output") {
        driver.outputs[step.tool] = step.output;
      } else if (step.step === "save") {
        await driver.save(step.file);
      } else if (step.step === "load") {
        await driver.load(step.file);
      } else if (step.step === "reset") {
        await driver.reset();
      } else {
        throw new Error(`unknown step ${step.step}`);
      }
    } catch (error) {
      if (error instanceof NotApplicable) {
        said = { not_applicable: error.message };
      } else {
        console.error(error);
        said = { error: `${error.name}: ${error.message}` };
      }
    }
    answer(JSON.stringify(said) + "\n");
  }
  process.exit(0);
}
