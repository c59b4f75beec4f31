//! What outlives a process: the client's state, serialised as one JSON document.

use holdover_wire::Item;
use holdover_wire::audit::IdPolicy;
use serde::{Deserialize, Serialize};

use crate::history::Entry;
use crate::turn::OpenCall;

/// Everything that a resumed client has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Turns begun so far.
    pub(crate) turn: u64,
    /// Create requests that were answered so far.
    pub(crate) answered: u64,
    /// The live policy.
    pub(crate) policy: IdPolicy,
    /// The session as its store gives it back.
    pub(crate) session: Vec<Entry>,
    /// How many entries of the session the server has in its chain or conversation.
    pub(crate) delivered: usize,
    /// The run that is going on (Agents SDK under client replay).
    pub(crate) run: Run,
    /// Items that the items API has not got yet (Conversations session).
    pub(crate) unsaved: Vec<Item>,
    /// Calls that wait for outputs.
    pub(crate) open_calls: Vec<OpenCall>,
    /// The last good response.
    pub(crate) response: Option<String>,
    /// What it was when the last turn of the user began; only a slip looks.
    pub(crate) latest_seen: Option<String>,
    /// The conversation.
    pub(crate) conversation: Option<String>,
    /// The newest compaction.
    pub(crate) compaction: Option<Snapshot>,
    /// Whether instructions were sent before.
    pub(crate) instructed: Instructed,
    /// Whether the server takes anchors.
    pub(crate) anchors: Anchors,
    /// Id of the newest reasoning item that came in, whatever became of it.
    pub(crate) last_reasoning_id: Option<String>,
}

/// Whether instructions were sent before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Instructed {
    /// Not yet.
    No,
    /// In an earlier request.
    Yes,
}

/// Whether the server takes anchors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Anchors {
    /// As far as is known.
    Taken,
    /// It said that it never will (E16).
    Refused,
}

/// A run of the Agents SDK: what its caller put in and what the model and the tools added. Ids are kept as they came:
/// the policy is applied when input is built.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Prepared input of the run: history and new input.
    pub(crate) caller: Vec<Item>,
    /// Items generated since.
    pub(crate) generated: Vec<Item>,
}

/// A compaction, bound to the policy it was made under (P11), with what it replaced (M8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// The policy.
    pub(crate) policy: IdPolicy,
    /// The session before.
    pub(crate) replaced: Vec<Entry>,
    /// The last good response before.
    pub(crate) response: Option<String>,
}

impl State {
    /// The state of a client that has not begun.
    pub(crate) fn new(policy: IdPolicy) -> Self {
        Self {
            turn: 0,
            answered: 0,
            policy,
            session: Vec::new(),
            delivered: 0,
            run: Run::default(),
            unsaved: Vec::new(),
            open_calls: Vec::new(),
            response: None,
            latest_seen: None,
            conversation: None,
            compaction: None,
            instructed: Instructed::No,
            anchors: Anchors::Taken,
            last_reasoning_id: None,
        }
    }
}
