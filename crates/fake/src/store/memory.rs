//! The store of a session in memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cache::{Hit, PrefixTable};
use crate::store::bounded::{Bounded, StoreSize, item_bytes};
use crate::store::lease::{Lease, Leases};
use crate::store::{Change, Listed, Loaded, References, StoredResponse};

/// A change that is too small to be counted.
const UNCHANGED: (usize, usize) = (0, 0);

/// The store of a session in memory.
#[derive(Clone, Debug, Default)]
pub struct Store {
    kept: Bounded,
    types: BTreeSet<String>,
    leases: Leases,
    prefixes: PrefixTable,
}

impl Store {
    /// Loads what a request needs.
    pub fn load(&self, references: &References) -> Loaded {
        let found = references
            .responses
            .iter()
            .filter_map(|id| Some((id.clone(), Arc::clone(self.kept.response(id)?))));
        let conversation = references.conversation.as_ref();
        Loaded {
            responses: found.collect(),
            conversation: conversation
                .and_then(|id| self.kept.conversation(id))
                .map(Arc::clone),
            evicted: self.evicted(references),
            history: self.history(references.history.as_deref()),
            types: references.types.intersection(&self.types).cloned().collect(),
            cached: self.cached(references),
            ..Loaded::default()
        }
    }

    /// What a request names and what was let go.
    fn evicted(&self, references: &References) -> BTreeSet<String> {
        let ids = references.responses.iter();
        let ids = ids.chain(&references.conversation).chain(&references.history);
        ids.filter(|id| self.kept.is_gone(id)).cloned().collect()
    }

    /// The longest prefix of a request that the prompt cache has.
    fn cached(&self, references: &References) -> Option<Hit> {
        let query = references.prefix.as_ref()?;
        let previous = references.previous.as_ref().and_then(|id| self.kept.response(id));
        let conversation = references.conversation.as_ref();
        let conversation = conversation.and_then(|id| self.kept.conversation(id));
        let chain = match (previous, conversation) {
            (Some(response), _) => Some(&response.chain),
            (None, Some(conversation)) => Some(&conversation.chain),
            (None, None) => None,
        };
        self.prefixes.find(query, chain)
    }

    /// Takes a conversation for one answer; `None` while another answer has it. A lease ends when it is dropped.
    pub fn lease(&mut self, conversation: &str) -> Option<Lease> {
        self.leases.take(conversation)
    }

    fn history(&self, newest: Option<&str>) -> Vec<Arc<StoredResponse>> {
        let mut history = Vec::new();
        let mut next = newest;
        while let Some(response) = next.and_then(|id| self.kept.response(id)) {
            history.push(Arc::clone(response));
            next = response.parent.as_deref();
        }
        history.reverse();
        history
    }

    /// Keeps responses and conversations within so many bytes; the oldest go first.
    pub fn limit(&mut self, bytes: usize) {
        self.kept.limit(bytes);
    }

    /// Lets the oldest response or conversation go, whatever the limit is.
    pub fn evict_oldest(&mut self) {
        self.kept.evict_oldest();
    }

    /// What it holds, and what it let go.
    pub fn size(&self) -> StoreSize {
        self.kept.size()
    }

    /// Forgets every stored response.
    pub fn expire(&mut self) {
        self.kept.expire();
    }

    /// Applies one change.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Cache(prefixes) => prefixes.into_iter().for_each(|key| self.prefixes.put(key)),
            Change::IssueType(name) => {
                self.types.insert(name);
            }
            Change::PutResponse(response) => self.kept.put_response(response),
            Change::SetRun { response, run } => {
                self.kept
                    .change_response(&response, |response| response.run = run);
            }
            Change::DeleteResponse(id) | Change::DeleteConversation(id) => self.kept.remove(&id),
            Change::PutConversation(conversation) => self.kept.put_conversation(conversation),
            Change::SetMetadata {
                conversation,
                metadata,
            } => self.kept.change_conversation(&conversation, |conversation| {
                conversation.metadata = metadata;
                UNCHANGED
            }),
            Change::Append {
                conversation,
                items,
                chain,
            } => self.kept.change_conversation(&conversation, |conversation| {
                let bytes = items.iter().map(|item| item_bytes(item)).sum();
                let ids = items.iter().filter_map(|item| item.id());
                conversation.ids.extend(ids.map(ToOwned::to_owned));
                conversation.items.extend(items.iter().map(Arc::clone));
                conversation.chain = *chain;
                (bytes, 0)
            }),
            Change::DeleteItem {
                conversation,
                item,
                chain,
            } => self.kept.change_conversation(&conversation, |conversation| {
                let is_it = |kept: &Arc<Listed>| kept.id() == Some(item.as_str());
                let going = conversation.items.iter().filter(|kept| is_it(kept));
                let bytes = going.map(|kept| item_bytes(kept)).sum();
                conversation.ids.remove(&item);
                conversation.items.retain(|kept| !is_it(kept));
                conversation.chain = *chain;
                (0, bytes)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::ChainState;
    use crate::store::{Mode, Run};

    fn response(id: &str, parent: Option<&str>) -> Arc<StoredResponse> {
        Arc::new(StoredResponse {
            id: id.to_owned(),
            text: String::new(),
            output: Vec::new(),
            input: Vec::new(),
            parent: parent.map(ToOwned::to_owned),
            family: String::new(),
            chain: ChainState::default(),
            mode: Mode::Foreground,
            run: Run::Finished,
            failed: false,
            events: None,
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
