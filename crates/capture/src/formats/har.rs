//! HAR: one entry at a time, so that memory is bounded by the largest one.

use std::fmt;
use std::io::Read;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::message::{
    Body, Frames, Headers, Message, header, is_responses, millis_of, other_call, session_of,
};
use crate::sink::{Sink, Unread};

/// Reads the file to its end, or to where it breaks off.
pub(crate) fn read(reader: impl Read, sink: &mut dyn Sink) {
    let mut entries = Entries {
        sink,
        number: 0,
        began_ms: None,
    };
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    let whole = Root(&mut entries).deserialize(&mut deserializer);
    if let Err(error) = whole.and_then(|()| deserializer.end()) {
        let place = format!("line {}", error.line());
        let reason = format!("the file breaks off or is damaged here, and what came before is kept: {error}");
        entries.sink.unread(Unread::new(place, reason));
    }
}

struct Entries<'a> {
    sink: &'a mut dyn Sink,
    number: u64,
    began_ms: Option<u64>,
}

/// The object at the top: `log` is read, the rest is passed over.
struct Root<'e, 'a>(&'e mut Entries<'a>);

/// The object `log`.
struct Log<'e, 'a>(&'e mut Entries<'a>);

/// The list `entries`.
struct List<'e, 'a>(&'e mut Entries<'a>);

macro_rules! passes_into {
    ($name:ident, $key:literal, $inner:ident) => {
        impl<'de> DeserializeSeed<'de> for $name<'_, '_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_map(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_, '_> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("an object with `", $key, "`"))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
                while let Some(key) = map.next_key::<String>()? {
                    if key == $key {
                        map.next_value_seed($inner(&mut *self.0))?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(())
            }
        }
    };
}

passes_into!(Root, "log", Log);
passes_into!(Log, "entries", List);

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(entry) = seq.next_element::<Value>()? {
            self.0.take(&entry);
        }
        Ok(())
    }
}

impl Entries<'_> {
    fn take(&mut self, entry: &Value) {
        self.number += 1;
        let place = format!("entry {}", self.number);
        let Some(url) = entry.pointer("/request/url").and_then(Value::as_str) else {
            self.sink
                .unread(Unread::new(place, "the entry has no `request.url`"));
            return;
        };
        let at_ms = self.at_ms(entry);
        if let Some(frames) = entry.get("_webSocketMessages").and_then(Value::as_array) {
            self.frames(frames, url, at_ms, &place);
            return;
        }
        if !is_responses(url) {
            self.sink.other(other_call(url));
            return;
        }
        let message = message(entry, url, at_ms);
        message.tell(&session_of(url), &place, self.sink);
    }

    /// Milliseconds since the first entry.
    fn at_ms(&mut self, entry: &Value) -> u64 {
        let stamp = entry
            .get("startedDateTime")
            .and_then(Value::as_str)
            .and_then(millis_of);
        let Some(stamp) = stamp else { return 0 };
        stamp.saturating_sub(*self.began_ms.get_or_insert(stamp))
    }

    fn frames(&mut self, frames: &[Value], url: &str, at_ms: u64, place: &str) {
        if !is_responses(url) {
            self.sink.other("a socket to something else");
            return;
        }
        let session = session_of(url);
        let mut open = Frames::default();
        for (index, frame) in frames.iter().enumerate() {
            let place = format!("{place}, frame {}", index + 1);
            let text = frame.get("data").and_then(Value::as_str).unwrap_or_default();
            match frame.get("type").and_then(Value::as_str) {
                Some("send") => open.sent(text, at_ms, &session, &place, self.sink),
                Some("receive") => open.received(text, &session, &place, self.sink),
                _ => self
                    .sink
                    .unread(Unread::new(place, "the frame says neither `send` nor `receive`")),
            }
        }
        open.finish(&session, self.sink);
    }
}

fn message(entry: &Value, url: &str, at_ms: u64) -> Message {
    let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str);
    let status = entry.pointer("/response/status").and_then(Value::as_u64);
    let mut response_headers = headers(entry.pointer("/response/headers"));
    if header(&response_headers, "content-type").is_none()
        && let Some(kind) = text("/response/content/mimeType")
    {
        response_headers.push(("content-type".to_owned(), kind.to_owned()));
    }
    Message {
        method: text("/request/method").unwrap_or("POST").to_owned(),
        url: url.to_owned(),
        request_headers: headers(entry.pointer("/request/headers")),
        request: request_body(entry),
        status: status.and_then(|status| u16::try_from(status).ok()).unwrap_or(0),
        response_headers,
        response: response_body(entry),
        at_ms,
    }
}

fn headers(list: Option<&Value>) -> Headers {
    let pairs = list.and_then(Value::as_array).into_iter().flatten();
    pairs
        .filter_map(|pair| {
            let name = pair.get("name")?.as_str()?.to_ascii_lowercase();
            Some((name, pair.get("value")?.as_str()?.to_owned()))
        })
        .collect()
}

fn request_body(entry: &Value) -> Body {
    let Some(data) = entry.pointer("/request/postData") else {
        let size = entry
            .pointer("/request/bodySize")
            .and_then(Value::as_i64)
            .unwrap_or(0);
        return if size > 0 {
            Body::Missing
        } else {
            Body::Whole(Vec::new())
        };
    };
    text_of(data).map_or(Body::Missing, Body::Whole)
}

/// A stream often has no text in a HAR file at all, or only as much as the browser kept.
fn response_body(entry: &Value) -> Body {
    let Some(content) = entry.pointer("/response/content") else {
        return Body::Missing;
    };
    let size = content.get("size").and_then(Value::as_i64).unwrap_or(0);
    match text_of(content) {
        Some(bytes) if !content_is_cut(content) => Body::Whole(bytes),
        Some(bytes) => Body::Cut(bytes),
        None if size == 0 && is_error(entry) => Body::Whole(Vec::new()),
        None => Body::Missing,
    }
}

fn content_is_cut(content: &Value) -> bool {
    let says = content.get("comment").and_then(Value::as_str).unwrap_or_default();
    says.contains("truncated") || content.get("_truncated").and_then(Value::as_bool) == Some(true)
}

fn is_error(entry: &Value) -> bool {
    let status = entry.pointer("/response/status").and_then(Value::as_i64);
    status.is_none_or(|status| status <= 0 || status >= 400)
}

/// `text`, as it stands or in base64.
fn text_of(object: &Value) -> Option<Vec<u8>> {
    let text = object.get("text")?.as_str()?;
    let encoding = object
        .get("encoding")
        .or_else(|| object.get("_encoding"))
        .and_then(Value::as_str);
    if encoding == Some("base64") {
        return STANDARD.decode(text.trim()).ok();
    }
    Some(text.as_bytes().to_vec())
}
