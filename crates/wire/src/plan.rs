//! What a server is about to send. A plan is plain data: the fake makes it, a fault rewrites it, a shell plays it.

use std::time::Duration;

use crate::document::Document;
use crate::error::ApiError;
use crate::event::Event;
use crate::recording::End;
use crate::sse;

/// A whole answer before its first byte leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// How long the shell waits before the status line leaves.
    pub wait: Duration,
    /// HTTP status; 0 where not even a status line is sent.
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
    Json(Document),
    /// Server-sent events and pauses, in order; or a document in pieces, which are [`Step::Raw`].
    Stream(Vec<Step>),
    /// Not a byte, not even the status line: [`Plan::end`] says what becomes of the connection.
    Nothing,
}

impl PlanBody {
    /// The bytes of the whole body as they would cross a socket, pauses left out.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Json(document) => document.bytes().into(),
            Self::Stream(steps) => steps.iter().fold(Vec::new(), |mut bytes, step| {
                step.encode(&mut bytes);
                bytes
            }),
            Self::Nothing => Vec::new(),
        }
    }
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
    /// An event that crosses as these bytes: with other line ends, over several `data` lines, compressed.
    Framed(Event, Vec<u8>),
    /// A close frame with this code, on a WebSocket; on HTTP nothing is sent.
    Close(u16),
}

impl Step {
    /// The event that leaves with this step.
    pub fn event(&self) -> Option<&Event> {
        match self {
            Self::Event(event) | Self::Framed(event, _) => Some(event),
            Self::Wait(_) | Self::Raw(_) | Self::Close(_) => None,
        }
    }

    /// Appends the bytes that cross a socket.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Event(event) => sse::encode(event, out),
            Self::Raw(bytes) | Self::Framed(_, bytes) => out.extend_from_slice(bytes),
            Self::Wait(_) | Self::Close(_) => {}
        }
    }
}

impl Plan {
    /// A plan with a JSON body.
    pub fn json(status: u16, headers: Vec<(String, String)>, body: impl Into<Document>) -> Self {
        Self {
            wait: Duration::ZERO,
            status,
            headers,
            body: PlanBody::Json(body.into()),
            end: End::Complete,
        }
    }

    /// A plan with a stream of events.
    pub fn stream(headers: Vec<(String, String)>, events: Vec<Event>) -> Self {
        let steps = events.into_iter().map(Step::Event).collect();
        Self {
            wait: Duration::ZERO,
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

    /// An answer of which not a byte leaves.
    pub fn nothing(end: End) -> Self {
        Self {
            wait: Duration::ZERO,
            status: 0,
            headers: Vec::new(),
            body: PlanBody::Nothing,
            end,
        }
    }

    /// The first header of this (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }
}
