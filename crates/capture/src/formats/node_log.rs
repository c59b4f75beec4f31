//! Debug logs of openai-node: `[log_…] sending request {…}`, then `[log_…] response parsed {…}`.

use std::collections::BTreeMap;
use std::io::BufRead;

use holdover_wire::recording::{RequestRecord, ResponseRecord, Transport};
use holdover_wire::{Exchange, Object};
use serde_json::Value;

use super::lines;
use crate::loose;
use crate::message::{headers_of, is_responses, other_call, path_of};
use crate::sink::{Sink, Unread};

/// Lines that one printed value may take.
const LINES_MAX: usize = 20_000;

/// Reads line after line; a value goes on over as many as it takes.
pub(crate) fn read(reader: impl BufRead, sink: &mut dyn Sink) {
    let mut log = Log {
        open: BTreeMap::new(),
        order: 0,
        sink,
    };
    let mut pending: Option<Pending> = None;
    for (number, line) in lines::numbered(reader) {
        let Ok(line) = line else {
            log.sink.unread(Unread::new(
                format!("line {number}"),
                "the file cannot be read on",
            ));
            break;
        };
        match what(&line) {
            Some((says, key, rest)) => {
                log.give_up(pending.take());
                pending = log.take(Pending {
                    says,
                    key,
                    text: rest.to_owned(),
                    line: number,
                    lines: 1,
                });
            }
            None => {
                if let Some(mut waiting) = pending.take() {
                    waiting.text.push('\n');
                    waiting.text.push_str(&line);
                    waiting.lines += 1;
                    if waiting.lines > LINES_MAX {
                        log.give_up(Some(waiting));
                    } else if line.ends_with('}') && !line.starts_with([' ', '\t']) {
                        pending = log.take(waiting);
                    } else {
                        pending = Some(waiting);
                    }
                }
            }
        }
    }
    log.give_up(pending);
    log.finish();
}

/// What a line says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Sending,
    Parsed,
    Refused,
}

struct Pending {
    says: Says,
    key: String,
    text: String,
    line: usize,
    lines: usize,
}

struct Log<'a> {
    open: BTreeMap<String, (u64, RequestRecord)>,
    order: u64,
    sink: &'a mut dyn Sink,
}

fn what(line: &str) -> Option<(Says, String, &str)> {
    let marks = [
        (Says::Sending, "] sending request"),
        (Says::Parsed, "] response parsed"),
        (Says::Refused, "] response error"),
    ];
    marks.iter().find_map(|(says, mark)| {
        let (before, rest) = line.split_once(mark)?;
        let key = before.rsplit_once('[')?.1;
        // `response error (error; no more retries left) {…}`
        let rest = rest.find('{').map_or("", |brace| &rest[brace..]);
        Some((*says, key.to_owned(), rest))
    })
}

impl Log<'_> {
    /// Takes a value that is whole, and gives one back that is not.
    fn take(&mut self, pending: Pending) -> Option<Pending> {
        let Some(printed) = loose::parse(&pending.text) else {
            return Some(pending);
        };
        let place = format!("line {}", pending.line);
        let Value::Object(object) = printed.value else {
            return None;
        };
        if printed.cut {
            self.sink.lossy(
                "default",
                &format!("{place}: the log left parts out (`[Object]`)"),
            );
        }
        match pending.says {
            Says::Sending => self.sending(pending.key, &object, &place),
            Says::Parsed | Says::Refused => self.answered(&pending.key, &object),
        }
        None
    }

    fn sending(&mut self, key: String, object: &Object, place: &str) {
        let options = object.get("options").and_then(Value::as_object);
        let url = object.get("url").and_then(Value::as_str).unwrap_or("/responses");
        if !is_responses(url) {
            self.sink.other(other_call(url));
            return;
        }
        let Some(body) = options
            .and_then(|options| options.get("body"))
            .filter(|body| body.is_object())
        else {
            self.sink
                .unread(Unread::new(place, "the log has no body for this request"));
            return;
        };
        if body.get("stream").and_then(Value::as_bool) == Some(true) {
            self.sink
                .lossy("default", "a debug log of openai-node has no bodies of streams");
        }
        let method = object.get("method").and_then(Value::as_str).unwrap_or("post");
        let request = RequestRecord {
            method: method.to_ascii_uppercase(),
            path: path_of(url).to_owned(),
            headers: headers_of(object),
            body: body.clone(),
        };
        self.order += 1;
        self.open.insert(key, (self.order, request));
    }

    fn answered(&mut self, key: &str, object: &Object) {
        let Some((_, request)) = self.open.remove(key) else {
            return;
        };
        let status = object
            .get("status")
            .and_then(Value::as_u64)
            .and_then(|status| u16::try_from(status).ok());
        let body = object.get("body").or_else(|| object.get("message")).cloned();
        let body = body.map(|body| match body {
            Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
            body => body,
        });
        let response = body.filter(Value::is_object).map(|body| ResponseRecord {
            status: status.unwrap_or(200),
            body: Some(body.into()),
            ..ResponseRecord::default()
        });
        self.tell(request, response);
    }

    fn tell(&mut self, request: RequestRecord, response: Option<ResponseRecord>) {
        let exchange = Exchange {
            exchange: 0,
            transport: Transport::Json,
            at_ms: 0,
            request,
            response,
        };
        self.sink.exchange("default", exchange);
    }

    fn give_up(&mut self, pending: Option<Pending>) {
        if let Some(pending) = pending {
            let place = format!("line {}", pending.line);
            self.sink
                .unread(Unread::new(place, "what is printed here breaks off"));
        }
    }

    /// Tells requests whose answers are not in the log, in their order.
    fn finish(mut self) {
        let mut left: Vec<_> = std::mem::take(&mut self.open).into_values().collect();
        left.sort_by_key(|(order, _)| *order);
        for (_, request) in left {
            self.tell(request, None);
        }
    }
}
