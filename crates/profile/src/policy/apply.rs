//! A policy over a history: what is sent, and a record of what was done.
//!
//! The stored history is never touched (R4): what is sent is made anew from it. Calls, their outputs and visible text go
//! back whatever the action is (R7), and what nobody knows goes back and is recorded (R5).

use holdover_wire::Object;
use holdover_wire::neutral::{AssistantTurn, History, Part, Place};
use serde_json::Value;

use crate::policy::file::{Decision, Policy};
use crate::provider::{Action, Endpoint, Mode};

/// What a policy made of a history.
#[derive(Clone, Debug, PartialEq)]
pub enum Applied {
    /// This is sent: the messages of the wire, in order.
    Send {
        /// Messages of the assistant as they are sent, with their place in the list of the wire.
        messages: Vec<(usize, Object)>,
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
    /// Members of messages that the neutral form does not know, each once, in order.
    pub unknown_fields: Vec<String>,
    /// Messages that were put together anew: old reasoning is gone for good.
    pub resets: Vec<usize>,
}

/// Members of a message of the assistant that every client of this wire knows.
const KNOWN: [&str; 9] = [
    "role",
    "content",
    "name",
    "refusal",
    "tool_calls",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "id",
];

/// Applies a policy to a history that is about to be sent.
pub fn apply(policy: &Policy, endpoint: &Endpoint, history: &History) -> Applied {
    let mut record = Record {
        policy_id: policy.policy_id.clone(),
        profile: endpoint.name.clone(),
        ..Record::default()
    };
    let mut messages = Vec::new();
    for (message, turn, place) in history.assistant() {
        let decision = policy.decide(endpoint, mode_of(place));
        let sent = match decision.action {
            Action::StopAndProbe => {
                record.actions.push((message.at, decision.action, 0));
                return Applied::Stop { record };
            }
            Action::ReplayExact => turn.value(),
            Action::ReplayRequiredFields => only(turn, &decision),
            Action::DropReasoning => without_reasoning(turn),
            Action::SummarizeVisibleContent => {
                record.resets.push(message.at);
                without_reasoning(turn)
            }
        };
        for name in sent.keys().filter(|name| !KNOWN.contains(&name.as_str())) {
            if !record.unknown_fields.contains(name) {
                record.unknown_fields.push(name.clone());
            }
        }
        let left_out = pieces(turn) - pieces(&holdover_wire::neutral::chat::assistant(&sent));
        record.actions.push((message.at, decision.action, left_out));
        messages.push((message.at, sent));
    }
    Applied::Send { messages, record }
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
fn only(turn: &AssistantTurn, decision: &Decision<'_>) -> Object {
    if decision.fields.is_empty() {
        return turn.value();
    }
    without(turn, &|part| {
        !decision.fields.iter().any(|field| field == part.member)
    })
}

/// The message without any reasoning, and without the signatures of its calls.
pub fn without_reasoning(turn: &AssistantTurn) -> Object {
    without(turn, &|_| GONE)
}

/// The message without the reasoning for which `gone` holds.
fn without(turn: &AssistantTurn, gone: &dyn Fn(&Part) -> bool) -> Object {
    let mut message = turn.value();
    let is_gone = |part: &&Part| part.carrier().is_some() && gone(part);
    for part in turn.parts.iter().filter(is_gone) {
        if part.member == "content" {
            let text = turn.text();
            message.insert("content".to_owned(), Value::String(text));
        } else {
            message.shift_remove(part.member);
        }
    }
    let unsigned = turn
        .parts
        .iter()
        .any(|part| part.call().is_some() && part.signature.is_some() && gone(part));
    if let (true, Some(Value::Array(calls))) = (unsigned, message.get_mut("tool_calls")) {
        for call in calls.iter_mut().filter_map(Value::as_object_mut) {
            call.shift_remove("extra_content");
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use holdover_wire::Wire;
    use serde_json::json;

    use super::*;
    use crate::provider::Book;

    fn applied(action: &str, fields: &str) -> Applied {
        let text = format!(
            "policy_id = 'p'\nfallback_on_unknown = 'stop_and_probe'\n[[rule]]\naction = '{action}'\nfields = [{fields}]"
        );
        let policy = Policy::parse(&text).expect("a policy");
        let endpoint = Book::builtin().find("deepseek-v4").expect("an endpoint");
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let body = json!({"model": "m", "messages": [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": null, "reasoning_content": "t", "odd": 1, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "42"}]});
        let history =
            History::read(Wire::ChatCompletions, "", body.as_object().expect("object")).expect("a history");
        apply(&policy, endpoint, &history)
    }

    fn sent(action: &str, fields: &str) -> (Value, Record) {
        match applied(action, fields) {
            Applied::Send { messages, record } => (Value::Object(messages[0].1.clone()), record),
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
        assert!(matches!(applied("stop_and_probe", ""), Applied::Stop { .. }));
    }
}
