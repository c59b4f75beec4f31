//! Calls and their outputs, exchange by exchange (M7).

use std::collections::{BTreeMap, BTreeSet};

use holdover_wire::recording::Exchange;
use holdover_wire::request::CreateRequest;

use super::context::{StateKey, state_key};
use super::exchange::terminal;

/// How the calls and outputs of a request's context pair up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// No call and no output.
    None,
    /// Every call has its output and every output its call.
    Complete,
    /// A call has no output.
    Open,
    /// An output has no call.
    Orphan,
    /// The state that the request names is not in this recording.
    Unknown,
}

impl Pairing {
    /// The word in `turns.jsonl`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Complete => "complete",
            Self::Open => "open",
            Self::Orphan => "orphan",
            Self::Unknown => "unknown",
        }
    }
}

/// The calls that wait for an output, by the state that holds them.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    by_response: BTreeMap<String, BTreeSet<String>>,
    by_conversation: BTreeMap<String, BTreeSet<String>>,
}

impl Ledger {
    /// The pairing of a create's context. Exchanges are handed in in order; the work is the size of the exchange.
    pub(crate) fn take(&mut self, exchange: &Exchange, request: CreateRequest<'_>) -> Pairing {
        let key = state_key(request);
        let known = key.map(|key| self.waiting(key));
        let state_is_missing = known.as_ref().is_some_and(Option::is_none);
        let mut open = known.flatten().unwrap_or_default();
        let mut tally = Tally {
            seen: !open.is_empty(),
            orphan: false,
        };
        for (_, item) in request.items() {
            let Some(call) = item.call_id() else { continue };
            if item.kind().is_client_call() {
                tally.seen = true;
                open.insert(call.to_owned());
            } else if item.kind().is_client_output() {
                tally.seen = true;
                tally.orphan |= !open.remove(call);
            }
        }
        let pairing = tally.pairing(&open, state_is_missing);
        self.remember(exchange, key, open);
        pairing
    }

    fn waiting(&self, key: StateKey<'_>) -> Option<BTreeSet<String>> {
        match key {
            StateKey::Previous(id) => self.by_response.get(id).cloned(),
            // A conversation that nobody spoke in yet has no open call.
            StateKey::Conversation(id) => Some(self.by_conversation.get(id).cloned().unwrap_or_default()),
        }
    }

    fn remember(&mut self, exchange: &Exchange, key: Option<StateKey<'_>>, mut open: BTreeSet<String>) {
        let Some(response) = terminal(exchange) else {
            return;
        };
        let calls = response.output().filter(|(_, item)| item.kind().is_client_call());
        open.extend(calls.filter_map(|(_, item)| item.call_id().map(str::to_owned)));
        if let Some(StateKey::Conversation(id)) = key {
            self.by_conversation.insert(id.to_owned(), open.clone());
        }
        if let Some(id) = response.id() {
            self.by_response.insert(id.to_owned(), open);
        }
    }
}

/// What one walk over an input found.
struct Tally {
    seen: bool,
    orphan: bool,
}

impl Tally {
    fn pairing(&self, open: &BTreeSet<String>, state_is_missing: bool) -> Pairing {
        match (self.orphan, open.is_empty()) {
            (true, _) if state_is_missing => Pairing::Unknown,
            (true, _) => Pairing::Orphan,
            (false, false) => Pairing::Open,
            (false, true) if self.seen => Pairing::Complete,
            (false, true) => Pairing::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::exchange::creates;
    use crate::testing::recording;

    fn pairings(lines: &str) -> Vec<&'static str> {
        let recording = recording(lines);
        let mut ledger = Ledger::default();
        creates(&recording)
            .map(|(exchange, request)| ledger.take(exchange, request).as_str())
            .collect()
    }

    #[test]
    fn the_server_holds_the_call_of_the_turn_before() {
        let call = r#"{"request":{"body":{"input":"a"}},"response":{"body":{"id":"resp_1","output":[{"type":"function_call","call_id":"call_1"}]}}}"#;
        let answered = r#"{"request":{"body":{"previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"call_1"}]}},"response":{"body":{"id":"resp_2","output":[]}}}"#;
        let forgotten = r#"{"request":{"body":{"previous_response_id":"resp_1","input":"b"}}}"#;
        let again = r#"{"request":{"body":{"previous_response_id":"resp_2","input":[{"type":"function_call_output","call_id":"call_1"}]}}}"#;
        let lines = [call, answered, forgotten, again].join("\n");
        assert_eq!(pairings(&lines), ["none", "complete", "open", "orphan"]);
    }

    #[test]
    fn a_conversation_holds_its_calls() {
        let call = r#"{"request":{"body":{"conversation":"conv_1","input":"a"}},"response":{"body":{"id":"resp_1","output":[{"type":"custom_tool_call","call_id":"call_1"}]}}}"#;
        let answered = r#"{"request":{"body":{"conversation":{"id":"conv_1"},"input":[{"type":"custom_tool_call_output","call_id":"call_1"}]}},"response":{"body":{"id":"resp_2","output":[]}}}"#;
        assert_eq!(pairings(&[call, answered].join("\n")), ["none", "complete"]);
    }

    #[test]
    fn state_that_was_not_recorded_proves_nothing() {
        let output = r#"{"request":{"body":{"previous_response_id":"resp_0","input":[{"type":"function_call_output","call_id":"call_1"}]}}}"#;
        assert_eq!(pairings(output), ["unknown"]);
    }
}
