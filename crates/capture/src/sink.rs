//! Who takes what a reader finds.

use std::collections::BTreeMap;

use holdover_wire::recording::Header;
use holdover_wire::{Exchange, Recording};

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Where: `line 12`, `entry 3`, `byte 4096`, the name of a file in a folder.
    pub place: String,
    /// Why.
    pub reason: String,
}

impl Unread {
    /// A place and a reason.
    pub fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            reason: reason.into(),
        }
    }
}

/// Takes what a reader finds, in the order of the file.
pub trait Sink {
    /// The next exchange of a session.
    fn exchange(&mut self, session: &str, exchange: Exchange);

    /// First line of a session that has one.
    fn header(&mut self, _header: Header) {}

    /// Something that could not be read.
    fn unread(&mut self, unread: Unread);

    /// From here on absence proves nothing in this session; `why` is a fragment for the user.
    fn lossy(&mut self, session: &str, why: &str);

    /// Something the file holds that is no call of the Responses API.
    fn other(&mut self, what: &str);
}

/// One session of a capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// Its exchanges.
    pub recording: Recording,
    /// Why absence proves nothing in it; empty where it is whole.
    pub lossy: Vec<String>,
}

/// Everything that a capture holds, kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captured {
    /// Sessions in the order in which they began.
    pub sessions: Vec<Session>,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// What else the file holds, with how often.
    pub other: BTreeMap<String, u64>,
}

impl Captured {
    fn session(&mut self, name: &str) -> &mut Session {
        let known = |session: &Session| session.recording.header.session == name;
        let place = self.sessions.iter().position(known).unwrap_or_else(|| {
            let header = Header {
                session: name.to_owned(),
                ..Header::default()
            };
            let recording = Recording {
                header,
                exchanges: Vec::new(),
            };
            self.sessions.push(Session {
                recording,
                lossy: Vec::new(),
            });
            self.sessions.len() - 1
        });
        &mut self.sessions[place]
    }

    /// Exchanges of all sessions.
    pub fn exchanges(&self) -> usize {
        let sessions = self.sessions.iter();
        sessions.map(|session| session.recording.exchanges.len()).sum()
    }
}

impl Sink for Captured {
    fn exchange(&mut self, session: &str, exchange: Exchange) {
        self.session(session).recording.exchanges.push(exchange);
    }

    fn header(&mut self, header: Header) {
        let name = header.session.clone();
        self.session(&name).recording.header = header;
    }

    fn unread(&mut self, unread: Unread) {
        self.unread.push(unread);
    }

    fn lossy(&mut self, session: &str, why: &str) {
        let lossy = &mut self.session(session).lossy;
        if !lossy.iter().any(|known| known == why) {
            lossy.push(why.to_owned());
        }
    }

    fn other(&mut self, what: &str) {
        *self.other.entry(what.to_owned()).or_insert(0) += 1;
    }
}
