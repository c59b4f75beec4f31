//! Schema of the JSON output of a verdict: `judge --format json`, and `judged` of a case in `summary.json`.

use serde_json::{Value, json};

use super::{count, member, one_of};

/// Severities, worst first.
const SEVERITIES: [&str; 3] = ["error", "warning", "note"];
/// Classes: the groups of `docs/architecture.md`, "Rules of the judge".
const CLASSES: [&str; 8] = [
    "carry",
    "leak",
    "tools",
    "state",
    "audit",
    "shape",
    "transport",
    "provider",
];

/// The schema.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdover verdict",
        "description": "What the judge says of one session.",
        "type": "object",
        "required": ["verdict", "coverage", "findings", "inconclusive"],
        "properties": {
            "verdict": one_of(&["clean", "findings", "inconclusive"], "`clean`: no finding above `note`. `inconclusive`: none, but evidence is missing."),
            "coverage": coverage(),
            "findings": {"type": "array", "items": finding()},
            "inconclusive": {"type": "array", "items": inconclusive()},
        },
    })
}

fn coverage() -> Value {
    json!({
        "type": "object",
        "description": "How much there was to judge: silence is not success.",
        "required": ["conversations", "turns", "reasoning_issued", "reasoning_carried", "judged"],
        "properties": {
            "conversations": count("Conversations seen."),
            "turns": count("Create requests; a request and its retries count once."),
            "reasoning_issued": count("Reasoning items that responses issued."),
            "reasoning_carried": count("Of these, how many a later request brought back, or the server held for it."),
            "judged": count("Groups with reasoning whose fate a later request showed."),
            "exports_scanned": count("Export files scanned."),
            "audit_records": count("Audit records read."),
            "reasoning_off": one_of(&["no", "sometimes", "always"], "Whether requests sent effort `none`."),
        },
    })
}

fn finding() -> Value {
    let text = json!("string");
    let optional = json!(["string", "null"]);
    json!({
        "type": "object",
        "required": ["rule", "severity", "class", "exchange", "lineage", "item", "pointer", "message", "help", "also"],
        "properties": {
            "rule": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "description": "Name of the rule: `holdover explain NAME`."},
            "severity": one_of(&SEVERITIES, "How bad it is here; a profile may change a rule's default."),
            "class": one_of(&CLASSES, "The rule's group."),
            "exchange": {"type": ["integer", "null"], "minimum": 1, "description": "Exchange whose request shows it; null for exports and audit records."},
            "lineage": {"type": ["integer", "null"], "minimum": 1, "description": "Conversation it belongs to."},
            "item": member(&optional, "Id of the item it is about."),
            "pointer": member(&optional, "JSON pointer into the request's body."),
            "message": member(&text, "What happened and why it matters."),
            "help": member(&text, "The fix, for the client that was seen where it is known."),
            "also": {"type": "array", "items": {"type": "string"}, "description": "Rules that fired on the same loss and rank behind this one."},
            "sent": member(&text, "What was sent, in few words; never a whole token."),
            "expected": member(&text, "What was expected, in few words."),
            "place": member(&text, "`file:line` of an export."),
            "known": member(&text, "Why it fails nothing although its rule is worse than a note: the baseline, or a suppression with its reason."),
        },
    })
}

fn inconclusive() -> Value {
    let text = json!("string");
    json!({
        "type": "object",
        "required": ["what", "missing"],
        "properties": {
            "what": member(&text, "What could not be judged."),
            "missing": member(&text, "What is missing to judge it."),
            "exchange": {"type": ["integer", "null"], "minimum": 1, "description": "Exchange where it showed."},
        },
    })
}
