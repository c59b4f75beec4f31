//! One create or compact exchange.

use std::sync::Arc;

use holdover_profile::Context;
use holdover_wire::recording::{End, ResponseRecord, Transport};

use super::refusal::{Refusal, error_event};
use crate::hash::Hash;
use crate::ledger::{GroupIx, ItemIx, Learnt, Ledger, NodeIx};

/// How a request keeps its state (`docs/architecture.md`, Words).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing came before it.
    Root,
    /// It carries its history.
    ClientReplay,
    /// `previous_response_id`.
    ServerChain,
    /// `conversation`.
    Conversation,
    /// Both anchors at once.
    BothAnchors,
}

impl Mode {
    /// Whether the server holds what came before.
    pub(crate) fn is_server_side(self) -> bool {
        matches!(self, Self::ServerChain | Self::Conversation | Self::BothAnchors)
    }

    /// The word for a reader.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Root => "first turn",
            Self::ClientReplay => "client-replay",
            Self::ServerChain => "server-chain",
            Self::Conversation => "conversation",
            Self::BothAnchors => "server-chain and conversation",
        }
    }
}

/// Which endpoint was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Create,
    Compact,
}

/// How an answer ended, as a client must read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Completed,
    Incomplete,
    /// Queued or running in the background.
    Running,
    /// `response.failed`.
    Failed,
    /// No terminal event came.
    Cut,
    /// The client went away first.
    Abandoned,
    /// An HTTP error.
    Refused,
    /// The recording does not hold the answer.
    Missing,
}

impl Ending {
    /// Whether what it issued is history now.
    pub(crate) fn counts(self) -> bool {
        matches!(self, Self::Completed | Self::Incomplete | Self::Running)
    }
}

/// What a request shows of the answer of the exchange that it continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Something of it came back, or there was none.
    Carried,
    /// Its question came back and nothing of it did.
    AnswerGone,
}

/// How this answer ended.
pub(crate) fn ending_of(record: Option<&ResponseRecord>) -> Ending {
    let Some(record) = record else {
        return Ending::Missing;
    };
    if record.status >= 400 {
        return Ending::Refused;
    }
    if error_event(record).is_some() {
        let began = record
            .events
            .iter()
            .flatten()
            .any(|event| event.name() == "response.created");
        return if began { Ending::Failed } else { Ending::Refused };
    }
    let Some(response) = record.terminal() else {
        let unended = record.events.is_some() || record.end != End::Complete;
        return match (record.end, unended) {
            (End::ClientGone, _) => Ending::Abandoned,
            (_, true) => Ending::Cut,
            (_, false) => Ending::Missing,
        };
    };
    match response.status() {
        Some("failed" | "cancelled") => Ending::Failed,
        Some("incomplete") => Ending::Incomplete,
        Some("queued" | "in_progress") => Ending::Running,
        _ => Ending::Completed,
    }
}

/// One create or compact exchange, with what a request that continues it is compared with.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) exchange: u64,
    pub(crate) at_ms: u64,
    pub(crate) lineage: u32,
    pub(crate) parent: Option<NodeIx>,
    pub(crate) mode: Mode,
    pub(crate) transport: Transport,
    pub(crate) endpoint: Endpoint,
    pub(crate) model: Option<String>,
    /// Whether the server keeps the response.
    pub(crate) stored: bool,
    /// Whether `include` asked for tokens.
    pub(crate) asked_for_tokens: bool,
    pub(crate) instructions: Option<Arc<str>>,
    pub(crate) tools: Option<Hash>,
    /// Whether a system or developer message is in what the model saw.
    pub(crate) has_system_message: bool,
    /// Effective `reasoning.context`.
    pub(crate) context: Option<Context>,
    /// Groups that were carried or issued here: what the next request must carry.
    pub(crate) live: Vec<GroupIx>,
    /// The server also holds what this node held.
    pub(crate) inherits: Option<NodeIx>,
    /// Chain hash of the whole input, without reasoning.
    pub(crate) chain: Hash,
    /// Content hashes of the input's items, in order.
    pub(crate) said: Vec<Hash>,
    /// Hash of the whole body.
    pub(crate) body: Hash,
    pub(crate) response_id: Option<String>,
    pub(crate) ending: Ending,
    /// How the connection ended, whatever was written to it.
    pub(crate) end: End,
    /// What the request showed of the answer before it.
    pub(crate) before: Before,
    pub(crate) refusal: Option<Refusal>,
    /// Refusals of requests that continued this node.
    pub(crate) refused_after: Vec<Refusal>,
    /// Hash of the last user message of the newest of them.
    pub(crate) refused_user: Option<Hash>,
    pub(crate) open_calls: Vec<ItemIx>,
    /// Unix second at which the response says it was complete.
    pub(crate) completed_at: Option<u64>,
    /// How many times in a row this body was sent.
    pub(crate) sends: u32,
}

impl Node {
    /// Whether the client had the answer whole.
    pub(crate) fn is_delivered(&self) -> bool {
        self.ending == Ending::Completed && self.end == End::Complete
    }

    /// Takes what its answer issued: a request that continues it must carry that.
    pub(crate) fn issue(&mut self, learnt: Learnt, ledger: &Ledger) {
        // A reasoning-only end of an incomplete answer may not be replayed (`tests/facts/errors.md` E35).
        let ends_open =
            |group: &GroupIx| self.ending == Ending::Incomplete && ledger.group(*group).followers.is_empty();
        let held: Vec<GroupIx> = learnt
            .groups
            .into_iter()
            .filter(|group| !ends_open(group))
            .collect();
        self.live.extend(held);
        self.open_calls = learnt.open_calls;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ending(value: serde_json::Value) -> Ending {
        let record: ResponseRecord = serde_json::from_value(value).expect("a record");
        ending_of(Some(&record))
    }

    #[test]
    fn an_ending_is_read_as_a_client_must_read_it() {
        assert_eq!(ending_of(None), Ending::Missing);
        assert_eq!(
            ending(json!({"status": 400, "body": {"error": {}}})),
            Ending::Refused
        );
        assert_eq!(
            ending(json!({"body": {"status": "completed", "output": []}})),
            Ending::Completed
        );
        assert_eq!(
            ending(json!({"body": {"status": "queued", "output": []}})),
            Ending::Running
        );
        assert_eq!(
            ending(json!({"events": [{"type": "response.created"}]})),
            Ending::Cut
        );
        let frame = json!({"type": "error", "status": 400, "error": {"code": "previous_response_not_found"}});
        assert_eq!(ending(json!({"events": [frame]})), Ending::Refused);
        let failed = json!({"events": [{"type": "response.failed", "response": {"status": "failed"}}]});
        assert_eq!(ending(failed), Ending::Failed);
    }
}
