//! `[agent]`: the client that Holdover plays.

use holdover_wire::audit::{Handover, IdPolicy};
use serde_json::Value;

use crate::problem::{Located, Span};
use crate::words::{Word, words};

words! {
    /// How state travels from turn to turn.
    StateMode {
        /// The client sends the history back.
        ClientReplay = "client-replay",
        /// `previous_response_id`
        ServerChain = "server-chain",
        /// `conversation`
        Conversation = "conversation",
    }
}

words! {
    /// Where the client keeps its history between turns.
    SessionStore {
        /// In memory.
        Memory = "memory",
        /// In a database, a row an item.
        Sqlite = "sqlite",
        /// In a file of JSON.
        Json = "json",
        /// In a conversation of the API.
        Conversations = "conversations",
    }
}

words! {
    /// Whether the request asks for encrypted reasoning.
    Include {
        /// `include: ["reasoning.encrypted_content"]`
        Encrypted = "encrypted",
        /// No such entry.
        Nothing = "nothing",
    }
}

words! {
    /// The session callback, which merges the application's own copy of the session into the history.
    Callback {
        /// There is none.
        Unset = "unset",
        /// It tells old items from new ones by their content.
        DedupeByContent = "dedupe-by-content",
    }
}

words! {
    /// A text that the client lets out.
    Channel {
        /// The audit log: a line a turn.
        Log = "log",
        /// The eval set.
        Dump = "dump",
    }
}

words! {
    /// How an answer is asked for.
    Streaming {
        /// As one JSON body (`stream = false`).
        Json = "json",
        /// As server-sent events (`stream = true`).
        Sse = "sse",
        /// As frames of a WebSocket, which remembers what is not stored.
        Ws = "ws",
    }
}

/// Where a replay policy stands. What it says is checked by whoever applies it.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicySpec {
    /// One that is part of the program.
    Named(Located<String>),
    /// A file beside the scenario.
    File(Located<String>),
    /// A table of the scenario, as JSON.
    Inline(Located<Value>),
}

impl PolicySpec {
    /// Its place in the scenario.
    pub fn span(&self) -> &Span {
        match self {
            Self::Named(text) | Self::File(text) => &text.span,
            Self::Inline(table) => &table.span,
        }
    }
}

/// `[agent]`, checked. `None` leaves the choice to the preset.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    /// Which client is imitated; `None` for the plain one.
    pub preset: Option<Located<String>>,
    /// How state travels.
    pub state: StateMode,
    /// `store` of each request; `None` sends no such member.
    pub store: Option<bool>,
    /// How answers are asked for.
    pub stream: Streaming,
    /// Whether encrypted reasoning is asked for.
    pub include: Option<Include>,
    /// `reasoning.effort` of each request.
    pub effort: Option<String>,
    /// `reasoning.summary` of each request.
    pub summary: Option<String>,
    /// `instructions` of each request.
    pub instructions: Option<String>,
    /// Where history is kept.
    pub session_store: SessionStore,
    /// The id policy of a run.
    pub reasoning_item_id_policy: IdPolicy,
    /// The replay policy; `None` sends back everything that the provider can read.
    pub replay_policy: Option<PolicySpec>,
    /// The id policy that a resumed run is given; `None` for the one in its state.
    pub resume_policy: Option<IdPolicy>,
    /// The turn before which the client is serialised and built again.
    pub resume_before: Option<Located<u32>>,
    /// The turn before which the history is compacted.
    pub compact_before: Option<Located<u32>>,
    /// How many items of the history are sent at most.
    pub history_limit: Option<u32>,
    /// Whether a call without an answer is tried again and a refused history repaired; absent, where a fault is planted.
    pub recover: Option<bool>,
    /// The session callback.
    pub callback: Option<Callback>,
    /// Texts that the client lets out.
    pub exports: Vec<Channel>,
    /// Answers to the three questions of a handover to another vendor (P14), for the audit record.
    pub handover: Option<Handover>,
    /// Tools as they stand in the request: those of the file, else one for each function that a reply calls.
    pub tools: Vec<Value>,
    /// Planted mistakes, in file order.
    pub slips: Vec<Located<String>>,
}

impl Default for AgentSpec {
    fn default() -> Self {
        Self {
            preset: None,
            state: StateMode::ClientReplay,
            store: None,
            stream: Streaming::Json,
            include: None,
            effort: None,
            summary: None,
            instructions: None,
            session_store: SessionStore::Memory,
            reasoning_item_id_policy: IdPolicy::None,
            replay_policy: None,
            resume_policy: None,
            resume_before: None,
            compact_before: None,
            history_limit: None,
            recover: None,
            callback: None,
            exports: Vec::new(),
            handover: None,
            tools: Vec::new(),
            slips: Vec::new(),
        }
    }
}
