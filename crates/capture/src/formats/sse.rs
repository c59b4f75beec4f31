//! The bytes of streams, one after the other, without their requests.

use std::io::BufRead;

use holdover_wire::recording::{RequestRecord, ResponseRecord, Transport};
use holdover_wire::sse::Decoder;
use holdover_wire::{Event, Exchange, Object};
use serde_json::Value;

use super::lines;
use crate::message::ended;
use crate::sink::{Sink, Unread};

/// Members of a response that repeat its request.
const ECHOED: [&str; 9] = [
    "model",
    "instructions",
    "previous_response_id",
    "conversation",
    "store",
    "reasoning",
    "tools",
    "metadata",
    "prompt_cache_key",
];

/// Reads streams; a `response.created` begins the next.
pub(crate) fn read(reader: impl BufRead, sink: &mut dyn Sink) {
    sink.lossy("default", "a transcript of a stream has no requests");
    let mut decoder = Decoder::new();
    let mut events: Vec<Event> = Vec::new();
    for (number, line) in lines::numbered(reader) {
        let Ok(line) = line else {
            sink.unread(Unread::new(
                format!("line {number}"),
                "the file cannot be read on",
            ));
            break;
        };
        for frame in decoder.push(format!("{line}\n").as_bytes()) {
            match frame.event() {
                Some(event) => {
                    if event.name() == "response.created" {
                        tell(std::mem::take(&mut events), sink);
                    }
                    events.push(event);
                }
                None if frame.data.trim() == "[DONE]" => {}
                None => {
                    let reason = "the data before this line is no JSON object";
                    sink.unread(Unread::new(format!("line {number}"), reason));
                }
            }
        }
    }
    tell(events, sink);
}

fn tell(events: Vec<Event>, sink: &mut dyn Sink) {
    if events.is_empty() {
        return;
    }
    let exchange = Exchange {
        exchange: 0,
        transport: Transport::Sse,
        at_ms: 0,
        request: request_of(events.iter().find_map(|event| Some(event.response()?.object()))),
        response: Some(ended(events, ResponseRecord::default())),
    };
    sink.exchange("default", exchange);
}

/// What a response repeats of its request.
pub(crate) fn request_of(response: Option<&Object>) -> RequestRecord {
    let mut body = Object::new();
    for name in ECHOED {
        let value = response
            .and_then(|response| response.get(name))
            .filter(|value| !value.is_null());
        if let Some(value) = value {
            body.insert(name.to_owned(), value.clone());
        }
    }
    body.insert("stream".to_owned(), Value::Bool(true));
    RequestRecord {
        method: "POST".to_owned(),
        path: "/v1/responses".to_owned(),
        headers: Object::new(),
        body: Value::Object(body),
    }
}
