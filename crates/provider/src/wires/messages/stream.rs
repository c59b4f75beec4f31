//! The message as events (`tests/facts/providers.md` section 15.2).

use holdover_wire::{Event, Object, Plan};
use serde_json::{Value, json};

use super::content::Content;
use super::document::named;
use crate::ask::Ask;
use crate::wires::pieces::pieces;

/// The stream.
pub(super) fn stream(message: &Object, content: &Content, ends: &Object, usage: &Object, ask: &Ask) -> Plan {
    let mut begun = usage.clone();
    begun.insert("output_tokens".to_owned(), 1.into());
    begun.remove("output_tokens_details");
    let mut message = message.clone();
    message.insert("usage".to_owned(), Value::Object(begun));
    let mut events = vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "ping"}),
    ];
    for (index, block) in content.blocks.iter().enumerate() {
        events.extend(block_events(index, block));
    }
    let mut last = Object::new();
    last.insert("type".to_owned(), "message_delta".into());
    last.insert("delta".to_owned(), Value::Object(ends.clone()));
    last.insert("usage".to_owned(), Value::Object(usage.clone()));
    last.extend(ask.notes.context_management().map(named));
    events.push(Value::Object(last));
    events.push(json!({"type": "message_stop"}));
    let headers = vec![(
        "content-type".to_owned(),
        "text/event-stream; charset=utf-8".to_owned(),
    )];
    let events = events.into_iter().filter_map(|event| match event {
        Value::Object(event) => Some(Event::new(event)),
        _ => None,
    });
    Plan::stream(headers, events.collect())
}

/// One block: it starts empty, its text comes in pieces, and a signature is one delta, the last.
fn block_events(index: usize, block: &Value) -> Vec<Value> {
    let mut start = block.clone();
    let mut deltas = Vec::new();
    let mut empty = |name: &str, empty: Value| {
        let place = start.get_mut(name)?;
        Some(std::mem::replace(place, empty))
    };
    for (name, delta) in [("thinking", "thinking_delta"), ("text", "text_delta")] {
        if let Some(Value::String(text)) = empty(name, "".into()) {
            deltas.extend(pieces(&text).map(|piece| json!({"type": delta, name: piece})));
        }
    }
    if let Some(content) = empty("content", Value::Null) {
        deltas.push(json!({"type": "compaction_delta", "content": content}));
    }
    if let Some(signature) = empty("signature", "".into()) {
        deltas.push(json!({"type": "signature_delta", "signature": signature}));
    }
    if let Some(input) = empty("input", json!({})) {
        let input = input.to_string();
        deltas.extend(pieces(&input).map(|piece| json!({"type": "input_json_delta", "partial_json": piece})));
    }
    let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": start})];
    let deltas = deltas.into_iter();
    events.extend(deltas.map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})));
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}
