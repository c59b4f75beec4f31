//! The interaction as events (`tests/facts/providers.md` section 15.4); the last line is `[DONE]`.

use std::time::Duration;

use holdover_wire::{End, Event, Object, Plan, PlanBody, Step};
use serde_json::{Value, json};

use crate::wires::pieces::pieces;

/// The stream.
pub(super) fn stream(document: &Object, steps: &[Value], status: &str, usage: &Value) -> Plan {
    let interaction = |status: &str| {
        let mut interaction = document.clone();
        interaction.insert("status".to_owned(), status.into());
        interaction
    };
    let begun = interaction("in_progress");
    let mut events = vec![json!({"event_type": "interaction.created", "interaction": begun})];
    for (index, step) in steps.iter().enumerate() {
        events.push(json!({"event_type": "step.start", "index": index, "step": start(step)}));
        let deltas = deltas(step).into_iter();
        events
            .extend(deltas.map(|delta| json!({"event_type": "step.delta", "index": index, "delta": delta})));
        events.push(json!({"event_type": "step.stop", "index": index}));
    }
    let id = &document["id"];
    events.push(json!({"event_type": "interaction.status_update", "interaction_id": id, "status": status}));
    let mut last = interaction(status);
    last.insert("usage".to_owned(), usage.clone());
    events.push(json!({"event_type": "interaction.completed", "interaction": last}));
    let mut framed: Vec<Step> = events.into_iter().filter_map(step).collect();
    framed.push(Step::Raw(b"event: done\ndata: [DONE]\n\n".to_vec()));
    let kind = "text/event-stream".to_owned();
    Plan {
        wait: Duration::ZERO,
        status: 200,
        headers: vec![("content-type".to_owned(), kind)],
        body: PlanBody::Stream(framed),
        end: End::Complete,
    }
}

/// A step before its pieces.
fn start(step: &Value) -> Value {
    match step["type"].as_str() {
        Some("function_call") => {
            json!({"type": "function_call", "id": step["id"], "name": step["name"], "arguments": {}})
        }
        _ => json!({"type": step["type"]}),
    }
}

/// The pieces of a step; a signature is one piece, the last.
fn deltas(step: &Value) -> Vec<Value> {
    match step["type"].as_str() {
        Some("thought") => {
            let texts = pieces(step["summary"][0]["text"].as_str().unwrap_or(""))
                .map(|text| json!({"type": "thought_summary", "content": {"type": "text", "text": text}}));
            let signature = json!({"type": "thought_signature", "signature": step["signature"]});
            texts.chain([signature]).collect()
        }
        Some("function_call") => {
            let arguments = step["arguments"].to_string();
            pieces(&arguments)
                .map(|piece| json!({"type": "arguments_delta", "arguments": piece}))
                .collect()
        }
        _ => {
            let texts = pieces(step["content"][0]["text"].as_str().unwrap_or(""));
            texts
                .map(|piece| json!({"type": "text", "text": piece}))
                .collect()
        }
    }
}

/// One event, named by its `event_type`.
fn step(event: Value) -> Option<Step> {
    let Value::Object(event) = event else { return None };
    let name = event.get("event_type").and_then(Value::as_str).unwrap_or("");
    let mut bytes = format!("event: {name}\ndata: ").into_bytes();
    let event = Event::new(event.clone());
    // A JSON value has string keys only, so writing it into memory cannot fail.
    let _ = serde_json::to_writer(&mut bytes, &event);
    bytes.extend_from_slice(b"\n\n");
    Some(Step::Framed(event, bytes))
}
