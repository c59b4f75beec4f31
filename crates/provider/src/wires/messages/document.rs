//! Envelope, usage, and the choice between a document and a stream.

use holdover_wire::neutral::Delivery;
use holdover_wire::{Object, Plan};
use serde_json::{Value, json};

use super::content::Content;
use super::stream;
use crate::ask::Ask;
use crate::fill;
use crate::notes::Wants;
use crate::said::{Finish, Said};
use crate::wires::Pen;

/// The answer.
pub(crate) fn answer(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Plan {
    let id = fill::id(&ask.endpoint.speech.id, pen.key, "answer", &[]);
    let declined = Said::default();
    let said = if ask.notes.declined.is_some() {
        &declined
    } else {
        said
    };
    let content = match ask.notes.wants {
        Wants::Answer => Content::new(ask, said, pen, &id),
        Wants::Summary => Content::summary(ask, pen),
    };
    let mut message = envelope(ask, &id);
    let ends = ends(ask, said);
    let usage = usage(ask, &content, pen);
    if ask.history.delivery == Delivery::Stream {
        return stream::stream(&message, &content, &ends, &usage, ask);
    }
    message.insert("content".to_owned(), Value::Array(content.blocks));
    message.extend(ends);
    message.insert("usage".to_owned(), Value::Object(usage));
    message.extend(ask.notes.context_management().map(named));
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    Plan::json(200, headers, Value::Object(message))
}

/// `context_management` under its name.
pub(super) fn named(applied: Value) -> (String, Value) {
    ("context_management".to_owned(), applied)
}

/// The members that document and `message_start` share.
fn envelope(ask: &Ask, id: &str) -> Object {
    let mut message = Object::new();
    message.insert("id".to_owned(), id.into());
    message.insert("type".to_owned(), "message".into());
    message.insert("role".to_owned(), "assistant".into());
    message.insert("model".to_owned(), ask.history.model.clone().into());
    message.insert("content".to_owned(), json!([]));
    message.insert("stop_reason".to_owned(), Value::Null);
    message.insert("stop_sequence".to_owned(), Value::Null);
    message.insert("usage".to_owned(), Value::Null);
    if let Some(transformations) = &ask.notes.transformations {
        message.insert("input_transformations".to_owned(), transformations.clone().into());
    }
    message
}

/// Why the answer ends.
fn ends(ask: &Ask, said: &Said) -> Object {
    let mut ends = Object::new();
    let reason = match said.finish {
        _ if ask.notes.declined.is_some() => "refusal",
        _ if ask.notes.wants == Wants::Summary => "compaction",
        Finish::Length => "max_tokens",
        Finish::Done if said.calls() => "tool_use",
        Finish::Done => "end_turn",
    };
    ends.insert("stop_reason".to_owned(), reason.into());
    ends.insert("stop_sequence".to_owned(), Value::Null);
    if let Some(category) = &ask.notes.declined {
        ends.insert(
            "stop_details".to_owned(),
            json!({"type": "refusal", "category": category}),
        );
    }
    ends
}

/// Members of `tests/facts/providers.md` section 1.5.
fn usage(ask: &Ask, content: &Content, pen: &Pen<'_>) -> Object {
    let texts: u64 = ask.billed.iter().map(|text| (pen.count)(text)).sum();
    let usage = json!({
        "input_tokens": texts + ask.billed_unseen,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": content.tokens,
        "output_tokens_details": {"thinking_tokens": content.thinking_tokens},
        "service_tier": "standard",
    });
    match usage {
        Value::Object(usage) => usage,
        _ => Object::new(),
    }
}
