//! Stage `export`: what the client lets out after a turn, and the audit record that every run leaves.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use holdover_profile::policy::Record;
use holdover_wire::audit::{AuditRecord, Exported, IdPolicy};
use holdover_wire::fragment::{frag_hash, ids_present};
use holdover_wire::{CreateRequest, Item, ItemKind, Object};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::config::{AgentConfig, ExportKind};
use crate::flight::Reset;
use crate::slip::Slip;
use crate::slips;
use crate::state::State;
use crate::turn::Export;

use super::receive::Answer;
use super::resume::Resumed;
use super::{callback, policy, replay, resume};

/// Characters of a summary that a log may hold.
const SUMMARY_CHARS: usize = 40;
/// Characters of a token that may not stand in a log: the trip wire's length (D5).
const TRIP_WIRE_CHARS: usize = 16;

/// A turn that is over, as far as exports look at it.
pub(crate) struct Finished<'a> {
    /// The client.
    pub(crate) config: &'a AgentConfig,
    /// Its state after the turn.
    pub(crate) state: &'a State,
    /// The body that was sent, if it came to that.
    pub(crate) sent: Option<&'a Object>,
    /// The answer, if there was one.
    pub(crate) answer: Option<&'a Answer>,
    /// `x-request-id` of the answer.
    pub(crate) request_id: Option<&'a str>,
    /// The input that the next turn would carry.
    pub(crate) next_input: &'a [Item],
    /// Whether the turn began with a resume, and how that went.
    pub(crate) resumed: Option<Resumed>,
    /// What the replay policy made of the request.
    pub(crate) replayed: Option<&'a Record>,
    /// What was left behind for another provider.
    pub(crate) reset: Option<&'a Reset>,
}

/// The texts that the client lets out after this turn.
pub(crate) fn exports(turn: &Finished<'_>) -> Vec<Export> {
    let logs = log_lines(turn).into_iter().map(|line| ("log", line));
    let dumps = dump(turn).into_iter().map(|line| ("eval", line));
    let file = |folder: &str| format!("{folder}/turn-{}.jsonl", turn.state.turn);
    let lines = logs
        .chain(dumps)
        .fold(BTreeMap::<String, String>::new(), |mut files, (folder, line)| {
            let text = files.entry(file(folder)).or_default();
            text.push_str(&line.to_string());
            text.push('\n');
            files
        });
    lines
        .into_iter()
        .map(|(file, text)| Export { file, text })
        .collect()
}

/// The audit record of this turn (P6, P8).
pub(crate) fn audit(turn: &Finished<'_>) -> AuditRecord {
    let config = turn.config;
    let request = turn.sent.map(CreateRequest::new);
    let mut record = AuditRecord {
        session: Some(config.session.clone()),
        run_id: Some(format!("{}-run-{}", config.session, turn.state.turn)),
        reasoning_item_id_policy: Some(turn.state.policy),
        ids_present: request.and_then(ids_present),
        frag_hash: request.and_then(frag_hash),
        exported: Some(exported(config)),
        resume_key_type: Some(resume::key(config)),
        callback_dedupe_key: callback::key(config).map(|key| key.as_str().to_owned()),
        compaction_policy: turn.state.compaction.as_ref().map(|snapshot| snapshot.policy),
        export_policy: exports_dump(config).then(|| dump_policy(config, turn.state.policy)),
        instructions_hash: request.and_then(CreateRequest::instructions).map(sha256),
        handover: config.handover.clone(),
        other: Object::new(),
    };
    if let Some(resumed) = turn.resumed {
        record.other.insert("resume".to_owned(), resumed.as_str().into());
    }
    if let Some(replayed) = turn.replayed {
        record
            .other
            .insert("replay_policy".to_owned(), replay::told(replayed));
    }
    if let Some(reset) = turn.reset.filter(|_| !config.has(Slip::ForeignReasoningSent)) {
        record
            .other
            .insert("reset".to_owned(), reset_record(config, reset));
    }
    if config.has(Slip::PolicyNotRecorded) {
        return slips::policy_not_recorded::apply(record);
    }
    record
}

/// The explicit reset of R7: the session goes on with its text, its calls and their outputs, and without what its new
/// provider cannot read.
fn reset_record(config: &AgentConfig, reset: &Reset) -> Value {
    json!({
        "old_session": config.session,
        "from": reset.from,
        "to": reset.to,
        "summary": Value::Null,
        "kept": ["text", "calls", "outputs"],
        "left_behind": reset.left_behind,
        "provider_reset_reason": "another provider cannot read the reasoning",
        "cache_reset_reason": "another provider has another cache",
    })
}

fn exported(config: &AgentConfig) -> Exported {
    if config.has(Slip::LogWholeResponse) || config.has(Slip::LogInputFragment) {
        return Exported::Raw;
    }
    if config.exports.is_empty() && !exports_dump(config) {
        return Exported::No;
    }
    Exported::Redacted
}

fn log_lines(turn: &Finished<'_>) -> Vec<Value> {
    let mut lines = Vec::new();
    if turn.config.has(Slip::LogWholeResponse) {
        lines.extend(turn.answer.map(slips::log_whole_response::apply));
    }
    if turn.config.has(Slip::LogInputFragment) {
        lines.push(slips::log_input_fragment::apply(turn.next_input));
    }
    if lines.is_empty() && turn.config.exports.contains(&ExportKind::Log) {
        lines.push(guarded(right_log(turn), turn.next_input));
    }
    lines
}

/// The right log (D5, M10): structure and numbers, a summary cut short, no id of an item and no payload.
fn right_log(turn: &Finished<'_>) -> Value {
    let response = turn.answer.map(|answer| answer.response.object());
    let member = |name: &str| response.and_then(|object| object.get(name)).cloned();
    let sent = turn.sent.map(CreateRequest::new);
    let effort = sent.and_then(CreateRequest::effort);
    let input = sent.map(CreateRequest::owned_items).unwrap_or_default();
    let output = turn
        .answer
        .map(|answer| answer.items.as_slice())
        .unwrap_or_default();
    json!({
        "request_id": turn.request_id,
        "response_id": member("id"),
        "mode": turn.config.state.as_str(),
        "store": turn.config.store,
        "effort": effort,
        "usage": member("usage"),
        "input_types": counts(&input),
        "output_types": counts(output),
        "summary": cut_summary(output),
    })
}

fn counts(items: &[Item]) -> BTreeMap<String, u64> {
    items.iter().fold(BTreeMap::new(), |mut counts, item| {
        let name = item.view().type_name().unwrap_or("message").to_owned();
        *counts.entry(name).or_default() += 1;
        counts
    })
}

fn cut_summary(items: &[Item]) -> Option<String> {
    let reasoning = items.iter().find(|item| item.kind() == ItemKind::Reasoning)?;
    let text = reasoning.view().summary_texts().next()?;
    Some(text.chars().take(SUMMARY_CHARS).collect())
}

/// The trip wire of D5: a line that holds the beginning of any token is withheld.
fn guarded(line: Value, items: &[Item]) -> Value {
    let text = line.to_string();
    let tokens = items.iter().filter_map(Item::encrypted_content);
    let mut wires = tokens.filter_map(|token| token.get(..TRIP_WIRE_CHARS));
    if wires.any(|wire| text.contains(wire)) {
        return json!({"withheld": "the line held the beginning of a protected payload"});
    }
    line
}

fn exports_dump(config: &AgentConfig) -> bool {
    config.exports.contains(&ExportKind::Dump) || config.has(Slip::ExportUnderOtherPolicy)
}

/// The policy that a dump is made under: the live one (P10).
fn dump_policy(config: &AgentConfig, live: IdPolicy) -> IdPolicy {
    if config.has(Slip::ExportUnderOtherPolicy) {
        return slips::export_under_other_policy::apply(live);
    }
    live
}

/// An eval set: visible text and structure of the next turn's input, and the hash of its reasoning under the dump's
/// policy. Neither ids nor payloads go into it.
fn dump(turn: &Finished<'_>) -> Option<Value> {
    if !exports_dump(turn.config) {
        return None;
    }
    let dump_policy = dump_policy(turn.config, turn.state.policy);
    let items = policy::applied(turn.next_input.to_vec(), dump_policy, turn.config);
    let hash = input_hash(&items);
    let items: Vec<Value> = items.iter().map(visible).collect();
    Some(json!({"policy": dump_policy.as_str(), "frag_hash": hash, "items": items}))
}

fn visible(item: &Item) -> Value {
    let kind = item.view().type_name().unwrap_or("message");
    match item.kind() {
        ItemKind::Message => json!({"type": kind, "role": item.role(), "text": item.text()}),
        _ => json!({"type": kind}),
    }
}

fn input_hash(items: &[Item]) -> Option<String> {
    let input = items.iter().map(Item::to_value).collect();
    let body = Object::from_iter([("input".to_owned(), Value::Array(input))]);
    frag_hash(CreateRequest::new(&body))
}

fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use holdover_wire::audit::ResumeKey;

    use crate::config::Preset;
    use crate::testing::{play, stateless, talk_turns, token};

    use super::*;

    #[test]
    fn the_right_log_holds_structure_only() {
        let mut agent = stateless(|config| {
            config.exports = vec![ExportKind::Log];
            config.effort = Some("low".to_owned());
        });
        play(&mut agent, &talk_turns());
        let exports = agent.take_exports();
        assert_eq!(exports.len(), 2);
        assert_eq!(exports[1].file, "log/turn-2.jsonl");
        let line: Value = serde_json::from_str(&exports[1].text).expect("JSON");
        let expected = json!({
            "request_id": "req_1", "response_id": "resp_2", "mode": "client-replay", "store": false,
            "effort": "low", "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
            "input_types": {"message": 3, "reasoning": 1}, "output_types": {"message": 1, "reasoning": 1},
            "summary": "**Plan**\n\nLook it up first, then answer ",
        });
        assert_eq!(line, expected);
        assert_eq!(agent.take_exports(), vec![]);
    }

    #[test]
    fn the_trip_wire_withholds_a_line_with_a_payload() {
        let item = Item::from_value(&crate::testing::reasoning("rs_1")).expect("item");
        let line = json!({"summary": token("rs_1")[..20]});
        let expected = json!({"withheld": "the line held the beginning of a protected payload"});
        assert_eq!(guarded(line, std::slice::from_ref(&item)), expected);
        let harmless = json!({"summary": "gAAAAAB"});
        assert_eq!(guarded(harmless.clone(), &[item]), harmless);
    }

    #[test]
    fn a_right_run_leaves_a_whole_record() {
        let mut agent = stateless(|config| {
            config.preset = Preset::AgentsSdk;
            config.reasoning_item_id_policy = IdPolicy::Preserve;
            config.instructions = Some("abc".to_owned());
            config.exports = vec![ExportKind::Dump];
        });
        let (bodies, _) = play(&mut agent, &talk_turns());
        let records = agent.take_audit();
        assert_eq!(records.len(), 2);
        let expected = AuditRecord {
            session: Some("s".to_owned()),
            run_id: Some("s-run-2".to_owned()),
            reasoning_item_id_policy: Some(IdPolicy::Preserve),
            ids_present: Some(true),
            frag_hash: frag_hash(CreateRequest::new(&bodies[1])),
            exported: Some(Exported::Redacted),
            resume_key_type: Some(ResumeKey::RunState),
            export_policy: Some(IdPolicy::Preserve),
            // printf abc | sha256sum
            instructions_hash: Some(
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned(),
            ),
            ..AuditRecord::default()
        };
        assert_eq!(records[1], expected);
    }

    #[test]
    fn a_dump_holds_text_and_structure() {
        let mut agent = stateless(|config| config.exports = vec![ExportKind::Dump]);
        play(&mut agent, &talk_turns()[..1]);
        let export = agent.take_exports().remove(0);
        let dump: Value = serde_json::from_str(&export.text).expect("JSON");
        assert_eq!(export.file, "eval/turn-1.jsonl");
        assert_eq!(dump["policy"], "none");
        let expected = json!([
            {"type": "message", "role": "user", "text": "First"},
            {"type": "reasoning"},
            {"type": "message", "role": "assistant", "text": "One."},
        ]);
        assert_eq!(dump["items"], expected);
    }
}
