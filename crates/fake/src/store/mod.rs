//! What a session keeps: responses and conversations. A shell may keep it elsewhere: [`References`] says what a request
//! needs, [`Loaded`] is what was found, [`Writes`] is what to keep.
//!
//! | type | what it is |
//! |---|---|
//! | [`Store`] | the store of a session in memory, bounded |
//! | [`ConnectionMemory`] | what one WebSocket remembers of its responses |
//! | [`Lease`], [`Leases`] | a conversation that is being answered; those of a session |

use holdover_wire::Members as _;
mod bounded;
mod connection;
mod lease;
mod memory;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use holdover_wire::{Object, Reply};
use serde::{Deserialize, Serialize};

use crate::cache::{ContentHash, Hit, PrefixQuery};
use crate::chain::ChainState;
use crate::config::AccountPlace;

pub use bounded::StoreSize;
pub use connection::ConnectionMemory;
pub use lease::{Lease, Leases};
pub use memory::Store;

/// A stored response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// Its id.
    pub id: String,
    /// The terminal object as JSON text, with an empty output: smaller and quicker to keep than the object.
    pub text: String,
    /// Its output without tokens, which are sealed again when asked for.
    pub output: Vec<Object>,
    /// Items of its own input, with the ids that the server gave them.
    pub input: Vec<Object>,
    /// `previous_response_id`
    pub parent: Option<String>,
    /// Family of the model.
    pub family: String,
    /// The context after it.
    pub chain: ChainState,
    /// How it is played.
    pub mode: Mode,
    /// How far it is.
    pub run: Run,
    /// Whether it failed.
    pub failed: bool,
    /// Events of a background stream as JSON lines, to resume it.
    pub events: Option<String>,
}

/// How a response is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// The client waits for it.
    Foreground,
    /// `background: true`: the client polls.
    Background,
    /// `background: true` and `stream: true`: the client may also resume its stream.
    BackgroundStream,
}

/// How far a response is. Time is virtual: a background run is queued when it is created, in progress at the first
/// GET and finished at the second, unless its stream was sent whole before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Run {
    /// `queued`
    Queued,
    /// `in_progress`
    InProgress,
    /// `cancelled` before its first item.
    CancelledQueued,
    /// `cancelled` in its first message.
    CancelledInProgress,
    /// Over, with the status of its object.
    Finished,
}

impl Run {
    /// The state that the next GET finds.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Queued => Self::InProgress,
            Self::InProgress | Self::Finished => Self::Finished,
            Self::CancelledQueued | Self::CancelledInProgress => self,
        }
    }
}

/// An item of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Listed {
    /// The item with its id, without a token where the server sealed one.
    pub object: Object,
    /// Family of the model that made it; `None` for an item of the client.
    pub family: Option<String>,
}

impl Listed {
    /// Its id.
    pub fn id(&self) -> Option<&str> {
        id_of(&self.object)
    }
}

/// A conversation with all its items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// Unix second, virtual.
    pub created_at: u64,
    /// `metadata`
    pub metadata: Object,
    /// Items in order, each with its id.
    pub items: Vec<Arc<Listed>>,
    /// Ids of the items.
    pub ids: BTreeSet<String>,
    /// The context after the last item.
    pub chain: ChainState,
}

/// What a request needs from the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Ids of responses.
    pub responses: BTreeSet<String>,
    /// The one of them that the request continues.
    pub previous: Option<String>,
    /// What is asked of the prompt cache.
    pub prefix: Option<PrefixQuery>,
    /// Id of a conversation.
    pub conversation: Option<String>,
    /// Id of a response that is needed with all its ancestors (compaction and listing only).
    pub history: Option<String>,
    /// Item types of the input that the API does not list.
    pub types: BTreeSet<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    /// Responses by id; an id that is absent was not found.
    pub responses: BTreeMap<String, Arc<StoredResponse>>,
    /// The conversation.
    pub conversation: Option<Arc<Conversation>>,
    /// The response asked for with its ancestors, oldest first.
    pub history: Vec<Arc<StoredResponse>>,
    /// Ids that the request names and that the store let go because others came; the refusal says so.
    pub evicted: BTreeSet<String>,
    /// Those of the types that the session itself issued.
    pub types: BTreeSet<String>,
    /// The longest prefix in the prompt cache.
    pub cached: Option<Hit>,
    /// Whether somebody else is answering in the conversation.
    pub conversation_use: ConversationUse,
    /// Whether the connection remembers responses that are not stored.
    pub connection: Connection,
}

/// Whether somebody is answering in a conversation (`tests/facts/errors.md` E19).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConversationUse {
    /// Nobody is.
    #[default]
    Free,
    /// Another request is: this one is refused.
    Busy,
}

/// By which kind of connection a request came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    /// One that forgets: HTTP.
    #[default]
    Forgets,
    /// A WebSocket: it remembers its responses, takes `generate`, and what is not stored is written to
    /// [`Writes::remembered`].
    Remembers,
}

/// One change of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Prefixes of a request come to the prompt cache.
    Cache(Vec<ContentHash>),
    /// An item of a type that the API does not list was issued.
    IssueType(String),
    /// A new response.
    PutResponse(Arc<StoredResponse>),
    /// A response is now so far.
    SetRun {
        /// Id of the response.
        response: String,
        /// How far it is.
        run: Run,
    },
    /// A response goes.
    DeleteResponse(String),
    /// A new conversation.
    PutConversation(Arc<Conversation>),
    /// New metadata of a conversation.
    SetMetadata {
        /// Id of the conversation.
        conversation: String,
        /// `metadata`
        metadata: Object,
    },
    /// Items come to a conversation.
    Append {
        /// Id of the conversation.
        conversation: String,
        /// New items in order.
        items: Vec<Arc<Listed>>,
        /// The context after them.
        chain: Box<ChainState>,
    },
    /// A conversation goes.
    DeleteConversation(String),
    /// An item of a conversation goes.
    DeleteItem {
        /// Id of the conversation.
        conversation: String,
        /// Id of the item.
        item: String,
        /// The context without it.
        chain: Box<ChainState>,
    },
}

/// What became of the scripted reply that a request was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ReplyUse {
    /// It was given none.
    #[default]
    None,
    /// It was said.
    Used,
    /// The request was refused: the reply waits for the next one.
    Returned(Box<Reply>),
}

/// What to keep after an answer, before its last byte leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Writes {
    /// Whose store they belong to.
    pub account: AccountPlace,
    /// Changes that belong before the first byte of the body: a background run goes on when its client is gone.
    pub early: Vec<Change>,
    /// Changes in order.
    pub changes: Vec<Change>,
    /// The response, for the connection that it came by; only with [`Connection::Remembers`].
    pub remembered: Option<Arc<StoredResponse>>,
    /// The conversation that is being answered; it is free again when the writes are dropped.
    pub lease: Option<Lease>,
    /// What became of the reply.
    pub reply: ReplyUse,
}

/// `id` of an item.
fn id_of(item: &Object) -> Option<&str> {
    item.member("id").and_then(serde_json::Value::as_str)
}
