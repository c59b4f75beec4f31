//! The state of one session on a shelf: what the fake's own session is in memory.
//!
//! | key behind the session's prefix | what is there |
//! |---|---|
//! | `setup` | the body that opened the session, so that another process opens it alike |
//! | `said` | replies of the script that were taken |
//! | `A/n/FINGERPRINT` | how often account `A` sent a request |
//! | `A/r/ID`, `A/run/ID` | a response, and how far it is |
//! | `A/c/ID`, `A/chain/ID`, `A/items/ID` | a conversation, the context after its last item, its items |
//! | `A/t/TYPE`, `A/p/PREFIX` | an item type that was issued, a prefix in the prompt cache |
//! | `A/lock/ID` | a conversation that is being answered |

use std::fmt;
use std::sync::Arc;

use holdover_fake::chain::ChainState;
use holdover_fake::store::{Conversation, Listed, Run, StoredResponse};
use holdover_fake::{
    AccountPlace, Change, ConversationUse, Fake, Given, Lease, Loaded, Prepared, Reading, References,
    ReplyUse, Writes,
};
use holdover_wire::{Object, Reply, SessionName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::shelf::{Shelf, StateError, Step};
use crate::refusal;

/// What is there, and that it is: the value of a key that says no more.
const THERE: &[u8] = b"1";

/// A session whose state is on a shelf. Several of them, in several processes, may be the same session.
pub(crate) struct Kept {
    shelf: Arc<dyn Shelf>,
    prefix: String,
    fake: Arc<Fake>,
    script: Vec<Reply>,
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kept")
            .field(&self.prefix)
            .field(&self.shelf)
            .finish()
    }
}

/// A conversation without its items and its context.
#[derive(Serialize, Deserialize)]
struct Head {
    created_at: u64,
    metadata: Object,
}

/// What begins every key of a session.
pub(crate) fn prefix(session: &SessionName) -> String {
    // A name holds no `/`, so no prefix begins another one.
    format!("holdover/1/{session}/")
}

/// The key of the body that opened a session.
pub(crate) fn setup_key(session: &SessionName) -> String {
    prefix(session) + "setup"
}

impl Kept {
    pub(crate) fn new(
        shelf: Arc<dyn Shelf>,
        session: &SessionName,
        fake: Arc<Fake>,
        script: Vec<Reply>,
    ) -> Self {
        Self {
            shelf,
            prefix: prefix(session),
            fake,
            script,
        }
    }

    fn key(&self, account: AccountPlace, kind: &str, id: &str) -> String {
        format!("{}{}/{kind}/{id}", self.prefix, account.number())
    }

    fn said(&self) -> String {
        format!("{}said", self.prefix)
    }

    /// Takes what the answer of a call needs; the answer is a refusal where the shelf fails.
    pub(crate) fn begin(&self, reading: Reading) -> Prepared {
        let given = self.given(&reading).unwrap_or_else(|error| Given {
            refusal: Some(refusal::no_state(&error)),
            ..Given::default()
        });
        Prepared::new(Arc::clone(&self.fake), reading, given)
    }

    fn given(&self, reading: &Reading) -> Result<Given, StateError> {
        let account = reading.account();
        let occurrence = self
            .shelf
            .count(&self.key(account, "n", &reading.fingerprint().hex()))?;
        // The lease comes first: what is loaded then stays true until it ends.
        let (lease, conversation_use) = self.lease(account, reading.leased())?;
        let mut loaded = self.load(account, reading.references())?;
        loaded.conversation_use = conversation_use;
        Ok(Given {
            lease: lease.filter(|_| loaded.conversation.is_some()),
            loaded,
            occurrence,
            reply: self.reply(reading)?,
            refusal: None,
        })
    }

    fn lease(
        &self,
        account: AccountPlace,
        conversation: Option<&str>,
    ) -> Result<(Option<Lease>, ConversationUse), StateError> {
        let Some(id) = conversation else {
            return Ok((None, ConversationUse::Free));
        };
        Ok(match self.shelf.lease(&self.key(account, "lock", id))? {
            Some(lease) => (Some(lease), ConversationUse::Free),
            None => (None, ConversationUse::Busy),
        })
    }

    fn reply(&self, reading: &Reading) -> Result<Option<Reply>, StateError> {
        if self.script.is_empty() || !reading.is_create() {
            return Ok(None);
        }
        let place = usize::try_from(self.shelf.count(&self.said())?).ok();
        Ok(place.and_then(|place| self.script.get(place)).cloned())
    }

    fn load(&self, account: AccountPlace, references: &References) -> Result<Loaded, StateError> {
        let mut loaded = Loaded::default();
        for id in &references.responses {
            if let Some(response) = self.response(account, id)? {
                loaded.responses.insert(id.clone(), Arc::new(response));
            }
        }
        if let Some(id) = &references.conversation {
            loaded.conversation = self.conversation(account, id)?.map(Arc::new);
        }
        let mut next = references.history.clone();
        while let Some(id) = next.take() {
            if let Some(response) = self.response(account, &id)? {
                next.clone_from(&response.parent);
                loaded.history.push(Arc::new(response));
            }
        }
        loaded.history.reverse();
        loaded.types = self.issued(account, references)?;
        self.find_cached(account, references, &mut loaded)?;
        Ok(loaded)
    }

    fn response(&self, account: AccountPlace, id: &str) -> Result<Option<StoredResponse>, StateError> {
        let found = self
            .shelf
            .get(&[self.key(account, "r", id), self.key(account, "run", id)])?;
        let [response, run] = found.as_slice() else {
            return Ok(None);
        };
        let Some(mut response) = self.parse::<StoredResponse>(response.as_deref())? else {
            return Ok(None);
        };
        if let Some(run) = self.parse::<Run>(run.as_deref())? {
            response.run = run;
        }
        Ok(Some(response))
    }

    fn conversation(&self, account: AccountPlace, id: &str) -> Result<Option<Conversation>, StateError> {
        let found = self
            .shelf
            .get(&[self.key(account, "c", id), self.key(account, "chain", id)])?;
        let [head, chain] = found.as_slice() else {
            return Ok(None);
        };
        let Some(head) = self.parse::<Head>(head.as_deref())? else {
            return Ok(None);
        };
        let chain: Option<ChainState> = self.parse(chain.as_deref())?;
        let mut items = Vec::new();
        for item in self.shelf.list(&self.key(account, "items", id))? {
            items.extend(self.parse::<Listed>(Some(&item))?.map(Arc::new));
        }
        Ok(Some(Conversation {
            id: id.to_owned(),
            created_at: head.created_at,
            metadata: head.metadata,
            ids: items
                .iter()
                .filter_map(|item| item.id())
                .map(str::to_owned)
                .collect(),
            items,
            chain: chain.unwrap_or_default(),
        }))
    }

    fn issued(
        &self,
        account: AccountPlace,
        references: &References,
    ) -> Result<std::collections::BTreeSet<String>, StateError> {
        let names = references.types.iter();
        let keys: Vec<String> = names.map(|name| self.key(account, "t", name)).collect();
        let found = self.shelf.get(&keys)?;
        let names = references.types.iter().zip(found);
        Ok(names
            .filter_map(|(name, found)| found.map(|_| name.clone()))
            .collect())
    }

    fn find_cached(
        &self,
        account: AccountPlace,
        references: &References,
        loaded: &mut Loaded,
    ) -> Result<(), StateError> {
        let Some(query) = &references.prefix else {
            return Ok(());
        };
        let previous = references.previous.as_ref();
        let response = previous.and_then(|id| loaded.responses.get(id));
        let conversation = loaded.conversation.as_ref();
        let chain = response.map(|response| &response.chain);
        let chain = chain.or(conversation.map(|conversation| &conversation.chain));
        let asked = query.asked(chain);
        let keys = asked.keys.iter();
        let keys: Vec<String> = keys.map(|key| self.key(account, "p", &key.hex())).collect();
        let found = self.shelf.get(&keys)?;
        loaded.cached = asked.longest(found.iter().map(Option::is_some));
        Ok(())
    }

    fn parse<T: DeserializeOwned>(&self, bytes: Option<&[u8]>) -> Result<Option<T>, StateError> {
        let value = bytes.map(serde_json::from_slice).transpose();
        value.map_err(|error| StateError {
            store: format!("{:?}", self.shelf),
            reason: format!("a value under `{}` is not ours: {error}", self.prefix),
        })
    }

    /// Keeps what belongs before the first byte of an answer.
    pub(crate) fn commit_early(&self, writes: &mut Writes) -> Result<(), StateError> {
        let steps = self.steps(writes.account, writes.early.clone())?;
        self.write(steps)?;
        // What failed stays, and is tried again with the rest.
        writes.early.clear();
        Ok(())
    }

    /// Keeps what an answer wrote, and gives its conversation back.
    pub(crate) fn commit(&self, writes: Writes) -> Result<(), StateError> {
        let mut steps = self.steps(writes.account, writes.early)?;
        steps.extend(self.steps(writes.account, writes.changes)?);
        match writes.reply {
            ReplyUse::None | ReplyUse::Used => {}
            ReplyUse::Returned(_) => steps.push(Step::CountBack(self.said())),
        }
        self.write(steps)?;
        match &writes.lease {
            Some(lease) => self.shelf.release(lease),
            None => Ok(()),
        }
    }

    fn write(&self, steps: Vec<Step>) -> Result<(), StateError> {
        if steps.is_empty() {
            return Ok(());
        }
        self.shelf.write(steps)
    }

    fn steps(&self, account: AccountPlace, changes: Vec<Change>) -> Result<Vec<Step>, StateError> {
        let mut steps = Vec::new();
        for change in changes {
            self.step(account, change, &mut steps)?;
        }
        Ok(steps)
    }

    fn step(&self, account: AccountPlace, change: Change, steps: &mut Vec<Step>) -> Result<(), StateError> {
        let key = |kind: &str, id: &str| self.key(account, kind, id);
        match change {
            Change::Cache(prefixes) => {
                let keys = prefixes.iter().map(|prefix| key("p", &prefix.hex()));
                steps.extend(keys.map(|key| Step::Put(key, THERE.to_vec())));
            }
            Change::IssueType(name) => steps.push(Step::Put(key("t", &name), THERE.to_vec())),
            Change::PutResponse(response) => {
                steps.push(Step::Put(key("r", &response.id), json(&*response)));
            }
            Change::SetRun { response, run } => steps.push(Step::Put(key("run", &response), json(&run))),
            Change::DeleteResponse(id) => {
                steps.extend(["r", "run"].map(|kind| Step::Delete(key(kind, &id))));
            }
            Change::PutConversation(conversation) => {
                steps.push(head(
                    &key("c", &conversation.id),
                    &conversation,
                    &conversation.metadata,
                ));
                steps.push(Step::Put(
                    key("chain", &conversation.id),
                    json(&conversation.chain),
                ));
                let items = key("items", &conversation.id);
                steps.extend(pushed(&items, &conversation.items));
            }
            Change::SetMetadata {
                conversation,
                metadata,
            } => {
                if let Some(kept) = self.conversation(account, &conversation)? {
                    steps.push(head(&key("c", &conversation), &kept, &metadata));
                }
            }
            Change::Append {
                conversation,
                items,
                chain,
            } => {
                steps.push(Step::Put(key("chain", &conversation), json(&*chain)));
                steps.extend(pushed(&key("items", &conversation), &items));
            }
            Change::DeleteConversation(id) => {
                steps.extend(["c", "chain", "items"].map(|kind| Step::Delete(key(kind, &id))));
            }
            Change::DeleteItem {
                conversation,
                item,
                chain,
            } => {
                steps.push(Step::Put(key("chain", &conversation), json(&*chain)));
                let items = key("items", &conversation);
                for value in self.shelf.list(&items)? {
                    let listed: Option<Listed> = self.parse(Some(&value))?;
                    if listed.is_some_and(|listed| listed.id() == Some(item.as_str())) {
                        steps.push(Step::Pull(items.clone(), value));
                    }
                }
            }
        }
        Ok(())
    }
}

fn head(key: &str, conversation: &Conversation, metadata: &Object) -> Step {
    let head = Head {
        created_at: conversation.created_at,
        metadata: metadata.clone(),
    };
    Step::Put(key.to_owned(), json(&head))
}

fn pushed<'a>(key: &'a str, items: &'a [Arc<Listed>]) -> impl Iterator<Item = Step> + 'a {
    items.iter().map(|item| Step::Push(key.to_owned(), json(&**item)))
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    // Serializing our own plain data into memory cannot fail.
    serde_json::to_vec(value).unwrap_or_default()
}
