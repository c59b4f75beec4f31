//! Envelope, usage, and the choice between a document and a stream.

use holdover_wire::neutral::Delivery;
use holdover_wire::{Object, Plan};
use serde_json::{Value, json};

use super::chunks;
use super::message::Spoken;
use crate::ask::Ask;
use crate::fill;
use crate::said::{Finish, Said};
use crate::wires::Pen;

/// The answer.
pub(crate) fn answer(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Plan {
    let spoken = Spoken::new(ask, said, pen);
    let finish = finish(said);
    let usage = usage(ask, &spoken, pen);
    match ask.history.delivery {
        Delivery::Stream => chunks::stream(ask, &spoken, finish, &usage, pen),
        Delivery::Whole => {
            let mut body = envelope(ask, pen, "chat.completion");
            let choice = json!({"index": 0, "message": spoken.message(ask), "logprobs": null, "finish_reason": finish});
            body.insert("choices".to_owned(), json!([choice]));
            body.insert("usage".to_owned(), Value::Object(usage));
            let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
            Plan::json(200, headers, Value::Object(body))
        }
    }
}

/// The members that document and chunks share.
pub(super) fn envelope(ask: &Ask, pen: &Pen<'_>, object: &str) -> Object {
    let mut body = Object::new();
    let id = fill::id(&ask.endpoint.speech.id, pen.key, "answer", &[]);
    body.insert("id".to_owned(), id.into());
    body.insert("object".to_owned(), object.into());
    body.insert("created".to_owned(), pen.second.into());
    body.insert("model".to_owned(), ask.history.model.clone().into());
    body
}

fn finish(said: &Said) -> &'static str {
    match said.finish {
        Finish::Length => "length",
        Finish::Done if said.calls() => "tool_calls",
        Finish::Done => "stop",
    }
}

fn usage(ask: &Ask, spoken: &Spoken, pen: &Pen<'_>) -> Object {
    let prompt: u64 = ask.billed.iter().map(|text| (pen.count)(text)).sum();
    let total = prompt + spoken.tokens;
    let common = json!({
        "prompt_tokens": prompt,
        "completion_tokens": spoken.tokens,
        "total_tokens": total,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": spoken.reasoning_tokens},
        "uncached": prompt,
    });
    let further = ask.endpoint.speech.usage.iter();
    let further: Vec<(String, Value)> = further
        .map(|(name, pointer)| (name.clone(), common.pointer(pointer).cloned().unwrap_or_default()))
        .collect();
    let Value::Object(mut usage) = common else {
        return Object::new();
    };
    usage.remove("uncached");
    usage.extend(further);
    usage
}
