//! What stands before every sink: it numbers exchanges, and notices what began before the capture did.

use std::collections::{BTreeMap, BTreeSet};

use holdover_wire::item::ItemView;
use holdover_wire::recording::Header;
use holdover_wire::{Exchange, Object};
use serde_json::Value;

use crate::sink::{Sink, Unread};

/// Hexadecimal digits from which on an id is a server's own.
const SERVER_ID_CHARS: usize = 24;

const BEGAN_EARLIER: &str = "it carries items that were issued before the capture begins";

/// Numbers what passes and says where absence proves nothing.
pub(crate) struct Front<'a> {
    sink: &'a mut dyn Sink,
    sessions: BTreeMap<String, Seen>,
}

/// What was seen of a session.
#[derive(Default)]
struct Seen {
    exchanges: u64,
    issued: BTreeSet<String>,
    /// First items of inputs: the mark by which a conversation is known again.
    beginnings: BTreeSet<[u8; 32]>,
}

impl<'a> Front<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink) -> Self {
        Self {
            sink,
            sessions: BTreeMap::new(),
        }
    }

    /// Whether any exchange passed.
    pub(crate) fn passed_any(&self) -> bool {
        !self.sessions.is_empty()
    }
}

impl Sink for Front<'_> {
    fn exchange(&mut self, session: &str, mut exchange: Exchange) {
        let seen = self.sessions.entry(session.to_owned()).or_default();
        seen.exchanges = seen.exchanges.max(number_before(exchange.exchange)) + 1;
        exchange.exchange = seen.exchanges;
        if seen.began_earlier(&exchange) {
            let why = format!("exchange {}: {BEGAN_EARLIER}", exchange.exchange);
            self.sink.lossy(session, &why);
        }
        if exchange.response.is_none() {
            let why = format!("exchange {} has no response in the capture", exchange.exchange);
            self.sink.lossy(session, &why);
        }
        seen.learn(&exchange);
        self.sink.exchange(session, exchange);
    }

    fn header(&mut self, header: Header) {
        self.sink.header(header);
    }

    fn unread(&mut self, unread: Unread) {
        self.sink.unread(unread);
    }

    fn lossy(&mut self, session: &str, why: &str) {
        self.sink.lossy(session, why);
    }

    fn other(&mut self, what: &str) {
        self.sink.other(what);
    }
}

/// The number before one that a file gives; what no session counts up to is no number.
fn number_before(number: u64) -> u64 {
    number
        .checked_sub(1)
        .filter(|before| *before < u64::from(u32::MAX))
        .unwrap_or(0)
}

impl Seen {
    /// Whether the request names things of a server, none of which this session saw, in a conversation that it did not
    /// see begin.
    fn began_earlier(&self, exchange: &Exchange) -> bool {
        let Some(body) = exchange.request.body.as_object() else {
            return false;
        };
        let first = first_item(body).map(hash);
        if first.is_some_and(|first| self.beginnings.contains(&first)) {
            return false;
        }
        let mut named = names(body).peekable();
        named.peek().is_some() && !named.any(|id| self.issued.contains(id))
    }

    fn learn(&mut self, exchange: &Exchange) {
        if let Some(first) = exchange.request.body.as_object().and_then(first_item) {
            self.beginnings.insert(hash(first));
        }
        let Some(response) = &exchange.response else {
            return;
        };
        let events = response.events.iter().flatten().map(holdover_wire::Event::object);
        for object in events.chain(response.body.as_deref().and_then(Value::as_object)) {
            self.learn_object(object);
            for inner in ["response", "item"] {
                if let Some(inner) = object.get(inner).and_then(Value::as_object) {
                    self.learn_object(inner);
                }
            }
        }
    }

    fn learn_object(&mut self, object: &Object) {
        let own = object.get("id").and_then(Value::as_str);
        let lists = ["output", "data"]
            .into_iter()
            .filter_map(|key| object.get(key)?.as_array());
        let items = lists.flatten().filter_map(|item| item.get("id")?.as_str());
        let all: Vec<String> = own.into_iter().chain(items).map(str::to_owned).collect();
        self.issued.extend(all);
    }
}

fn first_item(body: &Object) -> Option<&Value> {
    match body.get("input")? {
        Value::Array(items) => items.first(),
        text => Some(text),
    }
}

fn hash(value: &Value) -> [u8; 32] {
    // A text and a message that holds it begin the same conversation.
    let text = value.get("content").unwrap_or(value);
    let text = text.pointer("/0/text").unwrap_or(text);
    *blake3::hash(text.to_string().as_bytes()).as_bytes()
}

/// What a request names of a server's: the response before, and items with ids of a server's own shape.
fn names(body: &Object) -> impl Iterator<Item = &str> {
    let previous = body.get("previous_response_id").and_then(Value::as_str);
    let items = body.get("input").and_then(Value::as_array).into_iter().flatten();
    let ids = items
        .filter_map(Value::as_object)
        .filter_map(|item| ItemView::new(item).id());
    previous.into_iter().chain(ids.filter(|id| is_servers(id)))
}

fn is_servers(id: &str) -> bool {
    let Some((prefix, tail)) = id.split_once('_') else {
        return false;
    };
    let known = ["rs", "msg", "fc", "ctc", "cmp", "ws", "resp"].contains(&prefix);
    known && tail.len() >= SERVER_ID_CHARS && tail.bytes().all(|byte| byte.is_ascii_hexdigit())
}
