//! An HTTP message, or the frames of a socket, to an exchange.

use std::io::Read as _;

use holdover_wire::recording::{End, RequestRecord, ResponseRecord, Transport, kept_headers};
use holdover_wire::sse::Decoder;
use holdover_wire::{Event, Exchange, Object};
use serde_json::Value;

use crate::sink::{Sink, Unread};

/// Response headers that are kept.
const RESPONSE_HEADERS: [&str; 7] = [
    "content-type",
    "retry-after",
    "retry-after-ms",
    "x-should-retry",
    "x-request-id",
    "openai-processing-ms",
    "x-holdover-prior-protected",
];

/// A body that is unpacked to more than this is not one of the API's.
const UNPACKED_BYTES_MAX: u64 = 1 << 30;

/// Headers in order, names in lower case.
pub(crate) type Headers = Vec<(String, String)>;

/// A body as a capture has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// All of it.
    Whole(Vec<u8>),
    /// Its beginning.
    Cut(Vec<u8>),
    /// It was there, and the capture does not have it.
    Missing,
}

/// One HTTP request with its answer.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) method: String,
    pub(crate) url: String,
    pub(crate) request_headers: Headers,
    pub(crate) request: Body,
    pub(crate) status: u16,
    pub(crate) response_headers: Headers,
    pub(crate) response: Body,
    pub(crate) at_ms: u64,
}

/// A call of the API that the judge looks at.
pub(crate) fn is_responses(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.split('/').any(|part| part == "responses") || path.contains("/conversations")
}

/// What another call is, without a name of the user's.
pub(crate) fn other_call(url: &str) -> &'static str {
    let known = [
        ("/chat/completions", "a call of the Chat Completions API"),
        ("/v1/messages", "a call of the Messages API"),
        (":generateContent", "a call of the Gemini API"),
        (":streamGenerateContent", "a call of the Gemini API"),
        ("/embeddings", "a call for embeddings"),
        ("/moderations", "a call for moderations"),
        ("/models", "a call for models"),
    ];
    let found = known.iter().find(|(part, _)| url.contains(part));
    found.map_or("another HTTP call", |(_, what)| what)
}

/// Path and query of a URL.
pub(crate) fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    if rest.len() == url.len() && url.starts_with('/') {
        return url;
    }
    rest.find('/').map_or("/", |slash| &rest[slash..])
}

/// Session of a URL: one for each host, and one for each session that its path names.
pub(crate) fn session_of(url: &str) -> String {
    let named = path_of(url)
        .strip_prefix("/s/")
        .and_then(|rest| rest.split('/').next());
    named.unwrap_or("default").to_owned()
}

pub(crate) fn header<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}

/// What a recording keeps of the `headers` of a printed object, names in lower case.
pub(crate) fn headers_of(printed: &Object) -> Object {
    let headers = printed.get("headers").and_then(Value::as_object);
    let pairs: Headers = headers
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value.as_str()?.to_owned())))
        .collect();
    kept_headers(&pairs)
}

impl Message {
    /// Hands the exchange to the sink; `place` names it where something is amiss.
    pub(crate) fn tell(self, session: &str, place: &str, sink: &mut dyn Sink) {
        let path = path_of(&self.url).to_owned();
        let request_body = self.request_body(place, sink);
        let headers: Headers = self.request_headers.clone();
        let request = RequestRecord {
            method: self.method.to_ascii_uppercase(),
            path,
            headers: kept_headers(&headers),
            body: request_body,
        };
        let response = self.response_record(session, place, sink);
        let transport = match &response {
            Some(response) if response.events.is_some() => Transport::Sse,
            _ => Transport::Json,
        };
        sink.exchange(
            session,
            Exchange {
                exchange: 0,
                transport,
                at_ms: self.at_ms,
                request,
                response,
            },
        );
    }

    fn request_body(&self, place: &str, sink: &mut dyn Sink) -> Value {
        let bytes = match &self.request {
            Body::Whole(bytes) => bytes,
            Body::Cut(_) | Body::Missing => {
                sink.unread(Unread::new(
                    place,
                    "the capture does not have the whole request body",
                ));
                return Value::Null;
            }
        };
        if bytes.is_empty() {
            return Value::Null;
        }
        match unpacked(bytes, &self.request_headers) {
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                sink.unread(Unread::new(
                    place,
                    format!("the request body is no JSON: {error}"),
                ));
                Value::String(String::from_utf8_lossy(&bytes).into_owned())
            }),
            Err(reason) => {
                sink.unread(Unread::new(place, format!("the request body: {reason}")));
                Value::Null
            }
        }
    }

    /// `None` where the capture lost the response: it proves nothing then.
    fn response_record(&self, session: &str, place: &str, sink: &mut dyn Sink) -> Option<ResponseRecord> {
        let kept: Object = self
            .response_headers
            .iter()
            .filter(|(name, _)| RESPONSE_HEADERS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), Value::String(value.clone())))
            .collect();
        let record = ResponseRecord {
            status: self.status,
            headers: kept,
            ..ResponseRecord::default()
        };
        let (bytes, cut) = match &self.response {
            Body::Whole(bytes) => (bytes, false),
            Body::Cut(bytes) => (bytes, true),
            Body::Missing => {
                sink.unread(Unread::new(place, "the capture does not have the response body"));
                return None;
            }
        };
        if cut {
            sink.lossy(
                session,
                &format!("{place}: the response body is cut in the capture"),
            );
        }
        let bytes = match unpacked(bytes, &self.response_headers) {
            Ok(bytes) => bytes,
            Err(reason) => {
                sink.unread(Unread::new(place, format!("the response body: {reason}")));
                return None;
            }
        };
        if self.status == 0 {
            return Some(ResponseRecord {
                end: End::ClientGone,
                ..record
            });
        }
        let kind = header(&self.response_headers, "content-type").unwrap_or_default();
        if kind.contains("event-stream") || looks_like_stream(&bytes) {
            return Some(stream(&bytes, record, place, sink));
        }
        match serde_json::from_slice(&bytes) {
            Ok(body) => Some(ResponseRecord {
                body: Some(body),
                ..record
            }),
            Err(_) if bytes.is_empty() || self.status >= 400 => Some(record),
            Err(error) => {
                sink.unread(Unread::new(
                    place,
                    format!("the response body is no JSON: {error}"),
                ));
                None
            }
        }
    }
}

/// Whether a body is a stream whatever its header says.
pub(crate) fn looks_like_stream(bytes: &[u8]) -> bool {
    bytes.starts_with(b"event:") || bytes.starts_with(b"data:")
}

/// The events of a stream. One without its last event was cut, by the server or by the capture.
pub(crate) fn stream(
    bytes: &[u8],
    record: ResponseRecord,
    place: &str,
    sink: &mut dyn Sink,
) -> ResponseRecord {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for frame in decoder.push(bytes) {
        match frame.event() {
            Some(event) => events.push(event),
            None if frame.data.trim() == "[DONE]" || frame.data.is_empty() => {}
            None => sink.unread(Unread::new(place, "an event of the stream is no JSON object")),
        }
    }
    ended(events, record)
}

/// A response of these events.
pub(crate) fn ended(events: Vec<Event>, record: ResponseRecord) -> ResponseRecord {
    let is_over = |event: &Event| {
        event.is_terminal() || event.name() == "error" || event.object().contains_key("error")
    };
    let end = if events.last().is_some_and(is_over) {
        End::Complete
    } else {
        End::Cut
    };
    ResponseRecord {
        events: Some(events),
        end,
        ..record
    }
}

fn unpacked(bytes: &[u8], headers: &Headers) -> Result<Vec<u8>, String> {
    let is_gzip = bytes.starts_with(&[0x1f, 0x8b]);
    let mut out = Vec::new();
    let packed = match header(headers, "content-encoding").unwrap_or_default().trim() {
        _ if is_gzip => flate2::read::MultiGzDecoder::new(bytes)
            .take(UNPACKED_BYTES_MAX)
            .read_to_end(&mut out),
        "deflate" => flate2::read::ZlibDecoder::new(bytes)
            .take(UNPACKED_BYTES_MAX)
            .read_to_end(&mut out),
        // HAR files hold bodies unpacked and keep the header.
        "" | "identity" | "gzip" => return Ok(bytes.to_vec()),
        _ if is_readable(bytes) => return Ok(bytes.to_vec()),
        other => return Err(format!("it is packed as `{other}`, which is not unpacked here")),
    };
    match packed {
        Ok(_) => Ok(out),
        // What was unpacked before the damage is still there.
        Err(_) if !out.is_empty() => Ok(out),
        Err(error) => Err(format!("it cannot be unpacked: {error}")),
    }
}

fn is_readable(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(b'{' | b'[' | b'e' | b'd' | b':'))
}

/// The frames of a socket, in order, to exchanges: a `response.create` and what comes until its response is over.
#[derive(Default)]
pub(crate) struct Frames {
    request: Option<(Value, u64)>,
    events: Vec<Event>,
}

impl Frames {
    /// A frame that the client sent.
    pub(crate) fn sent(&mut self, text: &str, at_ms: u64, session: &str, place: &str, sink: &mut dyn Sink) {
        match serde_json::from_str::<Value>(text) {
            Ok(body) if body.is_object() => {
                self.finish(session, sink);
                self.request = Some((body, at_ms));
            }
            _ => sink.unread(Unread::new(place, "a frame of the client is no JSON object")),
        }
    }

    /// A frame that the server sent.
    pub(crate) fn received(&mut self, text: &str, session: &str, place: &str, sink: &mut dyn Sink) {
        match serde_json::from_str::<Event>(text) {
            Ok(event) => {
                let over = event.is_terminal() || event.name() == "error";
                self.events.push(event);
                if over {
                    self.finish(session, sink);
                }
            }
            Err(_) => sink.unread(Unread::new(place, "a frame of the server is no JSON object")),
        }
    }

    /// Tells what is open.
    pub(crate) fn finish(&mut self, session: &str, sink: &mut dyn Sink) {
        let events = std::mem::take(&mut self.events);
        let Some((body, at_ms)) = self.request.take() else {
            return;
        };
        let request = RequestRecord {
            method: "GET".to_owned(),
            path: "/v1/responses".to_owned(),
            headers: Object::new(),
            body,
        };
        sink.exchange(
            session,
            Exchange {
                exchange: 0,
                transport: Transport::Ws,
                at_ms,
                request,
                response: Some(ended(events, ResponseRecord::default())),
            },
        );
    }
}

/// Milliseconds since 1970 of `2026-11-30T18:26:01.123Z`, with an offset or without; `None` for another form.
pub(crate) fn millis_of(text: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let rest = text.get(19..)?;
    let digits: String = rest
        .strip_prefix('.')
        .unwrap_or("")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let millis: i64 = format!("{digits:0<3}").get(..3)?.parse().ok()?;
    let zone = rest.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    let offset = match zone.as_bytes().first() {
        Some(sign @ (b'+' | b'-')) => {
            let hours: i64 = zone.get(1..3)?.parse().ok()?;
            let minutes: i64 = zone.get(zone.len().checked_sub(2)?..)?.parse().ok()?;
            let offset = hours * 60 + minutes;
            if *sign == b'+' { offset } else { -offset }
        }
        _ => 0,
    };
    // Days of the proleptic calendar, with March as the first month.
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day - 719_469;
    let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second;
    u64::try_from(seconds * 1000 + millis).ok()
}

/// The time stamp of milliseconds since 1970: what [`millis_of`] reads.
pub(crate) fn stamp_of(millis: u64) -> String {
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    // Days since the first of March of the year 0, by eras of 400 years.
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year_of_era + era * 400 + carry;
    let (hour, minute, second, milli) = (
        rest / 3_600_000,
        rest / 60_000 % 60,
        rest / 1000 % 60,
        rest % 1000,
    );
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stamps_are_read_with_and_without_a_zone() {
        assert_eq!(millis_of("1970-01-01T00:00:00Z"), Some(0));
        // `date -d 2026-11-18T20:26:40Z +%s` says 1795033600.
        assert_eq!(millis_of("2026-11-18T20:26:40.250Z"), Some(1_795_033_600_250));
        assert_eq!(
            millis_of("2026-11-18T21:26:40.250+01:00"),
            Some(1_795_033_600_250)
        );
        assert_eq!(stamp_of(1_795_033_600_250), "2026-11-18T20:26:40.250Z");
        assert_eq!(millis_of("yesterday"), None);
    }

    #[test]
    fn a_path_is_told_from_its_host() {
        assert_eq!(
            path_of("https://api.openai.com/v1/responses?x=1"),
            "/v1/responses?x=1"
        );
        assert_eq!(path_of("/v1/responses"), "/v1/responses");
        assert_eq!(session_of("http://localhost:8790/s/a.b/v1/responses"), "a.b");
        assert!(is_responses("/openai/responses?api-version=1"));
        assert!(!is_responses("/v1/chat/completions"));
    }
}
