"use strict";
// jest: `test("name", withHoldover(async (holdover) => { … }))`. Under `holdover test -- jest` the server is there;
// elsewhere `globalSetup: "holdover/server"` starts one for all workers.

const { Findings, Session, lineOf, shown } = require("./session.cjs");

/** A test with a session of its own. Settings as in `Session.open`. */
function withHoldover(settings, body) {
  if (typeof settings === "function") return withHoldover({}, settings);
  return async function judged() {
    const { currentTestName, testPath } = expect.getState();
    const file = shown(testPath);
    // The full name begins with the names of its blocks; the quoted one is its end.
    const words = currentTestName.split(" ");
    const line = words.map((_, at) => lineOf(testPath, words.slice(at).join(" "))).find(Boolean);
    const session = await Session.open(`${file} > ${currentTestName}`, { file, line, ...settings });
    const leave = session.enter();
    try {
      await body(session);
    } finally {
      leave();
    }
    await session.check();
  };
}

module.exports = { Findings, Session, withHoldover };
