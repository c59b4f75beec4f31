"use strict";
// Takes item ids, encrypted content and credentials out of what is logged; the form of the rest stays.
//
//   pino({ hooks: pinoHooks })
//   winston.createLogger({ format: winston.format.combine(winstonFormat(), winston.format.json()) })

// Ids of items that hold or lead to reasoning, sealed content in both of its forms, keys. Response ids stay: they are
// what a support case needs, and they name nothing hidden.
const PATTERNS = [
  [/\b(rs|msg|fc|cmp)_[A-Za-z0-9_-]{8,}/g, "$1_…"],
  [/\bgAAAAA[A-Za-z0-9_-]{10,}={0,2}/g, "gAAAAA…"],
  [/\benc_[A-Za-z0-9_-]{16,}={0,2}/g, "enc_…"],
  [/\bsk-[A-Za-z0-9_-]{8,}/g, "sk-…"],
  [/\b(bearer)\s+[A-Za-z0-9._~+/-]{8,}=*/gi, "$1 …"],
];
// Members whose value goes whole, whatever it looks like.
const HIDDEN = new Set(["encrypted_content", "summary", "authorization", "api_key"]);
// Members of items of type `reasoning` only: other items have content that is displayed.
const HIDDEN_IN_REASONING = new Set(["content", "text"]);

/** A value without what is protected: texts, arrays, objects and errors; other values as they are. */
function redact(value, seen = new WeakSet()) {
  if (typeof value === "string") {
    return PATTERNS.reduce((text, [pattern, standIn]) => text.replace(pattern, standIn), value);
  }
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return "[circular]";
  seen.add(value);
  if (value instanceof Error) {
    return { type: value.name, message: redact(value.message), stack: redact(value.stack ?? "") };
  }
  if (Array.isArray(value)) return value.map((member) => redact(member, seen));
  const plain = typeof value.toJSON === "function" ? value.toJSON() : value;
  if (typeof plain !== "object" || plain === null) return redact(plain, seen);
  const hides = (name) => HIDDEN.has(name) || (plain.type === "reasoning" && HIDDEN_IN_REASONING.has(name));
  const members = Object.entries(plain).map(([name, member]) => [
    name,
    hides(name) && member && member.length !== 0 ? "…" : redact(member, seen),
  ]);
  return Object.fromEntries(members);
}

/** Hooks of pino: every argument of every call goes through. */
const pinoHooks = {
  logMethod(parameters, method) {
    method.apply(this, parameters.map((value) => redact(value)));
  },
};

/** A format of winston; it stands before the one that writes. */
function winstonFormat() {
  return {
    transform(info) {
      const redacted = redact({ ...info });
      // Level and message of winston lie under symbols, which no copy of the members has.
      for (const symbol of Object.getOwnPropertySymbols(info)) redacted[symbol] = redact(info[symbol]);
      return redacted;
    },
  };
}

module.exports = { pinoHooks, redact, winstonFormat };
