"use strict";
// One server that all workers of a test run share. Its address travels in HOLDOVER_BASE_URL: `holdover test` sets it,
// and so does whoever starts a server here, before the workers start.

const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");
const { binary } = require("./binary.cjs");

/** Starts a server unless there is one; the answer ends it, and only it. */
async function startServer(options = []) {
  if (process.env.HOLDOVER_BASE_URL) return async () => {};
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "holdover-"));
  fs.mkdirSync(path.join(folder, "exports"));
  const child = spawn(binary(), ["serve", "--listen", "127.0.0.1:0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  // A process on its way out does not wait, which is why everything else comes before.
  const ended = new Promise((resolve) => child.once("close", resolve));
  const line = await firstLine(child);
  const found = /(http:\/\/[^\s/]+)/.exec(line);
  if (!found) throw new Error(`\`holdover serve\` did not start; it printed ${JSON.stringify(line)}`);
  // The server must not keep its parent alive; the parent ends it.
  child.unref();
  child.stdout.unref();
  const environment = {
    HOLDOVER_BASE_URL: found[1],
    HOLDOVER_EXPORT_DIR: path.join(folder, "exports"),
    HOLDOVER_AUDIT_FILE: path.join(folder, "audit.jsonl"),
  };
  Object.assign(process.env, environment);
  return async () => {
    child.kill();
    for (const name of Object.keys(environment)) delete process.env[name];
    fs.rmSync(folder, { recursive: true, force: true });
    await ended;
  };
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("error", reject);
    child.once("close", () => resolve(text));
    child.stdout.on("data", (bytes) => {
      text += bytes;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
  });
}

let found;

/** Lines of this folder whose form loses or leaks reasoning (`holdover scan`); they say where to look first. */
function places() {
  if (!found) {
    const done = spawnSync(binary(), ["scan", "--format", "json"], { encoding: "utf8", timeout: 60_000, maxBuffer: 1 << 28 });
    try {
      found = JSON.parse(done.stdout).places;
    } catch {
      found = [];
    }
  }
  return found;
}

/**
 * A call of one of Holdover's own routes; `undefined` when there is nothing of this name. Plain `node:http`, because a
 * test may have put a mock in the place of `fetch`, and because it goes through no proxy.
 */
async function call(method, route, body) {
  if (!process.env.HOLDOVER_BASE_URL) {
    throw new Error(
      "no server of Holdover: start the tests with `holdover test -- COMMAND`, or name `holdover/server` as `globalSetup`",
    );
  }
  const url = new URL(`${process.env.HOLDOVER_BASE_URL}/_holdover/${route}`);
  const headers = { "content-type": "application/json" };
  if (process.env.HOLDOVER_TOKEN) headers.authorization = `Bearer ${process.env.HOLDOVER_TOKEN}`;
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent: false }, (response) => {
      const pieces = [];
      response.on("data", (bytes) => pieces.push(bytes));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString("utf8");
        if (response.statusCode === 404) return resolve(undefined);
        if (response.statusCode >= 400) return reject(new Error(`holdover refused ${method} ${route}: ${text}`));
        return resolve(text ? JSON.parse(text) : undefined);
      });
    });
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

module.exports = { call, places, startServer };
