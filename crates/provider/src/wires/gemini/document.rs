//! Envelope, usage, and the choice between a document, events and a list of documents.

use std::time::Duration;

use holdover_wire::neutral::Delivery;
use holdover_wire::{End, Event, Object, Plan, PlanBody, Step};
use serde_json::{Value, json};

use super::parts::Parts;
use crate::ask::{Ask, Framing};
use crate::fill;
use crate::said::{Finish, Said};
use crate::wires::Pen;

/// The answer.
pub(crate) fn answer(ask: &Ask, said: &Said, pen: &Pen<'_>) -> Plan {
    let parts = Parts::new(ask, said, pen);
    let usage = usage(ask, &parts, pen);
    let finish = match said.finish {
        Finish::Length => "MAX_TOKENS",
        Finish::Done => "STOP",
    };
    let id = fill::id(&ask.endpoint.speech.id, pen.key, "answer", &[]);
    let document = |parts: Vec<Value>, finish: Option<&str>| {
        let mut candidate = json!({"content": {"parts": parts, "role": "model"}});
        if let (Value::Object(candidate), Some(finish)) = (&mut candidate, finish) {
            candidate.insert("finishReason".to_owned(), finish.into());
        }
        if let Value::Object(candidate) = &mut candidate {
            candidate.insert("index".to_owned(), 0.into());
        }
        let mut document = Object::new();
        document.insert("candidates".to_owned(), json!([candidate]));
        document.insert("usageMetadata".to_owned(), usage.clone());
        document.insert("modelVersion".to_owned(), ask.history.model.clone().into());
        document.insert("responseId".to_owned(), id.clone().into());
        document
    };
    if ask.history.delivery == Delivery::Whole {
        return json_plan(Value::Object(document(parts.list, Some(finish))));
    }
    let mut rest = parts.list;
    // A call is never split, and what comes last says why the answer ends.
    let last = match rest.last() {
        Some(part) if part.get("text") == Some(&"".into()) => rest.pop().into_iter().collect(),
        _ => vec![json!({"text": ""})],
    };
    let mut documents: Vec<Object> = rest.into_iter().map(|part| document(vec![part], None)).collect();
    documents.push(document(last, Some(finish)));
    match ask.framing {
        Framing::List => json_plan(documents.into_iter().map(Value::Object).collect()),
        Framing::Events => Plan {
            wait: Duration::ZERO,
            status: 200,
            headers: vec![("content-type".to_owned(), "text/event-stream".to_owned())],
            body: PlanBody::Stream(documents.into_iter().map(framed).collect()),
            end: End::Complete,
        },
    }
}

fn json_plan(body: Value) -> Plan {
    let kind = "application/json; charset=UTF-8".to_owned();
    Plan::json(200, vec![("content-type".to_owned(), kind)], body)
}

/// Events have no name, and lines end in CRLF.
fn framed(document: Object) -> Step {
    let event = Event::new(document);
    let mut bytes = b"data: ".to_vec();
    // A JSON value has string keys only, so writing it into memory cannot fail.
    let _ = serde_json::to_writer(&mut bytes, &event);
    bytes.extend_from_slice(b"\r\n\r\n");
    Step::Framed(event, bytes)
}

fn usage(ask: &Ask, parts: &Parts, pen: &Pen<'_>) -> Value {
    let texts: u64 = ask.billed.iter().map(|text| (pen.count)(text)).sum();
    let prompt = texts + ask.billed_unseen;
    json!({
        "promptTokenCount": prompt,
        "candidatesTokenCount": parts.tokens,
        "thoughtsTokenCount": parts.thought_tokens,
        "totalTokenCount": prompt + parts.tokens + parts.thought_tokens,
    })
}
