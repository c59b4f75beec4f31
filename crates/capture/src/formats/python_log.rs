//! Debug logs of openai-python: `Request options: {…}`, then the status of the answer. Bodies of answers are not in it.

use std::io::BufRead;

use holdover_wire::Exchange;
use holdover_wire::recording::{RequestRecord, ResponseRecord, Transport};
use serde_json::Value;

use super::lines;
use crate::loose;
use crate::message::{headers_of, is_responses, other_call, path_of};
use crate::sink::{Sink, Unread};

const OPTIONS: &str = "Request options: ";
const ANSWER: &str = "HTTP Response: ";
const OLDER_ANSWER: &str = "HTTP Request: ";

/// Reads line after line.
pub(crate) fn read(reader: impl BufRead, sink: &mut dyn Sink) {
    sink.lossy(
        "default",
        "a debug log of openai-python has no bodies of responses",
    );
    let mut open: Option<RequestRecord> = None;
    for (number, line) in lines::numbered(reader) {
        let place = format!("line {number}");
        let Ok(line) = line else {
            sink.unread(Unread::new(place, "the file cannot be read on"));
            break;
        };
        if let Some((_, options)) = line.split_once(OPTIONS) {
            if let Some(request) = open.take() {
                tell(request, None, sink);
            }
            open = request(options, &place, sink);
        } else if let Some(answer) = [ANSWER, OLDER_ANSWER]
            .iter()
            .find_map(|mark| line.split_once(mark))
            && let Some(status) = status(answer.1)
            && let Some(request) = open.take()
        {
            // What came back is known to be good or not, and nothing else of it.
            let record = (status >= 400).then(|| ResponseRecord {
                status,
                ..ResponseRecord::default()
            });
            tell(request, record, sink);
        }
    }
    if let Some(request) = open {
        tell(request, None, sink);
    }
}

fn tell(request: RequestRecord, response: Option<ResponseRecord>, sink: &mut dyn Sink) {
    let exchange = Exchange {
        exchange: 0,
        transport: Transport::Json,
        at_ms: 0,
        request,
        response,
    };
    sink.exchange("default", exchange);
}

/// `POST https://… "400 Bad Request"`: the number.
fn status(answer: &str) -> Option<u16> {
    let quoted = answer.split_once('"')?.1.split('"').next()?;
    quoted
        .split_whitespace()
        .find_map(|word| word.parse().ok().filter(|status| (100..600).contains(status)))
}

fn request(options: &str, place: &str, sink: &mut dyn Sink) -> Option<RequestRecord> {
    let Some(printed) = loose::parse(options) else {
        sink.unread(Unread::new(place, "the options of the request break off"));
        return None;
    };
    let object = printed.value.as_object()?;
    let url = object.get("url").and_then(Value::as_str).unwrap_or("/responses");
    if !is_responses(url) {
        sink.other(other_call(url));
        return None;
    }
    if printed.cut {
        sink.lossy(
            "default",
            &format!("{place}: the log left parts of the request out"),
        );
    }
    let body = object.get("json_data").or_else(|| object.get("json")).cloned();
    let Some(body @ Value::Object(_)) = body else {
        sink.unread(Unread::new(place, "the log has no body for this request"));
        return None;
    };
    let method = object.get("method").and_then(Value::as_str).unwrap_or("post");
    Some(RequestRecord {
        method: method.to_ascii_uppercase(),
        path: path(url),
        headers: headers_of(object),
        body,
    })
}

fn path(url: &str) -> String {
    let path = path_of(url);
    if path.starts_with("/responses") {
        format!("/v1{path}")
    } else {
        path.to_owned()
    }
}
