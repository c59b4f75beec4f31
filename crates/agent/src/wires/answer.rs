//! An answer of another wire as items and an ending.

use holdover_wire::neutral::answered;
use holdover_wire::recording::ResponseRecord;
use holdover_wire::{Event, Item, Object, Response, Wire};
use serde_json::{Value, json};

use super::part::{self, without_origin};
use crate::peer::Peer;
use crate::stages::receive::{Answer, Ending, Failure, Outcome};

/// Reads a document.
pub(crate) fn document(peer: &Peer, body: &[u8]) -> Outcome {
    match serde_json::from_slice::<Value>(body) {
        Ok(body) => {
            let last = match &body {
                Value::Array(chunks) => chunks.last().cloned().unwrap_or_default(),
                whole => whole.clone(),
            };
            let record = ResponseRecord {
                body: Some(body.into()),
                ..ResponseRecord::default()
            };
            finished(peer, &record, &[last])
        }
        Err(error) => Outcome::Broken(format!("the answer is no JSON: {error}")),
    }
}

/// Reads a stream. One without its end is no answer, as on the Responses API (N15 of `tests/facts/cases/classes.md`).
pub(crate) fn streamed(peer: &Peer, events: Vec<Event>) -> Outcome {
    let objects: Vec<Value> = events
        .iter()
        .map(|event| Value::Object(event.object().clone()))
        .collect();
    let record = ResponseRecord {
        events: Some(events),
        ..ResponseRecord::default()
    };
    finished(peer, &record, &objects)
}

/// How a wire says that an answer is over.
enum End {
    Whole,
    CutShort,
    Failed(String),
}

fn finished(peer: &Peer, record: &ResponseRecord, told: &[Value]) -> Outcome {
    if let Some(error) = told.iter().find_map(|told| told.get("error")) {
        return Outcome::Failed(failure(error));
    }
    let ending = match end(peer.wire(), told) {
        Some(End::Whole) => Ending::Completed,
        Some(End::CutShort) => Ending::Incomplete,
        Some(End::Failed(reason)) => {
            return Outcome::Failed(Failure {
                message: format!("the answer ended with `{reason}`"),
                code: Some(reason),
            });
        }
        None => return Outcome::Broken("the answer does not say how it ended".to_owned()),
    };
    let Some(turn) = answered(peer.wire(), record) else {
        return Outcome::Broken("the answer has no message of the assistant".to_owned());
    };
    let id = id(told);
    let items = part::items(peer, &id, &turn);
    Outcome::Answered(Box::new(Answer {
        has_protected: items.iter().any(|item| item.encrypted_content().is_some()),
        response: response(&id, &items, ending, usage(told)),
        items,
        updates: record.events.clone().unwrap_or_default(),
        ending,
    }))
}

fn end(wire: Wire, told: &[Value]) -> Option<End> {
    let pointers: &[&str] = match wire {
        Wire::AnthropicMessages => &["/stop_reason", "/delta/stop_reason"],
        Wire::GeminiGenerate => &["/candidates/0/finishReason"],
        _ => &["/choices/0/finish_reason"],
    };
    let reasons = told.iter().rev().flat_map(|told| {
        pointers
            .iter()
            .filter_map(|pointer| told.pointer(pointer)?.as_str())
    });
    let reason = reasons.into_iter().next()?;
    let is_stream = told.len() > 1;
    let is_over = wire != Wire::AnthropicMessages
        || !is_stream
        || told.iter().any(|told| told["type"] == "message_stop");
    if !is_over {
        return None;
    }
    Some(match reason {
        "length" | "max_tokens" | "MAX_TOKENS" | "content_filter" | "SAFETY" => End::CutShort,
        "error" | "MALFORMED_FUNCTION_CALL" | "MISSING_THOUGHT_SIGNATURE" => End::Failed(reason.to_owned()),
        _ => End::Whole,
    })
}

/// The error inside an answer.
fn failure(error: &Value) -> Failure {
    let text = |name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    Failure {
        code: text("code").or_else(|| text("type")),
        message: text("message").unwrap_or_else(|| "the answer failed".to_owned()),
    }
}

fn id(told: &[Value]) -> String {
    let ids = told.iter().filter_map(|told| {
        ["/id", "/message/id", "/responseId"]
            .iter()
            .find_map(|pointer| told.pointer(pointer)?.as_str())
    });
    ids.into_iter().next().unwrap_or_default().to_owned()
}

fn usage(told: &[Value]) -> Option<&Value> {
    let mut latest = told.iter().rev();
    latest
        .find_map(|told| told.get("usage").or_else(|| told.get("usageMetadata")))
        .filter(|usage| usage.is_object())
}

/// The answer as a response object, which is what the rest of the client looks at.
fn response(id: &str, items: &[Item], ending: Ending, usage: Option<&Value>) -> Response {
    let output: Vec<Value> = items
        .iter()
        .map(|item| without_origin(item.clone()).into_value())
        .collect();
    let status = match ending {
        Ending::Completed => "completed",
        Ending::Incomplete => "incomplete",
    };
    let object = json!({"id": id, "status": status, "output": output, "usage": usage});
    Response::new(match object {
        Value::Object(object) => object,
        _ => Object::new(),
    })
}
