//! One exchange as a session's recording keeps it in memory.

use std::sync::Arc;

use bytes::Bytes;
use holdover_wire::recording::{ResponseRecord, line};
use holdover_wire::{CallBody, Exchange, Transport, sse};
use serde_json::Value;

use crate::exchange::body_value;

/// What an entry costs beside its text: two allocations and its place, method, path and headers.
const OVERHEAD_BYTES: usize = 64;
const SHELL_BYTES: usize = 3072;

/// The bytes of both bodies, where they are all there is to an exchange: then nobody needs to write them down again
/// before somebody reads the recording.
#[derive(Clone, Debug)]
pub(crate) struct Crossed {
    /// Body of the request; empty where there was none.
    pub(crate) request: Bytes,
    /// Body of the response: one JSON document, or a stream of events.
    pub(crate) response: Bytes,
}

/// An exchange that is kept; a copy is cheap.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// As its line in a recording.
    Line(Arc<str>),
    /// As it crossed the wire: the exchange without its bodies, and those.
    Crossed(Arc<(Exchange, Crossed)>),
}

impl Entry {
    /// The entry of an exchange that crossed as these bytes.
    pub(crate) fn crossed(mut exchange: Exchange, crossed: Crossed) -> Self {
        exchange.request.body = Value::Null;
        if let Some(response) = &mut exchange.response {
            response.body = None;
            response.events = None;
        }
        Self::Crossed(Arc::new((exchange, crossed)))
    }

    /// Bytes that it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Line(line) => line.len() + OVERHEAD_BYTES,
            Self::Crossed(kept) => kept.1.request.len() + kept.1.response.len() + SHELL_BYTES,
        }
    }

    /// The exchange. A line was written here, and so can be read.
    pub(crate) fn exchange(&self) -> Option<Exchange> {
        match self {
            Self::Line(line) => serde_json::from_str(line).ok(),
            Self::Crossed(kept) => Some(whole(&kept.0, &kept.1)),
        }
    }

    /// The exchange as a line of a recording, with its line feed.
    pub(crate) fn line(&self) -> Arc<str> {
        match self {
            Self::Line(line) => Arc::clone(line),
            Self::Crossed(kept) => line(&whole(&kept.0, &kept.1)).into(),
        }
    }
}

/// The exchange with its bodies.
fn whole(shell: &Exchange, crossed: &Crossed) -> Exchange {
    let mut exchange = shell.clone();
    exchange.request.body = body_value(CallBody::parse(&crossed.request));
    if let Some(response) = &mut exchange.response {
        put_body(response, exchange.transport, &crossed.response);
    }
    exchange
}

fn put_body(response: &mut ResponseRecord, transport: Transport, bytes: &[u8]) {
    if transport == Transport::Sse {
        let frames = sse::Decoder::new().push(bytes);
        response.events = Some(frames.iter().filter_map(sse::Frame::event).collect());
    } else {
        response.body = serde_json::from_slice(bytes).ok();
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::recording::{Kept, RequestRecord};
    use holdover_wire::{Event, Step};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn exchange(body: Value, kept: Kept) -> Exchange {
        Exchange {
            exchange: 3,
            transport: kept.transport,
            at_ms: 2000,
            request: RequestRecord {
                method: "POST".to_owned(),
                path: "/v1/responses".to_owned(),
                body,
                ..RequestRecord::default()
            },
            response: Some(ResponseRecord {
                status: 200,
                body: kept.body,
                events: kept.events,
                ..ResponseRecord::default()
            }),
        }
    }

    /// The line of an exchange, and that of its entry.
    fn lines(exchange: &Exchange, request: Vec<u8>, response: Vec<u8>) -> (String, String) {
        let crossed = Crossed {
            request: request.into(),
            response: response.into(),
        };
        let entry = Entry::crossed(exchange.clone(), crossed);
        assert_eq!(entry.exchange().as_ref(), Some(exchange));
        (line(exchange), entry.line().to_string())
    }

    #[test]
    fn a_document_without_request_body_is_the_same_line() {
        let body = json!({"id": "resp_1", "output": [], "top_p": 0.98, "n": -3});
        let bytes = holdover_wire::Document::from(body.clone()).bytes();
        let exchange = exchange(Value::Null, Kept::document(body));
        let (direct, kept) = lines(&exchange, Vec::new(), bytes.into());
        assert_eq!(direct, kept);
    }

    proptest! {
        #[test]
        fn a_stream_of_any_text_is_the_same_line(text: String, number: i64) {
            let request = json!({"input": text, "n": number});
            let event = |name: &str| json!({"type": name, "delta": text, "sequence_number": number});
            let events = ["response.created", "response.completed"].map(|name| {
                Step::Event(Event::new(event(name).as_object().cloned().expect("an object")))
            });
            let mut bytes = Vec::new();
            for step in &events {
                step.encode(&mut bytes);
            }
            let exchange = exchange(request.clone(), Kept::steps(events.to_vec(), usize::MAX));
            let (direct, kept) = lines(&exchange, request.to_string().into_bytes(), bytes);
            prop_assert_eq!(direct, kept);
        }
    }
}
