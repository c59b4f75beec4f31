//! Recordings of Holdover's, and JSON of anybody's that holds requests and their responses.
//!
//! A pair is taken as it comes: `request` and `response` may hold what a recording holds, or the bodies themselves, as
//! JSON or as text; a request may stand alone.

use std::io::BufRead;

use holdover_wire::recording::{FORMAT, Header, RequestRecord, ResponseRecord, Transport};
use holdover_wire::{Event, Exchange, Object, Wire};
use serde_json::Value;

use super::lines;
use crate::message::{Headers, ended, is_responses, looks_like_stream, stream};
use crate::sink::{Sink, Unread};

/// Reads JSON lines, a list, or one document.
pub(crate) fn read(reader: impl BufRead, sink: &mut dyn Sink) {
    let mut reading = Reading {
        sink,
        session: "default".to_owned(),
        sessions: 0,
    };
    let mut rest = String::new();
    let mut began = 0;
    for (number, line) in lines::numbered(reader) {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                let reason = format!("the file cannot be read on: {error}");
                reading.sink.unread(Unread::new(format!("line {number}"), reason));
                break;
            }
        };
        if line.trim().is_empty() {
            continue;
        }
        // A document may be spread over lines: what is no JSON by itself waits for what follows.
        if rest.is_empty() {
            match serde_json::from_str(&line) {
                Ok(value) => reading.take(number, value),
                Err(error) if error.is_eof() && matches!(line.trim_start().as_bytes()[0], b'{' | b'[') => {
                    began = number;
                    rest = line;
                }
                Err(error) => {
                    let reason = format!("the line is no JSON: {error}");
                    reading.sink.unread(Unread::new(format!("line {number}"), reason));
                }
            }
        } else {
            rest.push('\n');
            rest.push_str(&line);
            let may_end = line.trim_end().ends_with(['}', ']']) && !line.starts_with([' ', '\t']);
            if may_end && let Ok(value) = serde_json::from_str(&rest) {
                reading.take(began, value);
                rest.clear();
            } else if line.starts_with("{\"") && serde_json::from_str::<Value>(&line).is_ok() {
                // The document broke off, and lines go on behind it.
                let reason = "the JSON that begins here breaks off";
                reading.sink.unread(Unread::new(format!("line {began}"), reason));
                rest.clear();
                if let Ok(value) = serde_json::from_str(&line) {
                    reading.take(number, value);
                }
            }
        }
    }
    if !rest.is_empty() {
        match serde_json::from_str(&rest) {
            Ok(value) => reading.take(began, value),
            Err(error) => {
                let reason = format!("the JSON that begins here breaks off or is damaged: {error}");
                reading.sink.unread(Unread::new(format!("line {began}"), reason));
            }
        }
    }
}

struct Reading<'a> {
    sink: &'a mut dyn Sink,
    session: String,
    sessions: usize,
}

impl Reading<'_> {
    fn take(&mut self, line: usize, value: Value) {
        let place = format!("line {line}");
        match value {
            Value::Array(values) => values.into_iter().for_each(|value| self.take(line, value)),
            Value::Object(object) if object.contains_key("recording") => self.header(&place, object),
            Value::Object(object) => self.pair(&place, object),
            _ => self.sink.unread(Unread::new(place, "no JSON object")),
        }
    }

    fn header(&mut self, place: &str, object: Object) {
        match serde_json::from_value::<Header>(Value::Object(object)) {
            Ok(mut header) if header.recording == FORMAT => {
                self.sessions += 1;
                if self.sessions > 1 && header.session == self.session {
                    header.session = format!("{}.{}", header.session, self.sessions);
                }
                self.session.clone_from(&header.session);
                self.sink.header(header);
            }
            Ok(header) => {
                let reason = format!(
                    "`{}` is not a format of this version; it reads `{FORMAT}`",
                    header.recording
                );
                self.sink.unread(Unread::new(place, reason));
            }
            Err(_) => self
                .sink
                .unread(Unread::new(place, "its members are not those of a first line")),
        }
    }

    fn pair(&mut self, place: &str, mut object: Object) {
        let session = object.get("session").and_then(Value::as_str).map(str::to_owned);
        let session = session.unwrap_or_else(|| self.session.clone());
        let is_ours = object
            .get("request")
            .is_some_and(|request| request.get("body").is_some());
        if is_ours && object.get("response").is_none_or(is_record) {
            match serde_json::from_value::<Exchange>(Value::Object(object.clone())) {
                Ok(mut exchange) => {
                    let has_events = exchange
                        .response
                        .as_ref()
                        .is_some_and(|response| response.events.is_some());
                    if has_events && exchange.transport == Transport::Json {
                        exchange.transport = Transport::Sse;
                    }
                    self.tell(&session, exchange);
                }
                // What serde says may quote a value of the file.
                Err(_) => self
                    .sink
                    .unread(Unread::new(place, "its members are not those of an exchange")),
            }
            return;
        }
        let request = ["request", "req", "body"]
            .into_iter()
            .find_map(|key| object.remove(key));
        let response = ["response", "resp", "result"]
            .into_iter()
            .find_map(|key| object.remove(key));
        let (request, response) = match (request, response) {
            (Some(request), response) => (request, response),
            // A body alone: of a request, or of a response.
            (None, None) if object.contains_key("output") => (Value::Null, Some(Value::Object(object))),
            (None, response) if object.contains_key("input") => (Value::Object(object), response),
            (None, _) => {
                self.sink.other("JSON that is neither a request nor a response");
                return;
            }
        };
        let Some(request) = request_of(request) else {
            self.sink
                .unread(Unread::new(place, "`request` is no JSON object"));
            return;
        };
        let response = response.filter(|response| !response.is_null());
        let response = response.and_then(|response| response_of(response, place, self.sink));
        let transport = match &response {
            Some(response) if response.events.is_some() => Transport::Sse,
            _ => Transport::Json,
        };
        let exchange = Exchange {
            exchange: 0,
            transport,
            at_ms: 0,
            request,
            response,
        };
        self.tell(&session, exchange);
    }

    fn tell(&mut self, session: &str, exchange: Exchange) {
        if exchange.transport != Transport::Ws
            && exchange.request.method != "GET"
            && !is_responses(&exchange.request.path)
            && !(self.sessions > 0 && is_served(&exchange.request.path))
        {
            self.sink
                .other(crate::message::other_call(&exchange.request.path));
            return;
        }
        self.sink.exchange(session, exchange);
    }
}

/// Whether Holdover itself serves and judges this wire of another provider. Only its own recordings are read for them:
/// what comes from a real service is redacted, and the redactor knows the Responses API alone.
fn is_served(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    match Wire::of_path(path) {
        Some(
            Wire::ChatCompletions
            | Wire::AnthropicMessages
            | Wire::GeminiGenerate
            | Wire::GeminiInteractions
            | Wire::BedrockConverse,
        ) => true,
        Some(Wire::Responses) | None => false,
    }
}

/// Whether a response has the members of a record, not those of a body.
fn is_record(response: &Value) -> bool {
    let has = |key: &str| response.get(key).is_some();
    response.is_null() || has("body") || has("events") || (has("end") && has("status"))
}

fn parsed(value: Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        value => value,
    }
}

fn request_of(value: Value) -> Option<RequestRecord> {
    let value = parsed(value);
    let empty = serde_json::json!({"body": null});
    let record = |value| serde_json::from_value::<RequestRecord>(value).ok();
    if value.is_null() {
        return record(empty);
    }
    let object = value.as_object()?;
    let path = object
        .get("path")
        .or_else(|| object.get("url"))
        .and_then(Value::as_str);
    let inner = ["body", "json", "data", "content"]
        .into_iter()
        .find(|key| object.contains_key(*key));
    let mut request = record(empty)?;
    if let (Some(inner), false) = (inner, object.contains_key("input")) {
        request.body = parsed(object[inner].clone());
        if let Some(path) = path {
            crate::message::path_of(path).clone_into(&mut request.path);
        }
        if let Some(method) = object.get("method").and_then(Value::as_str) {
            request.method = method.to_ascii_uppercase();
        }
        let pairs: Headers = object
            .get("headers")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.as_str()?.to_owned())))
            .collect();
        request.headers = holdover_wire::recording::kept_headers(&pairs);
        return Some(request);
    }
    request.body = value;
    Some(request)
}

fn response_of(value: Value, place: &str, sink: &mut dyn Sink) -> Option<ResponseRecord> {
    match parsed(value) {
        Value::String(text) if looks_like_stream(text.as_bytes()) => {
            Some(stream(text.as_bytes(), ResponseRecord::default(), place, sink))
        }
        Value::Array(events) => {
            let events = events
                .into_iter()
                .filter_map(|event| serde_json::from_value::<Event>(event).ok());
            Some(ended(events.collect(), ResponseRecord::default()))
        }
        Value::Object(object) if !object.contains_key("output") && object.contains_key("body") => {
            let mut record = response_of(object["body"].clone(), place, sink)?;
            let status = object.get("status").or_else(|| object.get("status_code"));
            if let Some(status) = status.and_then(Value::as_u64) {
                record.status = u16::try_from(status).unwrap_or(record.status);
            }
            Some(record)
        }
        Value::Object(object) => {
            let is_error =
                object.get("error").is_some_and(|error| !error.is_null()) && !object.contains_key("output");
            let record = ResponseRecord {
                status: if is_error { 400 } else { 200 },
                body: Some(Value::Object(object).into()),
                ..ResponseRecord::default()
            };
            Some(record)
        }
        _ => {
            sink.unread(Unread::new(place, "`response` is neither JSON nor a stream"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Captured;

    fn exchanges(lines: &[Value]) -> usize {
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let mut captured = Captured::default();
        read(text.join("\n").as_bytes(), &mut captured);
        let sessions = captured.sessions.iter();
        sessions.map(|session| session.recording.exchanges.len()).sum()
    }

    /// What comes from a real service on another wire stays out: nothing would redact it.
    #[test]
    fn another_wire_is_read_from_our_own_recordings_only() {
        let header = json!({"recording": FORMAT, "session": "default"});
        let chat = json!({"exchange": 1, "request": {"method": "POST", "path": "/api/v1/chat/completions", "body": {}},
            "response": {"status": 200, "body": {}}});
        assert_eq!(exchanges(&[header.clone(), chat.clone()]), 1);
        assert_eq!(exchanges(&[chat]), 0);
        let other = json!({"request": {"method": "POST", "path": "/v1/embeddings", "body": {}}, "response": {"body": {}}});
        assert_eq!(exchanges(&[header, other]), 0);
    }
}
