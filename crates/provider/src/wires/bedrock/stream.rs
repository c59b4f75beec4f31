//! The message as frames of an event stream. Text and reasoning have no event that starts them.

use std::time::Duration;

use holdover_wire::{End, Event, Object, Plan, PlanBody, Step, event_stream};
use serde_json::{Value, json};

use crate::wires::pieces::pieces;

/// The stream.
pub(super) fn stream(blocks: &[Value], stop: &str, usage: &Value, metrics: &Value) -> Plan {
    let mut steps = vec![framed("messageStart", json!({"role": "assistant"}))];
    for (index, block) in blocks.iter().enumerate() {
        if let Some(call) = block.get("toolUse") {
            let start = json!({"toolUse": {"toolUseId": call["toolUseId"], "name": call["name"]}});
            steps.push(framed(
                "contentBlockStart",
                json!({"start": start, "contentBlockIndex": index}),
            ));
        }
        let deltas = deltas(block).into_iter();
        steps.extend(deltas.map(|delta| {
            framed(
                "contentBlockDelta",
                json!({"delta": delta, "contentBlockIndex": index}),
            )
        }));
        steps.push(framed("contentBlockStop", json!({"contentBlockIndex": index})));
    }
    steps.push(framed("messageStop", json!({"stopReason": stop})));
    steps.push(framed("metadata", json!({"usage": usage, "metrics": metrics})));
    let kind = event_stream::CONTENT_TYPE.to_owned();
    Plan {
        wait: Duration::ZERO,
        status: 200,
        headers: vec![("content-type".to_owned(), kind)],
        body: PlanBody::Stream(steps),
        end: End::Complete,
    }
}

/// The pieces of a block; a signature is one piece, the last.
fn deltas(block: &Value) -> Vec<Value> {
    let reasoning = &block["reasoningContent"];
    if let Some(blob) = reasoning.get("redactedContent") {
        return vec![json!({"reasoningContent": {"redactedContent": blob}})];
    }
    if let Some(inner) = reasoning.get("reasoningText") {
        let texts = pieces(inner["text"].as_str().unwrap_or(""));
        let texts = texts.map(|piece| json!({"reasoningContent": {"text": piece}}));
        let signature = inner.get("signature");
        let signature = signature.map(|signature| json!({"reasoningContent": {"signature": signature}}));
        return texts.chain(signature).collect();
    }
    if let Some(call) = block.get("toolUse") {
        let input = call["input"].to_string();
        return pieces(&input)
            .map(|piece| json!({"toolUse": {"input": piece}}))
            .collect();
    }
    let texts = pieces(block["text"].as_str().unwrap_or(""));
    texts.map(|piece| json!({"text": piece})).collect()
}

/// One event.
fn framed(kind: &str, payload: Value) -> Step {
    let event: Object = [(kind.to_owned(), payload)].into_iter().collect();
    let event = Event::new(event);
    // The payload is an object, so there is a frame for it.
    let bytes = event_stream::event(&event).unwrap_or_default();
    Step::Framed(event, bytes)
}
