//! A sink that redacts what passes through it.

use std::collections::BTreeMap;

use holdover_wire::Exchange;
use holdover_wire::recording::Header;

use super::{Redactor, Text};
use crate::sink::{Sink, Unread};

/// Redacts what passes; its key comes from the first exchange, so that equal captures give equal stand-ins.
pub struct Redacting<'a> {
    sink: &'a mut dyn Sink,
    text: Text,
    redactor: Option<Redactor>,
    /// Sessions by the names of the capture.
    sessions: BTreeMap<String, String>,
}

impl<'a> Redacting<'a> {
    /// In front of `sink`.
    pub fn new(sink: &'a mut dyn Sink, text: Text) -> Self {
        Self {
            sink,
            text,
            redactor: None,
            sessions: BTreeMap::new(),
        }
    }

    fn session(&mut self, name: &str) -> String {
        let number = self.sessions.len() + 1;
        let new = || {
            if name == "default" {
                name.to_owned()
            } else {
                format!("session-{number}")
            }
        };
        self.sessions.entry(name.to_owned()).or_insert_with(new).clone()
    }
}

impl Sink for Redacting<'_> {
    fn exchange(&mut self, session: &str, mut exchange: Exchange) {
        let session = self.session(session);
        let text = self.text;
        let redactor = self
            .redactor
            .get_or_insert_with(|| Redactor::new(holdover_wire::recording::line(&exchange).as_bytes(), text));
        redactor.exchange(&mut exchange);
        self.sink.exchange(&session, exchange);
    }

    fn header(&mut self, header: Header) {
        let session = self.session(&header.session);
        self.sink.header(Header { session, ..header });
    }

    fn unread(&mut self, unread: Unread) {
        self.sink.unread(unread);
    }

    fn lossy(&mut self, session: &str, why: &str) {
        let session = self.session(session);
        self.sink.lossy(&session, why);
    }

    fn other(&mut self, what: &str) {
        self.sink.other(what);
    }
}
