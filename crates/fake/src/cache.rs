//! The prompt cache: which prefix of a context was seen before (`tests/facts/state.md`, Prompt caching).
//!
//! A prefix is known by the content of its items, never by their ids or tokens, so a policy about ids changes no usage
//! (P13). Looking one up costs as much as the request is long.

use holdover_profile::CacheRule;
use holdover_wire::Members as _;
use holdover_wire::item::ItemView;
use holdover_wire::{CreateRequest, ItemKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use twox_hash::XxHash3_128;

use crate::chain::ChainState;
use crate::generations::Generations;

/// Below this a prefix is not cached.
const TOKENS_MIN: u64 = 1_024;

/// Up to gpt-5.5 cached tokens come in steps of this.
const STEP: u64 = 128;

/// Keys of one generation of the table; two generations are kept.
const GENERATION_KEYS: usize = 4_096;

/// Hash of some content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash([u8; 16]);

impl ContentHash {
    fn of(bytes: &[u8]) -> Self {
        Self(XxHash3_128::oneshot(bytes).to_be_bytes())
    }

    /// Lower-case hex digits: a key for a shell that keeps prefixes elsewhere.
    pub fn hex(&self) -> String {
        crate::derive::hex(&self.0)
    }

    /// The prefix with one more item.
    #[must_use]
    pub fn then(self, item: Self) -> Self {
        let mut both = [0; 32];
        both[..16].copy_from_slice(&self.0);
        both[16..].copy_from_slice(&item.0);
        Self::of(&both)
    }
}

/// Hash of what an item says. `sealed` is the id inside its token: reasoning is the same whether its id stands outside
/// too or not.
pub(crate) fn item_hash(item: ItemView<'_>, sealed: Option<&str>) -> ContentHash {
    let mut said = Vec::with_capacity(256);
    let mut put = |text: &str| {
        said.extend_from_slice(text.as_bytes());
        said.push(0);
    };
    let text = |name: &str| item.object().member(name).and_then(Value::as_str).unwrap_or("");
    match item.kind() {
        ItemKind::Message => {
            put("message");
            put(item.role().unwrap_or(""));
            put(&item.text());
            for part in unread_parts(item) {
                put(&part.to_string());
            }
        }
        ItemKind::Reasoning | ItemKind::Compaction => {
            put("protected");
            put(sealed.or(item.id()).unwrap_or(""));
        }
        ItemKind::FunctionCall | ItemKind::CustomToolCall => {
            for name in ["type", "call_id", "name", "arguments", "input"] {
                put(text(name));
            }
        }
        ItemKind::FunctionCallOutput
        | ItemKind::CustomToolCallOutput
        | ItemKind::CompactionTrigger
        | ItemKind::ItemReference
        | ItemKind::OtherCall
        | ItemKind::OtherOutput
        | ItemKind::Unknown => {
            let members = item.object().iter();
            for (name, value) in members.filter(|(name, _)| !UNSAID.contains(&name.as_str())) {
                put(name);
                put(&value.to_string());
            }
        }
    }
    ContentHash::of(&said)
}

/// Members that label an item and say nothing.
const UNSAID: [&str; 4] = ["id", "status", "encrypted_content", "created_by"];

/// Parts of a message that are no text.
fn unread_parts(item: ItemView<'_>) -> impl Iterator<Item = &Value> {
    let parts = item.object().member("content").and_then(Value::as_array);
    let is_text = |part: &Value| part.member("text").is_some() || part.member("refusal").is_some();
    parts.into_iter().flatten().filter(move |part| !is_text(part))
}

/// Whether a client marked an item as the end of a prefix.
pub(crate) fn is_marked(item: ItemView<'_>) -> bool {
    let parts = ["content", "output"]
        .into_iter()
        .filter_map(|name| item.object().member(name)?.as_array());
    parts.flatten().any(|part| {
        part.member("prompt_cache_breakpoint")
            .is_some_and(|mark| !mark.is_null())
    })
}

/// What stands before all items, and what a cached prefix is kept under.
fn header(request: CreateRequest<'_>) -> ContentHash {
    let mut said = Vec::with_capacity(256);
    for name in ["model", "prompt_cache_key", "instructions", "tools", "text"] {
        if let Some(value) = request.member(name) {
            said.extend_from_slice(name.as_bytes());
            // Serializing a JSON value into memory cannot fail.
            let _ = serde_json::to_writer(&mut said, value);
        }
        said.push(0);
    }
    ContentHash::of(&said)
}

/// What a request asks the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrefixQuery {
    /// What stands before all items.
    pub header: ContentHash,
    /// The items of its input.
    pub items: Vec<ContentHash>,
}

impl PrefixQuery {
    pub(crate) fn new(request: CreateRequest<'_>, items: Vec<ContentHash>) -> Self {
        let items = match request.input_text() {
            Some(text) => vec![item_hash(holdover_wire::Item::user(text).view(), None)],
            None => items,
        };
        Self {
            header: header(request),
            items,
        }
    }
}

/// The prefixes of a request under the keys of the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedPrefixes {
    /// The keys: first, where there is one, that of the continued input, then one for each item of the new input.
    pub keys: Vec<ContentHash>,
    /// Whether the first key is that of the continued input.
    continued: bool,
}

impl PrefixQuery {
    /// The prefixes of a request that goes on from the context of a response or of a conversation.
    pub fn asked(&self, continued: Option<&ChainState>) -> AskedPrefixes {
        let before = continued.and_then(|chain| chain.breakpoint);
        let mut at = continued.map_or_else(ContentHash::default, |chain| chain.prefix);
        let items = self.items.iter().map(|item| {
            at = at.then(*item);
            at
        });
        let prefixes = before.map(|position| position.prefix).into_iter().chain(items);
        AskedPrefixes {
            keys: prefixes.map(|prefix| self.header.then(prefix)).collect(),
            continued: before.is_some(),
        }
    }
}

impl AskedPrefixes {
    /// The longest of them that the cache has. `known` says for each key whether it does.
    pub fn longest(&self, known: impl IntoIterator<Item = bool>) -> Option<Hit> {
        let known = known.into_iter().enumerate().filter(|(_, known)| *known);
        let (place, _) = known.last()?;
        Some(match (self.continued, place) {
            (true, 0) => Hit::Continued,
            (true, place) => Hit::Items(place),
            (false, place) => Hit::Items(place + 1),
        })
    }
}

/// A place in a context at which a prefix may end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Content up to it.
    pub prefix: ContentHash,
    /// Tokens up to it, without what stands before all items.
    pub tokens: u64,
    /// Whether the client marked it.
    pub marked: bool,
}

/// The longest prefix that was seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// It ends where the input of the continued response ended.
    Continued,
    /// It ends after so many items of the input.
    Items(usize),
}

/// Prefixes of a session, as many as are in use.
#[derive(Clone, Debug)]
pub(crate) struct PrefixTable(Generations<ContentHash, ()>);

impl Default for PrefixTable {
    fn default() -> Self {
        Self(Generations::new(GENERATION_KEYS))
    }
}

impl PrefixTable {
    pub(crate) fn put(&mut self, key: ContentHash) {
        self.0.put(key, ());
    }

    /// The longest known prefix of a request that goes on from a context.
    pub(crate) fn find(&self, query: &PrefixQuery, continued: Option<&ChainState>) -> Option<Hit> {
        if self.0.is_empty() {
            return None;
        }
        let asked = query.asked(continued);
        asked.longest(asked.keys.iter().map(|key| self.0.has(key)))
    }
}

/// What a request reads from the cache and writes to it, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cached {
    /// `cached_tokens`
    pub(crate) read: u64,
    /// `cache_write_tokens`
    pub(crate) written: u64,
}

/// Accounts for a request whose longest known prefix has `known` tokens, and whose newest breakpoint lies at `newest`.
pub(crate) fn account(rule: CacheRule, known: Option<u64>, newest: Option<u64>) -> Cached {
    let known = known.filter(|tokens| *tokens >= TOKENS_MIN).unwrap_or(0);
    match rule {
        CacheRule::Steps => Cached {
            read: known / STEP * STEP,
            written: 0,
        },
        CacheRule::Exact => {
            let newest = newest.filter(|tokens| *tokens >= TOKENS_MIN).unwrap_or(0);
            Cached {
                read: known,
                written: newest.saturating_sub(known),
            }
        }
    }
}

/// The positions of a request that are kept: all of them where the cache looks at tokens, else the newest and those that
/// the client marked.
pub(crate) fn kept(request: CreateRequest<'_>, rule: CacheRule, positions: &[Position]) -> Vec<Position> {
    let explicit = request
        .member("prompt_cache_options")
        .and_then(|options| options.member("mode"))
        .is_some_and(|mode| mode == "explicit");
    let last = positions.len().saturating_sub(1);
    let is_kept = |index: usize, position: &Position| match rule {
        CacheRule::Steps => true,
        CacheRule::Exact => position.marked || (index == last && !explicit),
    };
    let positions = positions.iter().enumerate();
    positions
        .filter(|(index, position)| is_kept(*index, position))
        .map(|(_, position)| *position)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hash(item: &Value, sealed: Option<&str>) -> ContentHash {
        item_hash(ItemView::new(item.as_object().expect("object")), sealed)
    }

    #[test]
    fn both_forms_of_a_message_and_both_forms_of_reasoning_are_the_same_content() {
        let easy = json!({"role": "user", "content": "x"});
        let full = json!({"id": "msg_1", "type": "message", "status": "completed", "role": "user", "content": [{"type": "input_text", "text": "x"}]});
        assert_eq!(hash(&easy, None), hash(&full, None));
        let with = json!({"id": "rs_1", "type": "reasoning", "summary": []});
        let stripped = json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAAAB"});
        assert_eq!(hash(&with, None), hash(&stripped, Some("rs_1")));
        assert_ne!(hash(&with, None), hash(&stripped, Some("rs_2")));
    }

    #[test]
    fn numbers_of_the_facts() {
        // `tests/facts/state.md`: multiples of 128 from 1024 up to gpt-5.5; 4012 written, then 4012 read from gpt-5.6.
        let read = |known| account(CacheRule::Steps, Some(known), None).read;
        assert_eq!([1_023, 1_024, 2_000].map(read), [0, 1_024, 1_920]);
        let first = account(CacheRule::Exact, None, Some(4_012));
        assert_eq!((first.read, first.written), (0, 4_012));
        let second = account(CacheRule::Exact, Some(4_012), Some(4_012));
        assert_eq!((second.read, second.written), (4_012, 0));
        assert_eq!(account(CacheRule::Exact, None, Some(1_000)), Cached::default());
    }

    #[test]
    fn the_longest_known_prefix_counts() {
        let item = |text: &str| hash(&json!({"role": "user", "content": text}), None);
        let query = PrefixQuery {
            header: ContentHash::default(),
            items: vec![item("a"), item("b")],
        };
        let fresh = query.asked(None);
        assert_eq!(fresh.keys.len(), 2);
        assert_eq!(fresh.longest([false, false]), None);
        assert_eq!(fresh.longest([true, false]), Some(Hit::Items(1)));
        let chain = ChainState {
            breakpoint: Some(Position::default()),
            ..ChainState::default()
        };
        let continued = query.asked(Some(&chain));
        assert_eq!(continued.keys.len(), 3);
        assert_eq!(continued.longest([true, false, false]), Some(Hit::Continued));
        assert_eq!(continued.longest([true, false, true]), Some(Hit::Items(2)));
    }
}
