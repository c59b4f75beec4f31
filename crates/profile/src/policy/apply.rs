//! A policy over a history: what is sent, and a record of what was done.
//!
//! The stored history is never touched (R4): what is sent is made anew from it. Calls, their outputs and visible text go
//! back whatever the action is (R7), and what nobody knows goes back and is recorded (R5).

use holdover_wire::neutral::{
    AssistantTurn, Carrier, History, Part, PartKind, Place, anthropic, chat, gemini,
};
use holdover_wire::{Object, Wire};
use serde_json::Value;

use crate::policy::file::{Decision, Policy};
use crate::policy::situation::Situation;
use crate::provider::{Action, Endpoint, Mode, Replay};

/// What a policy made of a history.
#[derive(Clone, Debug, PartialEq)]
pub enum Applied {
    /// This is sent: the messages of the wire, in order.
    Send {
        /// Messages of the assistant as they are sent, with their place in the list of the wire; `None` for one of
        /// which nothing is left.
        messages: Vec<(usize, Option<Object>)>,
        /// What was done.
        record: Record,
    },
    /// Nothing is sent before somebody has looked.
    Stop {
        /// What was decided up to there.
        record: Record,
    },
}

/// What was done, without a word of what was thought (R6).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The policy.
    pub policy_id: String,
    /// The endpoint.
    pub profile: String,
    /// Message by message: its place, the action, and how many pieces of reasoning were left out.
    pub actions: Vec<(usize, Action, usize)>,
    /// Members of messages and types of parts that the neutral form does not know, each once, in order: the
    /// capabilities of the endpoint want a review (R5).
    pub unknown_fields: Vec<String>,
    /// Messages that were put together anew: old reasoning is gone for good.
    pub resets: Vec<usize>,
    /// Messages that went back whole, whatever the policy says: an open call, an approval or a signed block is in them
    /// (R7), or a field that nobody knows inside a tool loop (R5).
    pub kept: Vec<usize>,
}

/// Members of a message of the assistant, or of an item, that every client of this wire knows.
fn known(wire: Wire) -> &'static [&'static str] {
    match wire {
        Wire::ChatCompletions => &[
            "role",
            "content",
            "name",
            "refusal",
            "tool_calls",
            "reasoning_content",
            "reasoning",
            "reasoning_details",
            "id",
        ],
        Wire::AnthropicMessages | Wire::BedrockConverse => &["role", "content"],
        Wire::GeminiGenerate => &["role", "parts"],
        Wire::Responses | Wire::GeminiInteractions => &[
            "type",
            "id",
            "role",
            "status",
            "content",
            "summary",
            "encrypted_content",
            "phase",
            "call_id",
            "name",
            "arguments",
            "input",
        ],
    }
}

/// Applies a policy to a history that is about to be sent in `body`.
pub fn apply(policy: &Policy, endpoint: &Endpoint, history: &History, body: &Object) -> Applied {
    let mut record = Record {
        policy_id: policy.policy_id.clone(),
        profile: endpoint.name.clone(),
        ..Record::default()
    };
    let mut messages = Vec::new();
    for (message, turn, place) in history.assistant() {
        let situation = Situation::of(endpoint, history, body, turn, place);
        let decision = policy.decide(endpoint, situation);
        let unknown = unknown(history.wire, turn);
        let action = guarded(decision.action, situation, !unknown.is_empty());
        if action != decision.action {
            record.kept.push(message.at);
        }
        let sent = match action {
            Action::StopAndProbe => {
                record.actions.push((message.at, action, 0));
                return Applied::Stop { record };
            }
            Action::ReplayExact => Some(turn.value()),
            Action::ReplayRequiredFields => only(history.wire, turn, &decision),
            Action::DropReasoning => stripped(history.wire, turn),
            Action::SummarizeVisibleContent => {
                record.resets.push(message.at);
                stripped(history.wire, turn)
            }
        };
        for name in unknown {
            if !record.unknown_fields.contains(&name) {
                record.unknown_fields.push(name);
            }
        }
        let left = sent.as_ref().map_or(0, |sent| pieces(&again(history.wire, sent)));
        record
            .actions
            .push((message.at, action, pieces(turn).saturating_sub(left)));
        messages.push((message.at, sent));
    }
    Applied::Send { messages, record }
}

/// What is done in the place of an action that would take apart what must stay whole. A summary leaves open calls,
/// approvals and signed blocks alone (R7); in a tool loop nothing is taken out of a message with a field that nobody
/// knows, unless the endpoint is known to refuse it (R5).
fn guarded(action: Action, now: Situation, has_unknown: bool) -> Action {
    let in_loop = now.mode == Mode::ToolLoop;
    let takes_apart = matches!(
        action,
        Action::DropReasoning | Action::SummarizeVisibleContent | Action::ReplayRequiredFields
    );
    let is_summary = action == Action::SummarizeVisibleContent && in_loop;
    let is_careful = has_unknown && in_loop && takes_apart && now.capability != Some(Replay::Forbidden);
    if is_summary || is_careful {
        Action::ReplayExact
    } else {
        action
    }
}

/// Members and types of parts that nobody knows.
fn unknown(wire: Wire, turn: &AssistantTurn) -> Vec<String> {
    let known = known(wire);
    let members = turn.value();
    let members = members.keys().filter(|name| !known.contains(&name.as_str()));
    let other = turn.parts.iter().filter(|part| part.kind == PartKind::Other);
    let types = other.map(|part| {
        let kind = part.raw.get("type").and_then(Value::as_str).unwrap_or("?");
        format!("{}.{kind}", part.member)
    });
    members.cloned().chain(types).collect()
}

/// A message that was put together, read again.
fn again(wire: Wire, message: &Object) -> AssistantTurn {
    match wire {
        Wire::AnthropicMessages => anthropic::assistant(message),
        Wire::GeminiGenerate => gemini::assistant(message),
        _ => chat::assistant(message),
    }
}

const GONE: bool = true;

/// Where a message stands, in the words of the matrix.
pub fn mode_of(place: Place) -> Mode {
    if !place.turn_calls {
        Mode::Ordinary
    } else if place.open {
        Mode::ToolLoop
    } else {
        Mode::NewUserTurn
    }
}

fn pieces(turn: &AssistantTurn) -> usize {
    let reasoning = turn.parts.iter().filter(|part| part.carrier().is_some());
    reasoning.count()
}

/// The message with these fields only; all of them where none is named.
fn only(wire: Wire, turn: &AssistantTurn, decision: &Decision<'_>) -> Option<Object> {
    if decision.fields.is_empty() {
        return Some(turn.value());
    }
    let left = without(turn, &|part| {
        !decision.fields.iter().any(|field| field == part.member)
    });
    sendable(wire, turn, left)
}

/// The message without any reasoning, and without the signatures of its calls and texts.
pub fn without_reasoning(turn: &AssistantTurn) -> Object {
    without(turn, &|_| GONE)
}

fn stripped(wire: Wire, turn: &AssistantTurn) -> Option<Object> {
    sendable(wire, turn, without_reasoning(turn))
}

/// What is left, if it is a message still: a reasoning item goes as a whole, and so does a message that held nothing
/// but reasoning.
fn sendable(wire: Wire, turn: &AssistantTurn, left: Object) -> Option<Object> {
    let is_item = wire == Wire::Responses && turn.parts.iter().any(|part| part.carrier().is_some());
    let is_empty = match wire {
        Wire::AnthropicMessages => !left.contains_key("content"),
        Wire::GeminiGenerate => !left.contains_key("parts"),
        _ => false,
    };
    (!is_item && !is_empty).then_some(left)
}

/// The message without the reasoning for which `gone` holds.
fn without(turn: &AssistantTurn, gone: &dyn Fn(&Part) -> bool) -> Object {
    let kept = turn
        .parts
        .iter()
        .filter(|part| part.carrier().is_none() || !gone(part));
    let kept: Vec<Part> = kept.map(|part| unsigned(part, gone)).collect();
    let mut message = turn.with(&kept);
    // A content string without its think tags, or a list without its thinking chunks, is the visible text.
    let in_content = |part: &Part| {
        let carrier = part.carrier();
        matches!(carrier, Some(Carrier::ThinkTags | Carrier::ThinkingChunk)) && gone(part)
    };
    if turn.parts.iter().any(in_content) {
        message.insert("content".to_owned(), Value::String(turn.text()));
    }
    message
}

/// A visible part without the signature that it bears, where that is gone.
fn unsigned(part: &Part, gone: &dyn Fn(&Part) -> bool) -> Part {
    let mut part = part.clone();
    if part.carrier().is_some() || part.signature.is_none() || !gone(&part) {
        return part;
    }
    if let Value::Object(raw) = &mut part.raw {
        raw.shift_remove("extra_content");
        raw.shift_remove("thoughtSignature");
    }
    part.signature = None;
    part
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::provider::Book;

    /// A message that called a tool, with members as given; its turn is over where the user spoke since.
    fn applied(action: &str, fields: &str, odd: &Value, then: &Value) -> Applied {
        let text = format!(
            "policy_id = 'p'\nfallback_on_unknown = 'stop_and_probe'\n[[rule]]\naction = '{action}'\nfields = [{fields}]"
        );
        let policy = Policy::parse(&text).expect("a policy");
        let endpoint = Book::builtin().find("deepseek-v4").expect("an endpoint");
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let body = json!({"model": "m", "messages": [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": null, "reasoning_content": "t", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "42"}, then]});
        let mut body = body;
        if !odd.is_null() {
            body["messages"][1]["odd"] = odd.clone();
        }
        let history =
            History::read(Wire::ChatCompletions, "", body.as_object().expect("object")).expect("a history");
        apply(&policy, endpoint, &history, body.as_object().expect("object"))
    }

    fn sent(action: &str, fields: &str) -> (Value, Record) {
        let over = json!({"role": "user", "content": "and?"});
        match applied(action, fields, &json!(1), &over) {
            Applied::Send { messages, record } => {
                let message = messages[0].1.clone().expect("a message");
                (Value::Object(message), record)
            }
            Applied::Stop { .. } => panic!("nothing is sent"),
        }
    }

    #[test]
    fn each_action_keeps_calls_and_what_nobody_knows() {
        for (action, fields, reasoning) in [
            ("replay_exact", "", true),
            ("replay_required_fields", "'reasoning_content'", true),
            ("replay_required_fields", "'reasoning'", false),
            ("drop_reasoning", "", false),
            ("summarize_visible_content", "", false),
        ] {
            let (message, record) = sent(action, fields);
            assert_eq!(message.get("reasoning_content").is_some(), reasoning, "{action}");
            assert_eq!(message["tool_calls"][0]["id"], "c", "{action}");
            assert_eq!(message["odd"], 1, "{action}");
            assert_eq!(record.unknown_fields, ["odd"], "{action}");
            assert_eq!(record.actions[0].2, usize::from(!reasoning), "{action}");
        }
    }

    #[test]
    fn a_reset_is_recorded_and_a_probe_sends_nothing() {
        assert_eq!(sent("summarize_visible_content", "").1.resets, [1]);
        let stopped = applied(
            "stop_and_probe",
            "",
            &Value::Null,
            &json!({"role": "user", "content": "and?"}),
        );
        assert!(matches!(stopped, Applied::Stop { .. }));
    }

    /// R5 and R7: what the tool loop needs is never taken apart by a summary, nor by anybody who does not know it.
    #[test]
    fn an_open_call_and_an_unknown_field_in_its_turn_stay_whole() {
        let nothing = json!({"role": "tool", "tool_call_id": "c", "content": "43"});
        for (action, odd, kept) in [
            ("summarize_visible_content", Value::Null, true),
            ("drop_reasoning", json!(1), true),
            ("drop_reasoning", Value::Null, false),
        ] {
            let Applied::Send { messages, record } = applied(action, "", &odd, &nothing) else {
                panic!("nothing is sent");
            };
            let message = messages[0].1.as_ref().expect("a message");
            assert_eq!(message.contains_key("reasoning_content"), kept, "{action} {odd}");
            assert_eq!(record.kept, if kept { vec![1] } else { vec![] }, "{action} {odd}");
            assert_eq!(record.resets, Vec::<usize>::new());
        }
    }

    fn dropped(wire: Wire, profile: &str, path: &str, body: &Value) -> Vec<Value> {
        let policy = Policy::builtin("drop-all").expect("a policy");
        let endpoint = Book::builtin().find(profile).expect("an endpoint");
        let body = body.as_object().expect("an object");
        let history = History::read(wire, path, body).expect("a history");
        match apply(&policy, endpoint, &history, body) {
            Applied::Send { messages, .. } => messages
                .into_iter()
                .map(|(_, message)| message.map_or(Value::Null, Value::Object))
                .collect(),
            Applied::Stop { .. } => panic!("nothing is sent"),
        }
    }

    #[test]
    fn calls_and_texts_stay_on_every_wire() {
        let thinking = json!({"type": "thinking", "thinking": "t", "signature": "s"});
        let call = json!({"type": "tool_use", "id": "c", "name": "f", "input": {}});
        let claude = json!({"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": [thinking, call]},
            {"role": "user", "content": "v"}, {"role": "assistant", "content": [thinking]}]});
        assert_eq!(
            dropped(Wire::AnthropicMessages, "claude-5", "", &claude),
            [json!({"role": "assistant", "content": [call]}), Value::Null]
        );
        let gemini = json!({"contents": [{"parts": [{"text": "u"}]}, {"role": "model", "parts": [
            {"text": "Hm.", "thought": true}, {"functionCall": {"name": "f", "id": "c"}, "thoughtSignature": "s"}]}]});
        let path = "/v1beta/models/gemini-3-pro:generateContent";
        assert_eq!(
            dropped(Wire::GeminiGenerate, "gemini-3", path, &gemini),
            [json!({"role": "model", "parts": [{"functionCall": {"name": "f", "id": "c"}}]})]
        );
        let item = json!({"type": "message", "role": "assistant", "content": "a"});
        let responses = json!({"input": [{"role": "user", "content": "u"}, {"type": "reasoning", "encrypted_content": "e"}, item]});
        assert_eq!(
            dropped(Wire::Responses, "xai-responses", "", &responses),
            [Value::Null, item]
        );
    }
}
