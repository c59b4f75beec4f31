"use strict";
// One session of a running Holdover: one test, judged when it is finished.

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { call, places } = require("./server.cjs");

const SEVERITIES = ["note", "warning", "error"];
const LOOPBACK = "127.0.0.1,localhost,::1";
const OUTSIDE = ["OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT_ID", "OPENAI_PROJECT"];

/** The judge found something, or found nothing to judge where something was asserted. */
class Findings extends Error {
  constructor(message) {
    super(message);
    this.name = "Findings";
    // Where it was thrown says nothing: the message names the place.
    this.stack = `Findings: ${message}`;
  }
}

/** A session's name for the id of a test: the id itself where the grammar takes it, else shortened with a hash. */
function sessionName(test) {
  const plain = test.replace(/[^A-Za-z0-9_.-]+/g, ".").replace(/^\.+|\.+$/g, "");
  if (plain === test && test.length <= 64) return test;
  return `${plain.slice(-51)}.${createHash("sha256").update(test).digest("hex").slice(0, 12)}`;
}

/** A session that is open until it is finished; `baseURL` and `apiKey` point a client at it. */
class Session {
  #place;
  #failOn;
  #expect;
  #exports = [];
  #verdict;

  constructor(name, baseURL, place, failOn, expect) {
    this.name = name;
    this.baseURL = baseURL;
    this.apiKey = `sk-holdover-${name}`;
    this.#place = place;
    this.#failOn = SEVERITIES.indexOf(failOn);
    this.#expect = new Set(expect);
  }

  /** Opens the session of a test. Settings: replies, faults, profile, org, accounts, world, failOn, expect. */
  static async open(test, { file, line, failOn = "error", expect = [], ...settings } = {}) {
    if (!SEVERITIES.includes(failOn)) throw new TypeError(`failOn is one of ${SEVERITIES.join(", ")}, not ${failOn}`);
    const name = sessionName(test);
    const meta = JSON.parse(JSON.stringify({ test, file, line }));
    await call("PUT", `sessions/${name}`, { meta, ...settings });
    const place = file ? (line ? `${file}:${line}` : file) : test;
    return new Session(name, `${process.env.HOLDOVER_BASE_URL}/s/${name}/v1`, place, failOn, expect);
  }

  /** The variables that point a client at this session. */
  environment() {
    return {
      OPENAI_BASE_URL: this.baseURL,
      OPENAI_API_BASE: this.baseURL,
      OPENAI_API_KEY: this.apiKey,
      HOLDOVER_SESSION: this.name,
      NO_PROXY: LOOPBACK,
      no_proxy: LOOPBACK,
      OPENAI_AGENTS_DISABLE_TRACING: "1",
    };
  }

  /** Sets these variables in this process; the answer puts the old ones back. */
  enter() {
    const before = { ...process.env };
    for (const name of OUTSIDE) delete process.env[name];
    Object.assign(process.env, this.environment());
    return () => {
      for (const name of [...OUTSIDE, ...Object.keys(this.environment())]) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    };
  }

  /** Text that the client lets out (a log, a dump): it is scanned for ids, payloads and reasoning. */
  export(file, text) {
    this.#exports.push({ file, text });
  }

  /** Ends the session and gives the verdict; the same verdict when it is called again. */
  async finish() {
    if (!this.#verdict) {
      const evidence = { exports: [...this.#exports, ...exportedFiles(this.name)], audit: auditRecords(this.name) };
      this.#verdict = await call("POST", `sessions/${this.name}/finish`, evidence);
      if (!this.#verdict) throw new Findings(`holdover: session ${this.name} is gone: somebody else deleted it`);
      // Nothing spoke in it: it would only be noise in the reports.
      if (!this.#verdict.exchanges) await call("DELETE", `sessions/${this.name}`);
    }
    return this.#verdict;
  }

  /** Throws `Findings` when there is a finding at or above `failOn`, or an expected one did not come. */
  async check() {
    const { findings } = await this.finish();
    const serious = ({ severity, rule }) => SEVERITIES.indexOf(severity) >= this.#failOn && !this.#expect.has(rule);
    const found = findings.filter(serious);
    const blocks = found.map((finding) => this.#block(finding));
    if (found.length) blocks.push(...lookAt(found.map((finding) => finding.rule)));
    for (const rule of this.#expect) {
      if (!findings.some((finding) => finding.rule === rule)) {
        blocks.push(`${this.#place}: expected finding \`${rule}\` did not come`);
      }
    }
    if (blocks.length) throw new Findings([`holdover: session ${this.name}`, ...blocks].join("\n"));
  }

  /** Asserts that the client brought reasoning back, whole and unchanged. Ends the session: call it last. */
  async assertCarried(atLeast = 1) {
    await this.check();
    const { coverage } = await this.finish();
    if (coverage.reasoning_carried >= atLeast) return;
    throw new Findings(
      `${this.#place}: ${coverage.reasoning_carried} reasoning items were carried, at least ${atLeast} expected ` +
        `(${coverage.turns} turns, ${coverage.reasoning_issued} reasoning items issued)\n` +
        "  help: the fake must see a second request of the same conversation, on a reasoning model",
    );
  }

  #block(finding) {
    const at = finding.exchange ? `exchange ${finding.exchange}` : (finding.place ?? "the exports");
    const members = ["item", "sent", "expected", "help"].filter((name) => finding[name]);
    return [
      `${this.#place}: ${finding.severity}[${finding.rule}]: ${finding.message}`,
      `  at: ${finding.pointer ? `${at}, ${finding.pointer}` : at}`,
      ...members.map((name) => `  ${name}: ${finding[name]}`),
    ].join("\n");
  }
}

function exportedFiles(session) {
  const root = process.env.HOLDOVER_EXPORT_DIR;
  const folder = root && path.join(root, session);
  if (!folder || !fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder, { recursive: true }).sort();
  const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile());
  return files.map((name) => ({ file: `${session}/${name}`, text: fs.readFileSync(path.join(folder, name), "utf8") }));
}

function auditRecords(session) {
  const file = process.env.HOLDOVER_AUDIT_FILE;
  if (!file || !fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, "utf8").split("\n").filter((line) => line.trim());
  return lines.map((line) => JSON.parse(line)).filter((record) => record.session === session);
}

/** The first lines of the code whose form does what these rules found. */
function lookAt(rules) {
  const lines = places().filter((place) => rules.includes(place.rule));
  return lines.slice(0, 5).map((place) => `look at ${place.file}:${place.line}: ${place.text}`);
}

/** The line on which a test of this name stands, as far as its text tells. */
function lineOf(file, name) {
  const quoted = new RegExp(`["'\`]${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}["'\`]`);
  const index = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").findIndex((line) => quoted.test(line)) : -1;
  return index < 0 ? undefined : index + 1;
}

/** A path as it stands in the repository. */
function shown(file) {
  const relative = path.relative(process.cwd(), file);
  return (relative.startsWith("..") ? file : relative).split(path.sep).join("/");
}

module.exports = { Findings, Session, lineOf, sessionName, shown };
