//! The exchanges of one session, and the file of JSON lines that holds them (`docs/architecture.md`, Recording).

use crate::Members as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Object;
use crate::document::Document;
use crate::event::Event;
use crate::plan::Step;
use crate::request::CreateRequest;
use crate::response::ResponseView;

/// First member of a recording's first line.
pub const FORMAT: &str = "holdover.recording/1";

/// Request headers that a recording keeps, in lower case; every other one is dropped, credentials among them (law 6).
pub const REQUEST_HEADERS: [&str; 13] = [
    "content-type",
    "accept",
    "user-agent",
    "openai-beta",
    "originator",
    "session-id",
    "thread-id",
    "x-client-request-id",
    "x-stainless-retry-count",
    "x-stainless-lang",
    "x-stainless-package-version",
    "idempotency-key",
    "x-holdover-test",
];

/// Response header of a refusal: ids that the request names and that Holdover's own store had let go to stay within its
/// bound of bytes. The API knows no such thing.
pub const EVICTED_HEADER: &str = "x-holdover-evicted";

/// How an exchange travelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// One JSON document.
    #[default]
    Json,
    /// Server-sent events.
    Sse,
    /// Frames of a WebSocket.
    Ws,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// As planned.
    #[default]
    Complete,
    /// The server closed early.
    Cut,
    /// The server closed its half early and went on reading.
    HalfClose,
    /// The server reset the connection.
    Reset,
    /// Nothing came for too long.
    Timeout,
    /// The client went away first.
    ClientGone,
}

/// The request half of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// `POST`, `GET`, `DELETE`.
    #[serde(default = "post")]
    pub method: String,
    /// `/v1/responses`, with its query if it had one.
    #[serde(default = "responses_path")]
    pub path: String,
    /// Headers of the allow-list.
    #[serde(default)]
    pub headers: Object,
    /// Parsed body; `null` where there was none, a string where it was no JSON.
    #[serde(default)]
    pub body: Value,
}

/// The response half of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResponseRecord {
    /// HTTP status; 0 where the server sent not even a status line.
    #[serde(default = "ok")]
    pub status: u16,
    /// Headers.
    #[serde(default)]
    pub headers: Object,
    /// JSON body; `None` for a stream.
    #[serde(default)]
    pub body: Option<Document>,
    /// Events of a stream, as far as they left; `None` for a JSON answer.
    #[serde(default)]
    pub events: Option<Vec<Event>>,
    /// How it ended.
    #[serde(default)]
    pub end: End,
}

/// One request and its whole response. `exchange` counts from 1 within its session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Number within the session, from 1; 0 when the file gave none (a reader numbers it).
    #[serde(default)]
    pub exchange: u64,
    /// How it travelled.
    #[serde(default)]
    pub transport: Transport,
    /// Virtual milliseconds since the first exchange, or real ones under `--clock wall`.
    #[serde(default)]
    pub at_ms: u64,
    /// Request.
    pub request: RequestRecord,
    /// Response; absent in captures that lost it.
    #[serde(default)]
    pub response: Option<ResponseRecord>,
}

fn post() -> String {
    "POST".to_owned()
}

fn responses_path() -> String {
    "/v1/responses".to_owned()
}

fn ok() -> u16 {
    200
}

impl RequestRecord {
    /// Path without query.
    pub fn path_only(&self) -> &str {
        self.path
            .split_once('?')
            .map_or(self.path.as_str(), |(path, _)| path)
    }

    /// The body as a create request, when it is an object.
    pub fn create(&self) -> Option<CreateRequest<'_>> {
        self.body.as_object().map(CreateRequest::new)
    }

    /// The first header of this (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.member(name).and_then(Value::as_str)
    }
}

impl ResponseRecord {
    /// The final response object: the JSON body of a success, or the `response` of the terminal event.
    pub fn terminal(&self) -> Option<ResponseView<'_>> {
        if let Some(body) = &self.body {
            return body.response();
        }
        let terminal = self
            .events
            .as_ref()?
            .iter()
            .rev()
            .find(|event| event.is_terminal())?;
        terminal.response()
    }

    /// The `error` object of a refusal: of its JSON body, or of its frame on a WebSocket.
    pub fn error(&self) -> Option<&Object> {
        if self.status >= 400
            && let [frame] = self.events.as_deref().unwrap_or_default()
        {
            return frame.object().member("error")?.as_object();
        }
        self.body.as_ref()?.member("error")?.as_object()
    }
}

/// What a recording keeps of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// How it travelled.
    pub transport: Transport,
    /// The document.
    pub body: Option<Document>,
    /// The events of a stream.
    pub events: Option<Vec<Event>>,
}

impl Kept {
    /// A JSON document.
    pub fn document(body: impl Into<Document>) -> Self {
        Self {
            body: Some(body.into()),
            ..Self::default()
        }
    }

    /// The first `left` of the steps of a body. A document in pieces is kept when it is whole JSON; where it is
    /// anything else, nothing is.
    pub fn steps(steps: Vec<Step>, left: usize) -> Self {
        if steps.iter().all(|step| step.event().is_none()) {
            let mut bytes = Vec::new();
            steps.iter().take(left).for_each(|step| step.encode(&mut bytes));
            return Self {
                body: serde_json::from_slice(&bytes).ok(),
                ..Self::default()
            };
        }
        Self {
            transport: Transport::Sse,
            body: None,
            events: Some(events(steps, left)),
        }
    }

    /// The first `left` of the steps of an answer over a WebSocket, where an event is a frame and nothing else is.
    pub fn frames(steps: Vec<Step>, left: usize) -> Self {
        Self {
            transport: Transport::Ws,
            body: None,
            events: Some(events(steps, left)),
        }
    }
}

fn events(steps: Vec<Step>, left: usize) -> Vec<Event> {
    let left = steps.into_iter().take(left);
    let events = left.filter_map(|step| match step {
        Step::Event(event) | Step::Framed(event, _) => Some(event),
        Step::Wait(_) | Step::Raw(_) | Step::Close(_) => None,
    });
    events.collect()
}

/// The exchanges of one session, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// First line.
    pub header: Header,
    /// Exchanges in order.
    pub exchanges: Vec<Exchange>,
}

/// First line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub recording: String,
    /// Seed of the run.
    #[serde(default)]
    pub seed: u64,
    /// Profile of the server.
    #[serde(default)]
    pub profile: String,
    /// Session.
    #[serde(default)]
    pub session: String,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            recording: FORMAT.to_owned(),
            seed: 7,
            profile: "openai".to_owned(),
            session: "default".to_owned(),
        }
    }
}

/// One line of a recording that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct LineError {
    /// Line, from 1.
    pub line: usize,
    /// Whether the rest of the file can be trusted.
    pub kind: LineErrorKind,
    /// What is wrong with it.
    pub reason: String,
}

/// What a bad line says about the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineErrorKind {
    /// This line is lost, the others stand.
    Unreadable,
    /// The header names a format that this version does not read: nothing in the file can be trusted.
    UnknownFormat,
}

impl Recording {
    /// Reads JSON lines. A first line with `recording` is the header; without one the defaults hold. What cannot be
    /// read is listed and the rest is kept, so that a half-broken file still gives what it has.
    pub fn parse(text: &str) -> (Self, Vec<LineError>) {
        let mut recording = Self::default();
        let mut errors = Vec::new();
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
        {
            if let Err((kind, reason)) = recording.take_line(line) {
                errors.push(LineError {
                    line: index + 1,
                    kind,
                    reason,
                });
            }
        }
        (recording, errors)
    }

    fn take_line(&mut self, line: &str) -> Result<(), (LineErrorKind, String)> {
        let unreadable = |error: serde_json::Error| (LineErrorKind::Unreadable, error.to_string());
        let value: Value = serde_json::from_str(line).map_err(unreadable)?;
        if value.member("recording").is_some() {
            let header: Header = serde_json::from_value(value).map_err(unreadable)?;
            if header.recording != FORMAT {
                let reason = format!(
                    "`{}` is not a format of this version; it reads `{FORMAT}`",
                    header.recording
                );
                return Err((LineErrorKind::UnknownFormat, reason));
            }
            self.header = header;
            return Ok(());
        }
        let mut exchange: Exchange = serde_json::from_value(value).map_err(unreadable)?;
        if exchange.exchange == 0 {
            exchange.exchange = self.exchanges.len() as u64 + 1;
        }
        if exchange
            .response
            .as_ref()
            .is_some_and(|response| response.events.is_some())
            && exchange.transport == Transport::Json
        {
            exchange.transport = Transport::Sse;
        }
        self.exchanges.push(exchange);
        Ok(())
    }

    /// The file of JSON lines.
    pub fn to_lines(&self) -> String {
        let mut text = line(&self.header);
        self.exchanges
            .iter()
            .for_each(|exchange| text.push_str(&line(exchange)));
        text
    }
}

/// One JSON line with its line feed.
pub fn line(value: &impl Serialize) -> String {
    // The types of this module have string keys only, so serializing cannot fail.
    let mut text = serde_json::to_string(value).unwrap_or_default();
    text.push('\n');
    text
}

/// The headers of `pairs` that a recording keeps, by [`REQUEST_HEADERS`].
pub fn kept_headers(pairs: &[(String, String)]) -> Object {
    let kept = pairs
        .iter()
        .filter(|(name, _)| REQUEST_HEADERS.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), Value::String(value.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_pair_of_bodies_is_an_exchange() {
        let text = r#"{"request":{"body":{"model":"m","input":"hi"}},"response":{"body":{"id":"resp_1","output":[]}}}"#;
        let (recording, errors) = Recording::parse(text);
        assert_eq!(errors, vec![]);
        let exchange = &recording.exchanges[0];
        assert_eq!(exchange.exchange, 1);
        assert_eq!(exchange.request.path, "/v1/responses");
        assert_eq!(
            exchange
                .response
                .as_ref()
                .and_then(ResponseRecord::terminal)
                .and_then(ResponseView::id),
            Some("resp_1")
        );
    }

    #[test]
    fn a_broken_line_is_named_and_the_rest_is_kept() {
        let text = "{\"recording\":\"holdover.recording/1\"}\n{oops\n{\"request\":{\"body\":{}}}\n";
        let (recording, errors) = Recording::parse(text);
        assert_eq!(recording.exchanges.len(), 1);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].line, 2);
    }

    #[test]
    fn a_document_in_pieces_is_kept_when_it_is_whole() {
        let pieces = || vec![Step::Raw(b"{\"a\":".to_vec()), Step::Raw(b"1}".to_vec())];
        let whole = Kept::document(serde_json::json!({"a": 1}));
        assert_eq!(Kept::steps(pieces(), 2), whole);
        assert_eq!(Kept::steps(pieces(), 1), Kept::default());
    }

    #[test]
    fn an_event_is_kept_in_whatever_bytes_it_crossed() {
        let event = |name: &str| Event::new(Object::from_iter([("type".to_owned(), name.into())]));
        let steps = vec![
            Step::Event(event("a")),
            Step::Raw(b": hi\n\n".to_vec()),
            Step::Framed(event("b"), b"data: {\"type\":\"b\"}\r\n\r\n".to_vec()),
            Step::Event(event("c")),
        ];
        let kept = Kept::steps(steps, 3);
        assert_eq!(kept.transport, Transport::Sse);
        assert_eq!(kept.events, Some(vec![event("a"), event("b")]));
    }

    #[test]
    fn a_format_of_another_version_is_told_apart() {
        let (_, errors) = Recording::parse("{\"recording\":\"holdover.recording/9\"}\n");
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].kind, LineErrorKind::UnknownFormat);
    }

    #[test]
    fn lines_round_trip() {
        let (recording, _) = Recording::parse("{\"request\":{\"body\":{\"a\":1}}}\n");
        let (again, errors) = Recording::parse(&recording.to_lines());
        assert_eq!(errors, vec![]);
        assert_eq!(again, recording);
    }

    #[test]
    fn credentials_never_reach_a_recording() {
        let pairs = [
            ("authorization", "Bearer x"),
            ("cookie", "c"),
            ("user-agent", "u"),
            ("openai-organization", "org-1"),
        ];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(kept_headers(&pairs).keys().collect::<Vec<_>>(), ["user-agent"]);
    }
}
