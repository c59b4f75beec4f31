//! One request on its way to becoming an exchange of its session's recording.

use std::sync::Arc;

use bytes::Bytes;
use holdover_fake::Writes;
use holdover_wire::recording::{Kept, RequestRecord, ResponseRecord, kept_headers};
use holdover_wire::{CallBody, Document, End, Event, Exchange, ServerId, Step};
use serde_json::Value;

use crate::entry::Crossed;
use crate::session::Session;
use crate::state::StateError;
use crate::via::Via;
use crate::worker::{Job, Shared};

/// The request half, as it was read.
#[derive(Debug)]
pub(crate) struct RequestHalf {
    pub(crate) method: http::Method,
    /// Path with its query, without credentials.
    pub(crate) path: String,
    /// All headers, names in lower case; a recording keeps those of its allow-list.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: CallBody,
    /// The bytes of the body; `None` where they are not those of `body`, or where nobody kept them.
    pub(crate) bytes: Option<Bytes>,
}

/// What left of the response.
#[derive(Debug)]
pub(crate) enum Content {
    /// A whole JSON document, and its bytes.
    Json(Document, Bytes),
    /// The first `left` of these steps.
    Steps { steps: Vec<Step>, left: usize },
    /// Events that all left, and the bytes as which they did.
    Events(Vec<Step>, Bytes),
    /// The first `left` of these steps, as frames of a WebSocket.
    Frames { steps: Vec<Step>, left: usize },
    /// Not a byte.
    Nothing,
}

/// An exchange whose response is not over. When it is dropped before it has its request (a panic), its number is given
/// up, so that the exchanges after it do not wait for it.
pub(crate) struct Open {
    session: Arc<Session>,
    shared: Arc<Shared>,
    number: u64,
    arrived_ms: Option<u64>,
    request: Option<RequestHalf>,
    /// Status and headers; 0 before there are any.
    head: (u16, Vec<(String, String)>),
    writes: Option<Writes>,
    bytes: usize,
    via: Via,
}

/// A closed exchange, before it is put into the form of a recording (that is done off the hot path).
#[derive(Debug)]
pub(crate) struct Closed {
    pub(crate) session: Arc<Session>,
    pub(crate) number: u64,
    arrived_ms: Option<u64>,
    request: RequestHalf,
    head: (u16, Vec<(String, String)>),
    content: Content,
    end: End,
}

impl Open {
    /// Opens exchange `number` of a session; `bytes` is the size of the request body. `arrived_ms` is `None` while
    /// time is virtual.
    pub(crate) fn new(
        session: Arc<Session>,
        shared: Arc<Shared>,
        number: u64,
        arrived_ms: Option<u64>,
        bytes: usize,
    ) -> Self {
        session.enter();
        Self {
            session,
            shared,
            number,
            arrived_ms,
            request: None,
            head: (0, Vec::new()),
            writes: None,
            bytes,
            via: Via::Http,
        }
    }

    /// Says that the request came as a frame.
    pub(crate) fn via(&mut self, via: Via) {
        self.via = via;
    }

    /// The request half, once nobody needs it any more.
    pub(crate) fn request(&mut self, request: RequestHalf) {
        self.request = Some(request);
    }

    /// What [`Open::commit`] will write; what belongs before the first byte is written now.
    pub(crate) fn writes(&mut self, mut writes: Writes) {
        // Where that fails, what is left of it fails again with the last byte, and that is told.
        if !writes.early.is_empty() {
            let _ = self.session.commit_early(&mut writes);
        }
        self.writes = Some(writes);
    }

    /// Status and headers.
    pub(crate) fn head(&mut self, status: u16, headers: Vec<(String, String)>) {
        self.head = (status, headers);
    }

    /// Counts bytes of the response.
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Makes the answer part of the session's state; only the first call does anything. Where it fails, the answer may
    /// not end as if it were kept.
    pub(crate) fn commit(&mut self) -> Result<(), StateError> {
        match self.writes.take() {
            Some(writes) => {
                self.via.keep(&writes);
                self.session.commit(writes)
            }
            None => Ok(()),
        }
    }

    /// Hands the exchange over to the recording and the judge.
    pub(crate) fn close(mut self, content: Content, end: End) {
        self.hand_over(content, end);
    }

    fn hand_over(&mut self, content: Content, end: End) {
        let Some(request) = self.request.take() else {
            return;
        };
        self.shared.metrics.exchange(self.head.0, end, self.bytes);
        let content = match (&self.via, content) {
            (Via::Lane(_), Content::Nothing) => Content::Frames {
                steps: Vec::new(),
                left: 0,
            },
            (_, content) => content,
        };
        let closed = Closed {
            session: Arc::clone(&self.session),
            number: self.number,
            arrived_ms: self.arrived_ms,
            request,
            head: std::mem::take(&mut self.head),
            content,
            end,
        };
        self.shared.take(Box::new(closed), self.bytes);
        self.number = 0;
    }
}

impl Drop for Open {
    /// Dropped with its request and without an answer: the client went away before the first byte.
    fn drop(&mut self) {
        self.hand_over(Content::Nothing, End::ClientGone);
        if self.number != 0 {
            let session = Arc::clone(&self.session);
            self.session.queue().push(Job::GivenUp(session, self.number), 0);
        }
        self.session.leave();
    }
}

#[cfg(test)]
impl Closed {
    /// An answer that was not much.
    pub(crate) fn sample(session: Arc<Session>, number: u64) -> Self {
        Self {
            session,
            number,
            arrived_ms: None,
            request: RequestHalf {
                method: http::Method::GET,
                path: format!("/v1/models/{number}"),
                headers: Vec::new(),
                body: CallBody::Empty,
                bytes: None,
            },
            head: (200, Vec::new()),
            content: Content::Json(serde_json::json!({}).into(), Bytes::from_static(b"{}")),
            end: End::Complete,
        }
    }
}

impl Closed {
    /// The exchange as a recording holds it, and the bytes of its bodies where they say as much. `before_ms` is the time
    /// of the exchange before it, for answers that have no time of their own.
    pub(crate) fn into_exchange(self, before_ms: u64) -> (Exchange, Option<Crossed>) {
        let (kept, sent) = match self.content {
            Content::Json(document, bytes) => (Kept::document(document), Some(bytes)),
            Content::Events(steps, bytes) => (Kept::steps(steps, usize::MAX), Some(bytes)),
            Content::Steps { steps, left } => (Kept::steps(steps, left), None),
            Content::Frames { steps, left } => (Kept::frames(steps, left), None),
            Content::Nothing => (Kept::default(), None),
        };
        let crossed = self.request.bytes.zip(sent);
        let crossed = crossed.map(|(request, response)| Crossed { request, response });
        let (status, headers) = self.head;
        let response = ResponseRecord {
            status,
            headers: headers
                .into_iter()
                .map(|(name, value)| (name, Value::String(value)))
                .collect(),
            body: kept.body,
            events: kept.events,
            end: self.end,
        };
        let at_ms = self
            .arrived_ms
            .unwrap_or_else(|| virtual_ms(&response).unwrap_or(before_ms));
        let exchange = Exchange {
            exchange: self.number,
            transport: kept.transport,
            at_ms,
            request: RequestRecord {
                method: self.request.method.as_str().to_owned(),
                path: self.request.path,
                headers: kept_headers(&self.request.headers),
                body: body_value(self.request.body),
            },
            response: Some(response),
        };
        (exchange, crossed)
    }
}

/// What a recording holds of a request's body.
pub(crate) fn body_value(body: CallBody) -> Value {
    match body {
        CallBody::Empty => Value::Null,
        CallBody::Json(value) => value,
        CallBody::Invalid(text) => Value::String(text),
    }
}

/// Virtual time of an answer: a second for each tick in the id of its response.
fn virtual_ms(response: &ResponseRecord) -> Option<u64> {
    let id = if let Some(body) = &response.body {
        body.id()?
    } else {
        let mut events = response.events.as_ref()?.iter().rev();
        events.find_map(Event::response)?.id()?
    };
    Some(ServerId::parse(id)?.tick()? * 1000)
}
