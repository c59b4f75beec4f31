//! The message as the chunks of a stream (`tests/facts/providers.md` section 15.1).

use std::time::Duration;

use holdover_profile::provider::endpoint::Done;
use holdover_wire::neutral::Carrier;
use holdover_wire::{End, Event, Object, Plan, PlanBody, Step};
use serde_json::{Value, json};

use super::document::envelope;
use super::message::{ENCRYPTED, Spoken, detail, signs_calls};
use crate::ask::Ask;
use crate::wires::Pen;
use crate::wires::pieces::pieces;

/// The stream.
pub(super) fn stream(ask: &Ask, spoken: &Spoken, finish: &str, usage: &Object, pen: &Pen<'_>) -> Plan {
    let mut deltas = vec![opening(ask)];
    deltas.extend(thoughts(ask, spoken));
    deltas.extend(pieces(&spoken.text).map(|piece| visible(ask, piece)));
    deltas.extend(calls(ask, spoken));
    let envelope = envelope(ask, pen, "chat.completion.chunk");
    let chunk = |choices: Value| {
        let mut chunk = envelope.clone();
        chunk.insert("choices".to_owned(), choices);
        chunk
    };
    let choice = |delta: Value, finish: Value| json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
    let deltas = deltas.into_iter();
    let mut chunks: Vec<Object> = deltas.map(|delta| chunk(choice(delta, Value::Null))).collect();
    let mut last = chunk(choice(closing(ask), finish.into()));
    let usage = Value::Object(usage.clone());
    if ask.usage_apart {
        chunks.push(last);
        last = chunk(json!([]));
    }
    last.insert("usage".to_owned(), usage);
    chunks.push(last);
    let mut steps: Vec<Step> = chunks.into_iter().map(framed).collect();
    if ask.endpoint.speech.done == Done::Sent {
        steps.push(Step::Raw(b"data: [DONE]\n\n".to_vec()));
    }
    Plan {
        wait: Duration::ZERO,
        status: 200,
        headers: vec![(
            "content-type".to_owned(),
            "text/event-stream; charset=utf-8".to_owned(),
        )],
        body: PlanBody::Stream(steps),
        end: End::Complete,
    }
}

/// A chunk has no name, so its frame is its data alone.
fn framed(chunk: Object) -> Step {
    let event = Event::new(chunk);
    let mut bytes = b"data: ".to_vec();
    // A JSON value has string keys only, so writing it into memory cannot fail.
    let _ = serde_json::to_writer(&mut bytes, &event);
    bytes.extend_from_slice(b"\n\n");
    Step::Framed(event, bytes)
}

fn opening(ask: &Ask) -> Value {
    match ask.endpoint.speech.writes {
        Some(Carrier::ReasoningContent) => {
            json!({"role": "assistant", "content": null, "reasoning_content": ""})
        }
        _ => json!({"role": "assistant", "content": ""}),
    }
}

fn closing(ask: &Ask) -> Value {
    match ask.endpoint.speech.writes {
        Some(Carrier::ReasoningContent) => json!({"content": "", "reasoning_content": null}),
        _ => json!({}),
    }
}

fn visible(ask: &Ask, piece: &str) -> Value {
    match ask.endpoint.speech.writes {
        Some(Carrier::ReasoningContent) => json!({"content": piece, "reasoning_content": null}),
        _ => json!({"content": piece}),
    }
}

fn thoughts(ask: &Ask, spoken: &Spoken) -> Vec<Value> {
    if spoken.thought.is_empty() {
        return Vec::new();
    }
    let all = pieces(&spoken.thought);
    match ask.endpoint.speech.writes {
        Some(Carrier::ReasoningContent) => all
            .map(|piece| json!({"content": null, "reasoning_content": piece}))
            .collect(),
        Some(Carrier::Reasoning) => all.map(|piece| json!({"reasoning": piece})).collect(),
        Some(Carrier::ReasoningDetails) => details(ask, spoken),
        Some(Carrier::ThinkTags) => pieces(&spoken.tagged())
            .map(|piece| json!({"content": piece}))
            .collect(),
        Some(Carrier::ThinkingChunk) => all
            .map(|piece| json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]}))
            .collect(),
        // Its signature comes with the call, or it stays inside.
        _ => Vec::new(),
    }
}

/// Fragments of one entry, merged by `index`; the signature comes after the text (`tests/facts/providers.md` section 4).
fn details(ask: &Ask, spoken: &Spoken) -> Vec<Value> {
    let speech = &ask.endpoint.speech;
    let plain = speech.also_writes.contains(&Carrier::Reasoning);
    let encrypted = speech.details_type == ENCRYPTED;
    let mut deltas: Vec<Value> = pieces(&spoken.thought)
        .map(|piece| {
            let mut delta = Object::new();
            if plain {
                delta.insert("reasoning".to_owned(), piece.into());
            }
            if !encrypted {
                delta.insert("reasoning_details".to_owned(), json!([detail(ask, piece, None)]));
            }
            Value::Object(delta)
        })
        .collect();
    if spoken.signature.is_some() {
        let entry = detail(ask, "", spoken.signature.as_deref());
        deltas.push(json!({"reasoning_details": [entry]}));
    }
    deltas
}

fn calls(ask: &Ask, spoken: &Spoken) -> Vec<Value> {
    if signs_calls(ask) {
        let calls = spoken.calls.iter();
        return calls.map(|call| json!({"tool_calls": [call]})).collect();
    }
    let mut deltas = Vec::new();
    for (index, call) in spoken.calls.iter().enumerate() {
        let arguments = call.pointer("/function/arguments").and_then(Value::as_str);
        let arguments = arguments.unwrap_or("");
        let mut head = call.clone();
        if let Value::Object(head) = &mut head {
            head.insert("index".to_owned(), index.into());
            if let Some(place) = head
                .get_mut("function")
                .and_then(|function| function.get_mut("arguments"))
            {
                *place = "".into();
            }
        }
        deltas.push(json!({"tool_calls": [head]}));
        let rest = pieces(arguments);
        deltas.extend(
            rest.map(|piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})),
        );
    }
    deltas
}
