//! mitmproxy: flows as tagged netstrings, one after the other.
//!
//! `LENGTH:PAYLOAD TAG`: `,` bytes, `;` text, `#` integer, `^` float, `!` truth, `~` null, `}` map, `]` list.

use std::io::{BufRead, Read as _};

use crate::message::{Body, Frames, Headers, Message, is_responses, other_call, session_of};
use crate::sink::{Sink, Unread};

/// A flow of more bytes than this is none.
const FLOW_BYTES_MAX: usize = 1 << 30;
/// Maps and lists inside each other.
const DEPTH_MAX: usize = 32;

/// One value.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Bytes(Vec<u8>),
    Number(f64),
    Truth(bool),
    Null,
    Map(Vec<(String, Node)>),
    List(Vec<Node>),
}

impl Node {
    fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, node)| node),
            _ => None,
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        self.bytes()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn list(&self) -> &[Self] {
        match self {
            Self::List(nodes) => nodes,
            _ => &[],
        }
    }
}

/// Reads flow after flow.
pub(crate) fn read(mut reader: impl BufRead, sink: &mut dyn Sink) {
    let mut began = None;
    for number in 1_u64.. {
        let place = format!("flow {number}");
        let payload = match next(&mut reader) {
            Ok(Some(payload)) => payload,
            Ok(None) => return,
            Err(reason) => {
                sink.unread(Unread::new(place, reason));
                return;
            }
        };
        match parse(&payload, 0) {
            Some((flow, [])) => take(&flow, &place, &mut began, sink),
            _ => sink.unread(Unread::new(place, "the flow is damaged")),
        }
    }
}

/// The next netstring with its length and tag; `None` at the end of the file.
fn next(reader: &mut impl BufRead) -> Result<Option<Vec<u8>>, String> {
    let mut digits = Vec::new();
    let read = reader.take(13).read_until(b':', &mut digits);
    match read {
        Ok(0) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(format!("the file cannot be read on: {error}")),
    }
    if digits.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let length = length_of(&digits).ok_or("no length of a flow stands here")?;
    let mut payload = digits;
    let taken = reader.take(length as u64 + 1).read_to_end(&mut payload);
    match taken {
        Ok(bytes) if bytes == length + 1 => Ok(Some(payload)),
        Ok(_) => Err("the file ends inside the flow".to_owned()),
        Err(error) => Err(format!("the file cannot be read on: {error}")),
    }
}

fn length_of(digits: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(digits.strip_suffix(b":")?).ok()?;
    digits.parse().ok().filter(|length| *length <= FLOW_BYTES_MAX)
}

/// The first value and what stands behind it.
fn parse(bytes: &[u8], depth: usize) -> Option<(Node, &[u8])> {
    let colon = bytes.iter().take(13).position(|byte| *byte == b':')?;
    let length = length_of(&bytes[..=colon])?;
    let payload = bytes.get(colon + 1..colon + 1 + length)?;
    let tag = *bytes.get(colon + 1 + length)?;
    let rest = bytes.get(colon + 2 + length..)?;
    let text = || std::str::from_utf8(payload).ok();
    let node = match tag {
        b',' | b';' => Node::Bytes(payload.to_vec()),
        b'#' | b'^' => Node::Number(text()?.parse().ok()?),
        b'!' => Node::Truth(payload == b"true"),
        b'~' => Node::Null,
        b'}' | b']' if depth < DEPTH_MAX => {
            let mut nodes = Vec::new();
            let mut inner = payload;
            while !inner.is_empty() {
                let (node, rest) = parse(inner, depth + 1)?;
                nodes.push(node);
                inner = rest;
            }
            if tag == b']' {
                Node::List(nodes)
            } else {
                let keys = nodes.iter().step_by(2).map(|key| key.text().unwrap_or_default());
                let values = nodes.iter().skip(1).step_by(2).cloned();
                Node::Map(keys.zip(values).collect())
            }
        }
        _ => return None,
    };
    Some((node, rest))
}

fn take(flow: &Node, place: &str, began: &mut Option<f64>, sink: &mut dyn Sink) {
    let Some(request) = flow.get("request") else {
        sink.other("a flow that is no HTTP");
        return;
    };
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::text);
    let path = text(request, "path").unwrap_or_default();
    let at_ms = at_ms(request, began);
    if let Some(socket) = flow.get("websocket").and_then(|socket| socket.get("messages")) {
        if is_responses(&path) {
            frames(socket, &path, at_ms, place, sink);
        } else {
            sink.other("a socket to something else");
        }
        return;
    }
    if !is_responses(&path) {
        sink.other(other_call(&path));
        return;
    }
    let response = flow
        .get("response")
        .filter(|response| response.get("status_code").is_some());
    let message = Message {
        method: text(request, "method").unwrap_or_else(|| "POST".to_owned()),
        url: path.clone(),
        request_headers: headers(request),
        request: body(request),
        status: response.and_then(status).unwrap_or(0),
        response_headers: response.map(headers).unwrap_or_default(),
        response: response.map_or_else(|| Body::Whole(Vec::new()), body),
        at_ms,
    };
    message.tell(&session_of(&path), place, sink);
}

fn at_ms(request: &Node, began: &mut Option<f64>) -> u64 {
    let Some(start) = request.get("timestamp_start").and_then(Node::number) else {
        return 0;
    };
    let passed = (start - *began.get_or_insert(start)) * 1000.0;
    // A clock that was set back gives no negative time.
    format!("{:.0}", passed.max(0.0)).parse().unwrap_or(0)
}

fn status(response: &Node) -> Option<u16> {
    let status = response.get("status_code")?.number()?;
    format!("{status:.0}").parse().ok()
}

fn headers(message: &Node) -> Headers {
    let pairs = message.get("headers").map(Node::list).unwrap_or_default();
    let pair = |pair: &Node| match pair.list() {
        [name, value] => Some((name.text()?.to_ascii_lowercase(), value.text()?)),
        _ => None,
    };
    pairs.iter().filter_map(pair).collect()
}

fn body(message: &Node) -> Body {
    match message.get("content") {
        Some(Node::Bytes(bytes)) => Body::Whole(bytes.clone()),
        // mitmproxy writes null where it streamed a body through.
        _ => Body::Missing,
    }
}

fn frames(messages: &Node, path: &str, at_ms: u64, place: &str, sink: &mut dyn Sink) {
    let session = session_of(path);
    let mut open = Frames::default();
    for (index, message) in messages.list().iter().enumerate() {
        let place = format!("{place}, frame {}", index + 1);
        match message.list() {
            [_, Node::Truth(from_client), content, ..] => {
                let text = content.text().unwrap_or_default();
                if *from_client {
                    open.sent(&text, at_ms, &session, &place, sink);
                } else {
                    open.received(&text, &session, &place, sink);
                }
            }
            _ => sink.unread(Unread::new(place, "the frame is damaged")),
        }
    }
    open.finish(&session, sink);
}
