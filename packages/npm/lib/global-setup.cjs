"use strict";
// `globalSetup` of vitest and of jest: one server for all workers. Both call what is returned, or `teardown`, at the end.

const { startServer } = require("./server.cjs");

module.exports = async function setup() {
  const stop = await startServer();
  // Jest ignores what is returned here. The server is a child of this process, and must not outlive it.
  process.once("exit", () => void stop());
  return stop;
};
