#!/usr/bin/env node
"use strict";
// `npx holdover`: the binary, with the same arguments, streams and exit code.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { binary } = require("./binary.cjs");

let path;
try {
  path = binary();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(3);
}
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends Ctrl-C to both; a supervisor's signal comes to this process alone.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => {
  console.error(`error: cannot start ${path}: ${error.message}`);
  process.exit(3);
});
child.on("close", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
