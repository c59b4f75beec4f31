"use strict";
// The binary: HOLDOVER_BIN, else the one of the package for this platform.

/** Name of the package that holds the binary for this platform. */
function platformPackage() {
  return `@holdover/${process.platform}-${process.arch}`;
}

/** Path of the binary. */
function binary() {
  if (process.env.HOLDOVER_BIN) return process.env.HOLDOVER_BIN;
  const name = process.platform === "win32" ? "holdover.exe" : "holdover";
  try {
    return require.resolve(`${platformPackage()}/bin/${name}`);
  } catch {
    throw new Error(
      `no holdover binary: the package ${platformPackage()} is not installed\n` +
        "  help: install without --omit=optional, or set HOLDOVER_BIN to a binary",
    );
  }
}

module.exports = { binary, platformPackage };
