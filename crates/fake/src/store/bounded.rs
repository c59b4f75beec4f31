//! Stored responses and conversations within a bound of bytes: the one that was not written for the longest time goes
//! first.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdover_wire::Object;
use serde_json::Value;

use crate::generations::Generations;
use crate::store::{Conversation, Listed, StoredResponse};

/// Bytes that one account keeps unless told otherwise.
const BYTES_MAX: usize = 256 << 20;

/// What a response or a conversation costs beside its texts.
const THING_BYTES: usize = 2_048;

/// What a JSON value costs beside its text: a member of a map with its key, as `tests/memory.rs` measures it.
const VALUE_BYTES: usize = 160;

/// Ids of evicted things that are remembered at least, so that a 404 can say why.
const GONE_MIN: usize = 16_384;

/// What a store holds, and what it let go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Stored responses.
    pub responses: usize,
    /// Conversations.
    pub conversations: usize,
    /// Their bytes in memory, about.
    pub bytes: usize,
    /// Responses and conversations that went because others came.
    pub evicted: u64,
}

impl StoreSize {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            responses: self.responses + other.responses,
            conversations: self.conversations + other.conversations,
            bytes: self.bytes + other.bytes,
            evicted: self.evicted + other.evicted,
        }
    }
}

/// What is kept under an id.
#[derive(Clone, Debug)]
enum Thing {
    Response(Arc<StoredResponse>),
    Conversation(Arc<Conversation>),
}

#[derive(Clone, Debug)]
struct Kept {
    thing: Thing,
    /// Its place in the order of writing.
    number: u64,
    bytes: usize,
}

/// Responses and conversations by id, and their ids in the order in which they were written.
#[derive(Clone, Debug)]
pub(crate) struct Bounded {
    by_id: BTreeMap<String, Kept>,
    by_age: BTreeMap<u64, String>,
    next: u64,
    limit: usize,
    size: StoreSize,
    /// Hashes of the ids of what was evicted.
    gone: Generations<[u8; 16], ()>,
}

impl Default for Bounded {
    fn default() -> Self {
        Self {
            by_id: BTreeMap::new(),
            by_age: BTreeMap::new(),
            next: 0,
            limit: BYTES_MAX,
            size: StoreSize::default(),
            gone: Generations::new(GONE_MIN),
        }
    }
}

impl Bounded {
    pub(crate) fn response(&self, id: &str) -> Option<&Arc<StoredResponse>> {
        match &self.by_id.get(id)?.thing {
            Thing::Response(response) => Some(response),
            Thing::Conversation(_) => None,
        }
    }

    pub(crate) fn conversation(&self, id: &str) -> Option<&Arc<Conversation>> {
        match &self.by_id.get(id)?.thing {
            Thing::Conversation(conversation) => Some(conversation),
            Thing::Response(_) => None,
        }
    }

    pub(crate) fn put_response(&mut self, response: Arc<StoredResponse>) {
        let bytes = response_bytes(&response);
        self.put(response.id.clone(), Thing::Response(response), bytes);
    }

    pub(crate) fn put_conversation(&mut self, conversation: Arc<Conversation>) {
        let items = conversation.items.iter().map(|item| item_bytes(item));
        let bytes = THING_BYTES + object_bytes(&conversation.metadata) + items.sum::<usize>();
        self.put(conversation.id.clone(), Thing::Conversation(conversation), bytes);
    }

    fn put(&mut self, id: String, thing: Thing, bytes: usize) {
        self.remove(&id);
        match thing {
            Thing::Response(_) => self.size.responses += 1,
            Thing::Conversation(_) => self.size.conversations += 1,
        }
        self.gone.remove(&hash(&id));
        self.size.bytes += bytes;
        let number = self.number(id.clone());
        self.by_id.insert(id, Kept { thing, number, bytes });
        self.evict();
    }

    /// The next place in the order of writing.
    fn number(&mut self, id: String) -> u64 {
        let number = self.next;
        self.next += 1;
        self.by_age.insert(number, id);
        number
    }

    /// Changes a response without a new place in the order: it gets neither longer nor younger.
    pub(crate) fn change_response(&mut self, id: &str, change: impl FnOnce(&mut StoredResponse)) {
        if let Some(Kept {
            thing: Thing::Response(response),
            ..
        }) = self.by_id.get_mut(id)
        {
            change(Arc::make_mut(response));
        }
    }

    /// Changes a conversation, which is the youngest then. `change` says how many bytes come and how many go.
    pub(crate) fn change_conversation(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut Conversation) -> (usize, usize),
    ) {
        let number = self.next;
        let Some(kept) = self.by_id.get_mut(id) else {
            return;
        };
        let Thing::Conversation(conversation) = &mut kept.thing else {
            return;
        };
        let (more, less) = change(Arc::make_mut(conversation));
        kept.bytes = (kept.bytes + more).saturating_sub(less);
        self.size.bytes = (self.size.bytes + more).saturating_sub(less);
        let before = std::mem::replace(&mut kept.number, number);
        self.by_age.remove(&before);
        self.number(id.to_owned());
        self.evict();
    }

    pub(crate) fn remove(&mut self, id: &str) {
        let Some(kept) = self.by_id.remove(id) else { return };
        self.by_age.remove(&kept.number);
        self.size.bytes -= kept.bytes;
        match kept.thing {
            Thing::Response(_) => self.size.responses -= 1,
            Thing::Conversation(_) => self.size.conversations -= 1,
        }
    }

    pub(crate) fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
        self.evict();
    }

    /// The newest stays even where it alone is too large: it was just acknowledged.
    fn evict(&mut self) {
        while self.size.bytes > self.limit && self.by_id.len() > 1 {
            self.evict_oldest();
        }
    }

    /// Lets the oldest go, whatever the bound is.
    pub(crate) fn evict_oldest(&mut self) {
        let Some((_, oldest)) = self.by_age.pop_first() else {
            return;
        };
        self.remove(&oldest);
        self.gone.put(hash(&oldest), ());
        self.size.evicted += 1;
    }

    /// Whether something of this id was let go, as far as that is remembered.
    pub(crate) fn is_gone(&self, id: &str) -> bool {
        !self.gone.is_empty() && self.gone.has(&hash(id))
    }

    /// Forgets every response; conversations do not expire.
    pub(crate) fn expire(&mut self) {
        let is_response = |kept: &Kept| matches!(kept.thing, Thing::Response(_));
        let kept = self.by_id.iter().filter(|(_, kept)| is_response(kept));
        let ids: Vec<String> = kept.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.remove(&id);
        }
    }

    pub(crate) fn size(&self) -> StoreSize {
        self.size
    }
}

fn hash(id: &str) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..16]);
    short
}

fn response_bytes(response: &StoredResponse) -> usize {
    let items = response.output.iter().chain(&response.input);
    let events = response.events.as_ref().map_or(0, String::len);
    THING_BYTES + response.text.len() + events + items.map(object_bytes).sum::<usize>()
}

/// What an item of a conversation costs: its id is kept twice.
pub(crate) fn item_bytes(item: &Listed) -> usize {
    object_bytes(&item.object) + 2 * VALUE_BYTES + item.id().map_or(0, str::len)
}

fn object_bytes(object: &Object) -> usize {
    let members = object.iter();
    members
        .map(|(name, value)| name.len() + value_bytes(value))
        .sum::<usize>()
        + VALUE_BYTES
}

fn value_bytes(value: &Value) -> usize {
    let inner = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(value_bytes).sum(),
        Value::Object(object) => object_bytes(object),
    };
    VALUE_BYTES + inner
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::chain::ChainState;
    use crate::store::{Mode, Run};

    fn response(id: &str, bytes: usize) -> Arc<StoredResponse> {
        Arc::new(StoredResponse {
            id: id.to_owned(),
            text: "x".repeat(bytes),
            output: Vec::new(),
            input: Vec::new(),
            parent: None,
            family: String::new(),
            chain: ChainState::default(),
            mode: Mode::Foreground,
            run: Run::Finished,
            failed: false,
            events: None,
        })
    }

    fn conversation(id: &str) -> Arc<Conversation> {
        Arc::new(Conversation {
            id: id.to_owned(),
            created_at: 0,
            metadata: Object::new(),
            items: Vec::new(),
            ids: std::collections::BTreeSet::new(),
            chain: ChainState::default(),
        })
    }

    #[test]
    fn the_oldest_goes_when_the_bound_is_reached() {
        let mut store = Bounded::default();
        store.limit(3 * (THING_BYTES + 1_000));
        for number in 0..10 {
            store.put_response(response(&format!("resp_{number}"), 1_000));
        }
        let size = store.size();
        assert_eq!((size.responses, size.evicted), (3, 7));
        assert!(size.bytes <= 3 * (THING_BYTES + 1_000));
        assert!(store.response("resp_6").is_none() && store.is_gone("resp_6"));
        assert!(store.response("resp_7").is_some() && !store.is_gone("resp_7"));
        store.put_response(response("resp_large", 100_000));
        assert_eq!(store.size().responses, 1);
    }

    #[test]
    fn a_conversation_is_as_young_as_its_last_item() {
        let mut store = Bounded::default();
        store.put_conversation(conversation("conv_1"));
        store.put_conversation(conversation("conv_2"));
        let object = json!({"id": "msg_1", "text": "x"}).as_object().cloned();
        let item = Arc::new(Listed {
            object: object.expect("an object"),
            family: None,
        });
        let bytes = item_bytes(&item);
        store.change_conversation("conv_1", |conversation| {
            conversation.items.push(item);
            (bytes, 0)
        });
        assert!(store.size().bytes > 2 * THING_BYTES + bytes);
        store.evict_oldest();
        assert!(store.conversation("conv_1").is_some());
        assert!(store.is_gone("conv_2"));
    }

    #[test]
    fn what_is_removed_no_longer_counts_and_is_not_said_to_be_evicted() {
        let mut store = Bounded::default();
        store.put_response(response("resp_1", 10));
        store.put_response(response("resp_1", 20));
        assert_eq!(store.size().bytes, THING_BYTES + 20);
        store.remove("resp_1");
        assert_eq!(store.size(), StoreSize::default());
        assert!(!store.is_gone("resp_1"));
    }
}
