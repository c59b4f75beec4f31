//! One page for each refusal of `tests/facts/errors.md`.

/// What is known of one refusal.
#[derive(Debug, PartialEq, Eq)]
pub struct RefusalPage {
    /// Entry of the facts: `E01`.
    pub code: &'static str,
    /// One line.
    pub title: &'static str,
    /// What usually causes it.
    pub cause: &'static str,
    /// What helps, and whether a retry does.
    pub recovery: &'static str,
    /// Rules of the judge that find the cause.
    pub rules: &'static [&'static str],
}

/// All refusals, in the order of the facts.
pub fn refusals() -> &'static [RefusalPage] {
    &PAGES
}

macro_rules! page {
    ($code:literal, $title:literal, cause: $cause:literal, recovery: $recovery:literal, rules: [$($rule:literal),*]) => {
        RefusalPage {
            code: $code,
            title: $title,
            cause: $cause,
            recovery: $recovery,
            rules: &[$($rule),*],
        }
    };
}

static PAGES: [RefusalPage; 36] = [
    page!("E01", "a reasoning item without the item that followed it",
        cause: "the message or call after a reasoning item was dropped, rebuilt without its id, or the reasoning item is the last one of the input",
        recovery: "put the follower back as issued, drop the reasoning item as well, or strip both ids; a retry does not help",
        rules: ["orphan-reasoning", "half-stripped-group", "order-broken"]),
    page!("E02", "a function call without its reasoning item",
        cause: "a call was replayed with its server id while the reasoning item before it was dropped or lost its id",
        recovery: "send the reasoning item before the call, or strip the call's `id` (`call_id` pairs the output); a retry does not help",
        rules: ["reasoning-dropped", "orphan-follower", "half-stripped-group"]),
    page!("E03", "a message without its reasoning item",
        cause: "a message was replayed (or referenced) by its server id while the reasoning item before it was dropped, or something was put between the two",
        recovery: "send the reasoning item directly before the message, or strip the message's `id`; a retry does not help",
        rules: ["reasoning-dropped", "orphan-follower", "order-broken"]),
    page!("E04", "another item without its reasoning item",
        cause: "a custom call or hosted tool item was replayed with its server id while the reasoning item before it was dropped",
        recovery: "send the whole group, or strip the ids of all of it; a retry does not help",
        rules: ["reasoning-dropped", "orphan-follower"]),
    page!("E05", "reasoning for a model that does not reason",
        cause: "a history with reasoning, or a chain that holds some, was handed to a model without reasoning",
        recovery: "drop the reasoning items and the ids of what followed them for that model; keep the stored history as it is",
        rules: []),
    page!("E06", "an item that was never kept, because `store` is false",
        cause: "a reasoning item or reference was sent by its id alone, though the response was made under `store: false` without `include: [\"reasoning.encrypted_content\"]`",
        recovery: "ask for `reasoning.encrypted_content` with every request and carry it back; else drop the item; a retry does not help",
        rules: ["encrypted-content-missing", "late-part-dropped"]),
    page!("E07", "an item that the server does not have",
        cause: "the item was stored elsewhere, has expired or was deleted; the organisation keeps nothing (Zero Data Retention); or the route requires an id that was stripped",
        recovery: "carry `encrypted_content` instead of relying on ids; on Azure one retry may pass; on Foundry project routes keep the id",
        rules: ["encrypted-content-missing", "reasoning-id-lost"]),
    page!("E08", "the same item twice",
        cause: "the full history was sent together with a conversation that holds it, or a replay appended the same items again",
        recovery: "behind an anchor send only what is new; dedupe by id, else by token or call id; a retry does not help",
        rules: ["double-send", "replay-duplicate", "dedupe-by-stripped-id"]),
    page!("E09", "an id that breaks the grammar",
        cause: "an id of another item type, of another provider, an empty one, or one longer than 64 characters",
        recovery: "carry ids as issued; map foreign ones by a hash, the same way on call and output; a retry does not help",
        rules: ["id-grammar", "null-id"]),
    page!("E10", "a call without its output",
        cause: "the user interrupted a tool, one of several parallel outputs is missing, or history was cut between call and output",
        recovery: "append an output (`interrupted` will do), or drop the call and its reasoning; a retry does not help",
        rules: ["call-without-output"]),
    page!("E11", "an output without its call",
        cause: "history was trimmed or compacted between call and output, only outputs were sent under `store: false`, or the call id was changed",
        recovery: "cut history at user messages; turn an orphan output into text; a retry does not help",
        rules: ["output-without-call", "call-id-altered"]),
    page!("E12", "a token that cannot be verified",
        cause: "the token was cut, re-encoded or put under another id, or it was made for another organisation, key, region, deployment or model",
        recovery: "once: drop the reasoning item (and the ids of what followed it) and send again; never resend the same history",
        rules: ["encrypted-content-altered", "foreign-token", "merged-reasoning", "compaction-altered"]),
    page!("E13", "a token that is no string",
        cause: "a serializer wrote an object where `encrypted_content` belongs",
        recovery: "carry the token as text; a retry does not help",
        rules: ["encrypted-content-altered"]),
    page!("E14", "an `include` that the model cannot give",
        cause: "`reasoning.encrypted_content` (or log probabilities) was asked of a model that has none",
        recovery: "leave the value out for that model; a retry does not help",
        rules: []),
    page!("E15", "a previous response that is not there",
        cause: "the id is unknown, deleted or expired, was made under `store: false`, belongs to another project, or is not visible yet; on a WebSocket it lived in the old connection only",
        recovery: "one retry without the anchor and with the full context",
        rules: ["stale-anchor"]),
    page!("E16", "chaining under Zero Data Retention",
        cause: "`previous_response_id` (or a tool that stores) was used in an organisation that keeps nothing",
        recovery: "`store: false` and replay with encrypted content; never chain in that organisation",
        rules: ["stale-anchor"]),
    page!("E17", "two anchors at once",
        cause: "`previous_response_id` and `conversation` were sent together",
        recovery: "send one of them; a retry does not help",
        rules: ["state-modes-mixed"]),
    page!("E18", "a conversation or prompt that is not there",
        cause: "the id is unknown, deleted or of another project",
        recovery: "make a new conversation and send the history into it",
        rules: ["stale-anchor"]),
    page!("E19", "a busy conversation",
        cause: "a second request was sent into a conversation while the first was running or its stream was not drained",
        recovery: "wait and retry: one of the few 400s that may be retried; then send one request at a time",
        rules: ["concurrent-turn"]),
    page!("E20", "an item that a conversation does not take",
        cause: "a reasoning item with neither id nor token, or a hosted tool item without its id, was added to a conversation",
        recovery: "keep ids when items are stored, whatever the replay policy says; drop a reasoning item only when it has neither",
        rules: ["reasoning-id-lost"]),
    page!("E21", "a response that is not there",
        cause: "a response made under `store: false`, an expired one or one of another project was retrieved or deleted",
        recovery: "keep what you need when the answer comes, or store it; a retry does not help",
        rules: ["retrieve-of-unstored"]),
    page!("E22", "background without store",
        cause: "`background: true` was sent with `store: false`",
        recovery: "store background responses; a retry does not help",
        rules: []),
    page!("E23", "a rule of the Codex backend",
        cause: "`store` is not false, `previous_response_id` was sent over HTTP, or `instructions` are missing",
        recovery: "`store: false`, full replay, and instructions with every request; a retry does not help",
        rules: ["instructions-not-resent"]),
    page!("E24", "nothing to continue",
        cause: "the input is empty and there is no anchor",
        recovery: "send an input, or an anchor; a retry does not help",
        rules: ["history-absent"]),
    page!("E25", "a reasoning item without `summary`",
        cause: "a serializer left the empty list out",
        recovery: "`summary: []` is enough; a retry does not help",
        rules: ["required-field-missing"]),
    page!("E26", "a member that belongs to output only",
        cause: "a dump wrote members that were not issued (`status: null`), or `phase` stands on another item than an assistant message",
        recovery: "send items as issued, without members of your own; a retry does not help",
        rules: ["unknown-field-sent"]),
    page!("E27", "reasoning text in `content`",
        cause: "plain reasoning of another provider was sent as `content` of a reasoning item",
        recovery: "send `content: []` or leave it out; only open-weight servers want that text",
        rules: ["unknown-field-sent"]),
    page!("E28", "a content part of the wrong side",
        cause: "an assistant message has parts of type `input_text`",
        recovery: "parts of an assistant message are `output_text` or `refusal`; a retry does not help",
        rules: []),
    page!("E29", "a role of the chat API",
        cause: "a message has role `tool`",
        recovery: "send a `function_call_output` item instead; a retry does not help",
        rules: []),
    page!("E30", "an item type that is not known",
        cause: "an item of another backend or of the client itself is in the history",
        recovery: "leave items of your own out before sending; keep what the API issued",
        rules: []),
    page!("E31", "a parameter or value that the model does not take",
        cause: "sampling parameters, an effort, or a parameter of the chat API",
        recovery: "leave it out for that model; a retry does not help",
        rules: []),
    page!("E32", "too much context",
        cause: "history grew past the context window",
        recovery: "compact, or trim at user messages: trimming inside a group causes E01, trimming inside a pair E11",
        rules: ["output-without-call", "orphan-follower"]),
    page!("E33", "a rate limit",
        cause: "too many requests or tokens in a minute",
        recovery: "wait for `retry-after` (inside a stream the wait is in the text only), then retry; the message holds the organisation id: keep it out of logs",
        rules: ["retry-after-ignored"]),
    page!("E34", "a fault of the server",
        cause: "the service failed or is overloaded",
        recovery: "retry with growing waits, but only while nothing of the answer was shown",
        rules: ["terminal-misread"]),
    page!("E35", "a stream that did not end well",
        cause: "the stream ended with `response.failed`, `response.incomplete` or without a terminal event, and the client took it for an answer or gave up on it",
        recovery: "keep nothing of a failed or cut answer; do not replay a reasoning-only incomplete one; then retry the turn",
        rules: ["terminal-misread", "partial-reasoning-kept", "orphan-reasoning"]),
    page!("E36", "a limit of the WebSocket mode",
        cause: "60 minutes on one connection, too many lanes, or an illegal `stream_id`",
        recovery: "open a new connection; under `store: false` send the full input there, because its memory is empty",
        rules: ["stale-anchor"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    #[test]
    fn pages_are_in_order_and_name_rules_that_exist() {
        for (index, page) in refusals().iter().enumerate() {
            assert_eq!(page.code, format!("E{:02}", index + 1));
            for rule in page.rules {
                assert!(rules::find(rule).is_some(), "{rule} of {}", page.code);
            }
        }
    }
}
