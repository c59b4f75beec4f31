//! The turn that is going on: its steps, and what they have brought so far. Nothing of it outlives the turn.

use std::collections::VecDeque;

use holdover_profile::policy::Record;
use holdover_wire::{Call, Item, Object};

use crate::history::Entry;
use crate::stages::receive::Answer;
use crate::stages::recover::Attempts;
use crate::stages::resume::Resumed;
use crate::turn::TurnResult;

/// One call of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// `POST /v1/conversations`
    CreateConversation,
    /// `GET /v1/conversations/…/items`, after this item.
    ListItems(Option<String>),
    /// `POST /v1/responses/compact`
    Compact,
    /// `POST /v1/responses`
    Create,
    /// `GET /v1/responses/…` of the last response.
    Retrieve,
    /// The new input becomes part of the history; no call.
    TakeIn,
    /// `POST /v1/conversations/…/items` with what is not saved yet; no call when there is nothing.
    SaveItems,
}

/// The turn that is going on.
#[derive(Debug, Default)]
pub(crate) struct Flight {
    /// Steps that are still to come.
    pub(crate) steps: VecDeque<Step>,
    /// The step whose answer is awaited.
    pub(crate) current: Option<Step>,
    /// The call that it made.
    pub(crate) call: Option<Call>,
    /// How often it was tried again.
    pub(crate) tried: Attempts,
    /// New input of the turn.
    pub(crate) new: Vec<Entry>,
    /// What kind of turn it is.
    pub(crate) kind: TurnKind,
    /// Effort of this turn.
    pub(crate) effort: Option<String>,
    /// History as the items API gave it.
    pub(crate) listed: Vec<Item>,
    /// The create body that was sent.
    pub(crate) sent: Option<Object>,
    /// What the replay policy made of it.
    pub(crate) replayed: Option<Record>,
    /// Reasoning of another provider that was left behind.
    pub(crate) reset: Option<Reset>,
    /// The answer to it.
    pub(crate) answer: Option<Answer>,
    /// Request id of that answer.
    pub(crate) request_id: Option<String>,
    /// Whether the turn began with a resume, and how that went.
    pub(crate) resumed: Option<Resumed>,
    /// What the turn has come to so far.
    pub(crate) result: TurnResult,
}

/// A new beginning for a provider that cannot read what another one thought (R7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reset {
    /// Who is asked now.
    pub(crate) to: String,
    /// Who issued what was left behind, each once, in order.
    pub(crate) from: Vec<String>,
    /// Pieces of reasoning that were left behind.
    pub(crate) left_behind: usize,
}

/// Whether a turn begins a run or continues one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TurnKind {
    /// The user said something.
    #[default]
    Begins,
    /// Only tools answered.
    Continues,
}
