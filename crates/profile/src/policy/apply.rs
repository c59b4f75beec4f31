//! A policy over a history: what is sent, and a record of what was done.
//!
//! The stored history is never touched (R4): what is sent is made anew from it. Calls, their outputs and visible text go
//! back whatever the action is (R7), and what nobody knows goes back and is recorded (R5).

use holdover_wire::neutral::{AssistantTurn, Carrier, History, Part, PartKind, Place};
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
    /// Message by message: its place, the action, and how many pieces of reasoning were left out: thoughts, and the
    /// signatures of calls and texts that went without them.
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

/// Members of a message of the assistant, or of an item, that every client of this wire knows; on Interactions, where a
/// message is our own, the list of its steps.
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
        Wire::GeminiInteractions => &["steps"],
        Wire::Responses => &[
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
        let left = match action {
            Action::StopAndProbe => {
                record.actions.push((message.at, action, 0));
                return Applied::Stop { record };
            }
            Action::ReplayExact => Left::whole(turn),
            Action::ReplayRequiredFields => only(history.wire, turn, &decision),
            Action::DropReasoning => without(turn, &|_| GONE),
            Action::SummarizeVisibleContent => {
                record.resets.push(message.at);
                without(turn, &|_| GONE)
            }
        };
        for name in unknown {
            if !record.unknown_fields.contains(&name) {
                record.unknown_fields.push(name);
            }
        }
        record.actions.push((message.at, action, left.out));
        messages.push((message.at, left.sendable(history.wire)));
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
    // A part of Gemini may be nothing but a signature.
    let is_signature = |part: &Part| {
        let raw = part.raw.as_object();
        raw.is_some_and(|raw| raw.len() == 1 && raw.contains_key("thoughtSignature"))
    };
    let other = turn.parts.iter();
    let other = other.filter(|part| part.kind == PartKind::Other && !is_signature(part));
    let types = other.map(|part| {
        // Where a part has no type, its first member says what it is.
        let named = part.raw.get("type").and_then(Value::as_str);
        let first = || Some(part.raw.as_object()?.keys().next()?.as_str());
        format!("{}.{}", part.member, named.or_else(first).unwrap_or("?"))
    });
    members.cloned().chain(types).collect()
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

/// What is left of a message.
struct Left {
    message: Object,
    /// Pieces of reasoning that are gone.
    out: usize,
}

impl Left {
    fn whole(turn: &AssistantTurn) -> Self {
        Self {
            message: turn.value(),
            out: 0,
        }
    }

    /// What is left, if it is a message still: what held nothing but reasoning goes as a whole, as a reasoning item
    /// does. What was empty before is the client's own matter.
    fn sendable(self, wire: Wire) -> Option<Object> {
        let is_there = |name: &str| self.message.contains_key(name);
        let is_empty = match wire {
            Wire::AnthropicMessages | Wire::BedrockConverse => !is_there("content"),
            Wire::GeminiGenerate => !is_there("parts"),
            Wire::GeminiInteractions => !is_there("steps"),
            // An item is one part.
            Wire::Responses => true,
            Wire::ChatCompletions => says_nothing(&self.message),
        };
        (self.out == 0 || !is_empty).then_some(self.message)
    }
}

/// Whether a message of chat completions has neither content nor calls, nor anything that nobody knows.
fn says_nothing(message: &Object) -> bool {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    let mut members = message.iter();
    members.all(|(name, value)| matches!(name.as_str(), "role" | "name" | "id") || is_empty(value))
}

/// The message with the reasoning of these members only; all of it where none is named.
fn only(wire: Wire, turn: &AssistantTurn, decision: &Decision<'_>) -> Left {
    if decision.fields.is_empty() {
        return Left::whole(turn);
    }
    let member = |part: &Part| match wire {
        Wire::Responses | Wire::GeminiInteractions => "input",
        Wire::ChatCompletions | Wire::AnthropicMessages | Wire::BedrockConverse | Wire::GeminiGenerate => {
            part.member
        }
    };
    without(turn, &|part| {
        !decision.fields.iter().any(|field| field == member(part))
    })
}

/// The message without any reasoning, and without the signatures of its calls and texts.
pub fn without_reasoning(turn: &AssistantTurn) -> Object {
    without(turn, &|_| GONE).message
}

/// The message without the reasoning for which `gone` holds.
fn without(turn: &AssistantTurn, gone: &dyn Fn(&Part) -> bool) -> Left {
    let holds = |part: &Part| (part.carrier().is_some() || part.signature.is_some()) && gone(part);
    let out = turn.parts.iter().filter(|part| holds(part)).count();
    let kept = turn
        .parts
        .iter()
        .filter(|part| part.carrier().is_none() || !gone(part));
    let kept = kept.map(|part| unsigned(part, gone));
    // A part that was nothing but a signature is gone with it.
    let kept: Vec<Part> = kept
        .filter(|part| part.raw.as_object().is_none_or(|raw| !raw.is_empty()))
        .collect();
    let mut message = turn.with(&kept);
    // A content string without its think tags, or a list without its thinking chunks, is the visible text.
    let in_content = |part: &Part| {
        let carrier = part.carrier();
        matches!(carrier, Some(Carrier::ThinkTags | Carrier::ThinkingChunk)) && gone(part)
    };
    if turn.parts.iter().any(in_content) {
        message.insert("content".to_owned(), Value::String(turn.text()));
    }
    Left { message, out }
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
        // A step bears it under the name that it has in a thought.
        if part.member == "steps" {
            raw.shift_remove("signature");
        }
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

    /// What is sent of the messages of the assistant, and how much was left out of each.
    fn under(
        policy: &Policy,
        (wire, profile, path): (Wire, &str, &str),
        body: &Value,
    ) -> Vec<(Value, usize)> {
        let endpoint = Book::builtin().find(profile).expect("an endpoint");
        let body = body.as_object().expect("an object");
        let history = History::read(wire, path, body).expect("a history");
        let Applied::Send { messages, record } = apply(policy, endpoint, &history, body) else {
            panic!("nothing is sent");
        };
        assert_eq!(record.unknown_fields, [""; 0], "{profile}");
        let sent = messages
            .into_iter()
            .map(|(_, message)| message.map_or(Value::Null, Value::Object));
        sent.zip(record.actions.iter().map(|(_, _, out)| *out)).collect()
    }

    /// One request of a wire: its messages of the assistant, and what is left of each without reasoning.
    struct Spoken {
        at: (Wire, &'static str, &'static str),
        body: Value,
        whole: Vec<Value>,
        left: Vec<(Value, usize)>,
        /// The member in which a policy names the reasoning.
        field: &'static str,
    }

    /// The user asks, the model thinks and calls, and later has thought and said nothing.
    fn spoken() -> Vec<Spoken> {
        let mut all = Vec::new();
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let whole = vec![
            json!({"role": "assistant", "content": null, "reasoning_content": "t", "tool_calls": [call]}),
            json!({"role": "assistant", "content": "", "reasoning_content": "t"}),
            json!({"role": "assistant", "content": ""}),
        ];
        let user = json!({"role": "user", "content": "u"});
        all.push(Spoken {
            at: (Wire::ChatCompletions, "deepseek-v4", ""),
            body: json!({"model": "m", "messages": [user, whole[0], user, whole[1], user, whole[2]]}),
            left: vec![
                (
                    json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                    1,
                ),
                (Value::Null, 1),
                (whole[2].clone(), 0),
            ],
            whole,
            field: "reasoning_content",
        });
        let thinking = json!({"type": "thinking", "thinking": "t", "signature": "s"});
        let hidden = json!({"type": "redacted_thinking", "data": "d"});
        let call = json!({"type": "tool_use", "id": "c", "name": "f", "input": {}});
        let whole = vec![
            json!({"role": "assistant", "content": [thinking, hidden, call]}),
            json!({"role": "assistant", "content": [thinking]}),
        ];
        all.push(Spoken {
            at: (Wire::AnthropicMessages, "claude-5", ""),
            body: json!({"messages": [user, whole[0], user, whole[1]]}),
            left: vec![
                (json!({"role": "assistant", "content": [call]}), 2),
                (Value::Null, 1),
            ],
            whole,
            field: "content",
        });
        let thinking = json!({"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}});
        let call = json!({"toolUse": {"toolUseId": "c", "name": "f", "input": {}}});
        let user = json!({"role": "user", "content": [{"text": "u"}]});
        let whole = vec![
            json!({"role": "assistant", "content": [thinking, call]}),
            json!({"role": "assistant", "content": [thinking]}),
        ];
        all.push(Spoken {
            at: (Wire::BedrockConverse, "bedrock-claude", "/model/m/converse"),
            body: json!({"messages": [user, whole[0], user, whole[1]]}),
            left: vec![
                (json!({"role": "assistant", "content": [call]}), 1),
                (Value::Null, 1),
            ],
            whole,
            field: "content",
        });
        let user = json!({"role": "user", "parts": [{"text": "u"}]});
        let whole = vec![
            json!({"role": "model", "parts": [{"text": "Hm.", "thought": true},
                {"functionCall": {"name": "f", "id": "c"}, "thoughtSignature": "s"}, {"thoughtSignature": "s"}]}),
            json!({"role": "model", "parts": [{"text": "Hm.", "thought": true}]}),
        ];
        let called = json!({"role": "model", "parts": [{"functionCall": {"name": "f", "id": "c"}}]});
        all.push(Spoken {
            at: (
                Wire::GeminiGenerate,
                "gemini-3",
                "/v1beta/models/gemini-3-pro:generateContent",
            ),
            body: json!({"contents": [user, whole[0], user, whole[1]]}),
            left: vec![(called, 3), (Value::Null, 1)],
            whole,
            field: "parts",
        });
        let user = json!({"type": "user_input", "content": [{"type": "text", "text": "u"}]});
        let thought = json!({"type": "thought", "signature": "s"});
        let call = json!({"type": "function_call", "id": "c", "name": "f", "arguments": {}});
        let mut signed = call.clone();
        signed["signature"] = json!("s");
        all.push(Spoken {
            at: (Wire::GeminiInteractions, "gemini-interactions", ""),
            body: json!({"model": "m", "input": [user, thought, signed, user, thought]}),
            left: vec![(json!({"steps": [call]}), 2), (Value::Null, 1)],
            whole: vec![json!({"steps": [thought, signed]}), json!({"steps": [thought]})],
            field: "input",
        });
        let whole = vec![
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}),
            json!({"type": "message", "role": "assistant", "content": "a"}),
        ];
        all.push(Spoken {
            at: (Wire::Responses, "xai-responses", ""),
            body: json!({"input": [{"role": "user", "content": "u"}, whole[0], whole[1]]}),
            left: vec![(Value::Null, 1), (whole[1].clone(), 0)],
            whole,
            field: "input",
        });
        all
    }

    #[test]
    fn every_wire_keeps_calls_and_texts_and_tells_what_is_gone() {
        let drop_all = Policy::builtin("drop-all").expect("a policy");
        for spoken in spoken() {
            assert_eq!(
                under(&drop_all, spoken.at, &spoken.body),
                spoken.left,
                "{:?}",
                spoken.at
            );
        }
    }

    #[test]
    fn on_every_wire_what_is_sent_back_whole_lacks_nothing() {
        let policy = |rule: &str| {
            let text = format!("policy_id = 'p'\nfallback_on_unknown = 'stop_and_probe'\n[[rule]]\n{rule}");
            Policy::parse(&text).expect("a policy")
        };
        for spoken in spoken() {
            let whole: Vec<(Value, usize)> = spoken.whole.iter().map(|whole| (whole.clone(), 0)).collect();
            let exact = policy("action = 'replay_exact'");
            assert_eq!(under(&exact, spoken.at, &spoken.body), whole, "{:?}", spoken.at);
            let required =
                |fields: &str| policy(&format!("action = 'replay_required_fields'\nfields = [{fields}]"));
            let named = required(&format!("'{}'", spoken.field));
            assert_eq!(under(&named, spoken.at, &spoken.body), whole, "{:?}", spoken.at);
            let other = required("'another'");
            assert_eq!(
                under(&other, spoken.at, &spoken.body),
                spoken.left,
                "{:?}",
                spoken.at
            );
        }
    }
}
