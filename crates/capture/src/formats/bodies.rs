//! Bodies in a folder: files in the order of their names, a request and the response that follows it.

use holdover_wire::recording::{RequestRecord, ResponseRecord, Transport};
use holdover_wire::{Exchange, Object};
use serde_json::Value;

use crate::message::{looks_like_stream, stream};
use crate::sink::{Sink, Unread};

/// Takes one file after the other.
#[derive(Default)]
pub(crate) struct Bodies {
    request: Option<Value>,
}

impl Bodies {
    /// The next file.
    pub(crate) fn take(&mut self, name: &str, bytes: &[u8], sink: &mut dyn Sink) {
        let trimmed = bytes.trim_ascii_start();
        if looks_like_stream(trimmed) {
            let record = stream(trimmed, ResponseRecord::default(), name, sink);
            self.answer(Some(record), sink);
            return;
        }
        match serde_json::from_slice::<Value>(bytes) {
            Ok(body) if body.get("output").is_some() || is_error(&body) => {
                let record = ResponseRecord {
                    status: if is_error(&body) { 400 } else { 200 },
                    body: Some(body.into()),
                    ..ResponseRecord::default()
                };
                self.answer(Some(record), sink);
            }
            Ok(body) if is_request(&body) => {
                if self.request.is_some() {
                    self.answer(None, sink);
                }
                self.request = Some(body);
            }
            Ok(_) => sink.other("JSON that is neither a request nor a response"),
            Err(error) if trimmed.starts_with(b"{") || trimmed.starts_with(b"[") => {
                sink.unread(Unread::new(name, format!("the file is no JSON: {error}")));
            }
            Err(_) => sink.other("a file that is no body"),
        }
    }

    /// Tells the request that nothing answered.
    pub(crate) fn finish(&mut self, sink: &mut dyn Sink) {
        if self.request.is_some() {
            self.answer(None, sink);
        }
    }

    fn answer(&mut self, response: Option<ResponseRecord>, sink: &mut dyn Sink) {
        let streams = response
            .as_ref()
            .is_some_and(|response| response.events.is_some());
        let request = if let Some(body) = self.request.take() {
            RequestRecord {
                method: "POST".to_owned(),
                path: "/v1/responses".to_owned(),
                headers: Object::new(),
                body,
            }
        } else {
            sink.lossy("default", "a response has no request beside it");
            super::sse::request_of(
                response
                    .as_ref()
                    .and_then(|record| Some(record.terminal()?.object())),
            )
        };
        let exchange = Exchange {
            exchange: 0,
            transport: if streams { Transport::Sse } else { Transport::Json },
            at_ms: 0,
            request,
            response,
        };
        sink.exchange("default", exchange);
    }
}

fn is_error(body: &Value) -> bool {
    body.get("error").is_some_and(|error| !error.is_null())
}

fn is_request(body: &Value) -> bool {
    body.get("input").is_some() || body.get("model").is_some()
}
