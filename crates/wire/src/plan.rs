//! What a server is about to send. A plan is plain data: the fake makes it, a fault rewrites it, a shell plays it.

use std::time::Duration;

use serde_json::Value;

use crate::error::ApiError;
use crate::event::Event;
use crate::recording::End;
use crate::sse;

/// A whole answer before its first byte leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// HTTP status.
    pub status: u16,
    /// Headers in order, names in lower case; the shell adds `date`, `content-length` and framing.
    pub headers: Vec<(String, String)>,
    /// What follows the headers.
    pub body: PlanBody,
    /// How the answer ends, if all goes as planned.
    pub end: End,
}

/// What follows the headers.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanBody {
    /// One JSON document, written with an indent of two spaces as the API does.
    Json(Value),
    /// Server-sent events and pauses, in order.
    Stream(Vec<Step>),
}

impl PlanBody {
    /// The bytes of the whole body as they would cross a socket, pauses left out.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Json(value) => pretty(value),
            Self::Stream(steps) => steps.iter().fold(Vec::new(), |mut bytes, step| {
                match step {
                    Step::Event(event) => sse::encode(event, &mut bytes),
                    Step::Raw(raw) => bytes.extend_from_slice(raw),
                    Step::Wait(_) => {}
                }
                bytes
            }),
        }
    }
}

/// JSON as the API writes it: an indent of two spaces, no line feed at the end (`tests/facts/endpoints.md`, wire format).
pub fn pretty(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2048);
    // A JSON value has string keys only, so writing it into memory cannot fail.
    let _ = serde_json::to_writer_pretty(&mut bytes, value);
    bytes
}

/// One step of a stream.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An event, framed as one chunk.
    Event(Event),
    /// A pause before the next step.
    Wait(Duration),
    /// Bytes that are no event: a comment, `[DONE]`, half a frame.
    Raw(Vec<u8>),
}

impl Plan {
    /// A plan with a JSON body.
    pub fn json(status: u16, headers: Vec<(String, String)>, body: Value) -> Self {
        Self {
            status,
            headers,
            body: PlanBody::Json(body),
            end: End::Complete,
        }
    }

    /// A plan with a stream of events.
    pub fn stream(headers: Vec<(String, String)>, events: Vec<Event>) -> Self {
        let steps = events.into_iter().map(Step::Event).collect();
        Self {
            status: 200,
            headers,
            body: PlanBody::Stream(steps),
            end: End::Complete,
        }
    }

    /// A plan that refuses, with the grade of the evidence in its headers.
    pub fn refusal(error: &ApiError, mut headers: Vec<(String, String)>) -> Self {
        headers.push((
            "x-holdover-evidence".to_owned(),
            error.evidence.as_str().to_owned(),
        ));
        headers.push(("x-holdover-refusal".to_owned(), error.source.to_owned()));
        Self::json(error.status, headers, error.body())
    }

    /// The first header of this (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}
