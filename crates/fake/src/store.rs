//! What a session keeps: responses and conversations. A shell may keep it elsewhere: [`References`] says what a request
//! needs, [`Loaded`] is what was found, [`Writes`] is what to keep.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use holdover_wire::{Object, Reply};
use serde::{Deserialize, Serialize};

use crate::chain::ChainState;

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
    /// Those of the types that the session itself issued.
    pub types: BTreeSet<String>,
}

/// One change of the store.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// An item of a type that the API does not list was issued.
    IssueType(String),
    /// A new response.
    PutResponse(Arc<StoredResponse>),
    /// A response goes.
    DeleteResponse(String),
    /// A new conversation, or its new metadata.
    PutConversation(Arc<Conversation>),
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
    /// Changes in order.
    pub changes: Vec<Change>,
    /// What became of the reply.
    pub reply: ReplyUse,
}

/// The store of a session in memory.
#[derive(Clone, Debug, Default)]
pub struct Store {
    responses: BTreeMap<String, Arc<StoredResponse>>,
    conversations: BTreeMap<String, Arc<Conversation>>,
    types: BTreeSet<String>,
}

impl Store {
    /// Loads what a request needs.
    pub fn load(&self, references: &References) -> Loaded {
        let found = references
            .responses
            .iter()
            .filter_map(|id| Some((id.clone(), Arc::clone(self.responses.get(id)?))));
        let conversation = references.conversation.as_ref();
        Loaded {
            responses: found.collect(),
            conversation: conversation
                .and_then(|id| self.conversations.get(id))
                .map(Arc::clone),
            history: self.history(references.history.as_deref()),
            types: references.types.intersection(&self.types).cloned().collect(),
        }
    }

    fn history(&self, newest: Option<&str>) -> Vec<Arc<StoredResponse>> {
        let mut history = Vec::new();
        let mut next = newest;
        while let Some(response) = next.and_then(|id| self.responses.get(id)) {
            history.push(Arc::clone(response));
            next = response.parent.as_deref();
        }
        history.reverse();
        history
    }

    /// Applies one change.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::IssueType(name) => {
                self.types.insert(name);
            }
            Change::PutResponse(response) => {
                self.responses.insert(response.id.clone(), response);
            }
            Change::DeleteResponse(id) => {
                self.responses.remove(&id);
            }
            Change::PutConversation(conversation) => {
                self.conversations.insert(conversation.id.clone(), conversation);
            }
            Change::Append {
                conversation,
                items,
                chain,
            } => self.change_conversation(&conversation, |conversation| {
                let ids = items.iter().filter_map(|item| item.id());
                conversation.ids.extend(ids.map(ToOwned::to_owned));
                conversation.items.extend(items.iter().map(Arc::clone));
                conversation.chain = *chain;
            }),
            Change::DeleteConversation(id) => {
                self.conversations.remove(&id);
            }
            Change::DeleteItem { conversation, item } => {
                self.change_conversation(&conversation, |conversation| {
                    conversation.ids.remove(&item);
                    conversation.items.retain(|kept| kept.id() != Some(item.as_str()));
                });
            }
        }
    }

    fn change_conversation(&mut self, id: &str, change: impl FnOnce(&mut Conversation)) {
        if let Some(conversation) = self.conversations.get_mut(id) {
            change(Arc::make_mut(conversation));
        }
    }
}

/// `id` of an item.
fn id_of(item: &Object) -> Option<&str> {
    item.get("id").and_then(serde_json::Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(id: &str, parent: Option<&str>) -> Arc<StoredResponse> {
        Arc::new(StoredResponse {
            id: id.to_owned(),
            text: String::new(),
            output: Vec::new(),
            input: Vec::new(),
            parent: parent.map(ToOwned::to_owned),
            family: String::new(),
            chain: ChainState::default(),
        })
    }

    #[test]
    fn history_is_oldest_first_and_only_on_request() {
        let mut store = Store::default();
        store.apply(Change::PutResponse(response("resp_1", None)));
        store.apply(Change::PutResponse(response("resp_2", Some("resp_1"))));
        let ids = |references: &References| -> Vec<String> {
            let loaded = store.load(references);
            loaded
                .history
                .iter()
                .map(|response| response.id.clone())
                .collect()
        };
        let history = References {
            history: Some("resp_2".to_owned()),
            ..References::default()
        };
        assert_eq!(ids(&history), ["resp_1", "resp_2"]);
        assert_eq!(ids(&References::default()), Vec::<String>::new());
    }

    #[test]
    fn a_deleted_response_is_not_found() {
        let mut store = Store::default();
        store.apply(Change::PutResponse(response("resp_1", None)));
        store.apply(Change::DeleteResponse("resp_1".to_owned()));
        let references = References {
            responses: BTreeSet::from(["resp_1".to_owned()]),
            ..References::default()
        };
        assert_eq!(store.load(&references), Loaded::default());
    }
}
