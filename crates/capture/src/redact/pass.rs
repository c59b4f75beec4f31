//! A sink that redacts what passes through it.

use std::collections::BTreeMap;

use holdover_wire::Exchange;
use holdover_wire::recording::Header;

use super::{Redactor, Text, plain};
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
        let profile = if plain::is_dashed(&header.profile) {
            header.profile
        } else {
            Header::default().profile
        };
        self.sink.header(Header {
            session,
            profile,
            ..header
        });
    }

    fn unread(&mut self, unread: Unread) {
        self.sink.unread(Unread {
            reason: unquoted(&unread.reason),
            ..unread
        });
    }

    fn lossy(&mut self, session: &str, why: &str) {
        let session = self.session(session);
        self.sink.lossy(&session, why);
    }

    fn other(&mut self, what: &str) {
        self.sink.other(what);
    }
}

/// A reason without what it quotes of the capture.
fn unquoted(reason: &str) -> String {
    let mut out = String::with_capacity(reason.len());
    let mut rest = reason;
    while let Some(start) = rest.find(['`', '"']) {
        let quote = &rest[start..=start];
        let (before, behind) = (&rest[..start], &rest[start + 1..]);
        let next = behind.find(quote).unwrap_or(behind.len());
        // With a quote in what is quoted, everything up to the last one may be the capture's.
        let end = if plain::is_word(&behind[..next]) {
            next
        } else {
            behind.rfind(quote).unwrap_or(behind.len())
        };
        let quoted = &behind[..end];
        out.push_str(before);
        let shown = if plain::is_word(quoted) { quoted } else { "…" };
        out.extend([quote, shown, quote]);
        rest = behind.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}
