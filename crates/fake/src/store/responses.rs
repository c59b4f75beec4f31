//! Stored responses within a bound of bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdover_wire::Object;
use serde_json::Value;

use crate::store::StoredResponse;

/// Bytes of stored responses that one account keeps.
const BYTES_MAX: usize = 256 << 20;

/// What a response costs beside its texts.
const RESPONSE_BYTES: usize = 1_024;

/// What a JSON value costs beside its text.
const VALUE_BYTES: usize = 64;

/// What a store holds, and what it let go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Stored responses.
    pub responses: usize,
    /// Their bytes in memory, about.
    pub bytes: usize,
    /// Responses that went because others came.
    pub evicted: u64,
}

impl StoreSize {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            responses: self.responses + other.responses,
            bytes: self.bytes + other.bytes,
            evicted: self.evicted + other.evicted,
        }
    }
}

#[derive(Clone, Debug)]
struct Kept {
    response: Arc<StoredResponse>,
    number: u64,
    bytes: usize,
}

/// Responses by id, and their ids in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    by_id: BTreeMap<String, Kept>,
    by_age: BTreeMap<u64, String>,
    next: u64,
    bytes: usize,
    limit: usize,
    evicted: u64,
}

impl Default for Responses {
    fn default() -> Self {
        Self {
            by_id: BTreeMap::new(),
            by_age: BTreeMap::new(),
            next: 0,
            bytes: 0,
            limit: BYTES_MAX,
            evicted: 0,
        }
    }
}

impl Responses {
    pub(crate) fn get(&self, id: &str) -> Option<&Arc<StoredResponse>> {
        self.by_id.get(id).map(|kept| &kept.response)
    }

    pub(crate) fn put(&mut self, response: Arc<StoredResponse>) {
        self.remove(&response.id);
        let kept = Kept {
            bytes: weight(&response),
            number: self.next,
            response,
        };
        self.next += 1;
        self.bytes += kept.bytes;
        self.by_age.insert(kept.number, kept.response.id.clone());
        self.by_id.insert(kept.response.id.clone(), kept);
        self.evict();
    }

    pub(crate) fn change(&mut self, id: &str, change: impl FnOnce(&mut StoredResponse)) {
        if let Some(kept) = self.by_id.get_mut(id) {
            change(Arc::make_mut(&mut kept.response));
        }
    }

    pub(crate) fn remove(&mut self, id: &str) {
        if let Some(kept) = self.by_id.remove(id) {
            self.by_age.remove(&kept.number);
            self.bytes -= kept.bytes;
        }
    }

    pub(crate) fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
        self.evict();
    }

    /// The newest response stays even where it alone is too large: it was just acknowledged.
    fn evict(&mut self) {
        while self.bytes > self.limit && self.by_id.len() > 1 {
            let Some((_, oldest)) = self.by_age.pop_first() else {
                return;
            };
            self.remove(&oldest);
            self.evicted += 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.by_id.clear();
        self.by_age.clear();
        self.bytes = 0;
    }

    pub(crate) fn size(&self) -> StoreSize {
        StoreSize {
            responses: self.by_id.len(),
            bytes: self.bytes,
            evicted: self.evicted,
        }
    }
}

fn weight(response: &StoredResponse) -> usize {
    let items = response.output.iter().chain(&response.input);
    let events = response.events.as_ref().map_or(0, String::len);
    RESPONSE_BYTES + response.text.len() + events + items.map(object_weight).sum::<usize>()
}

fn object_weight(object: &Object) -> usize {
    let members = object.iter();
    members
        .map(|(name, value)| name.len() + value_weight(value))
        .sum::<usize>()
        + VALUE_BYTES
}

fn value_weight(value: &Value) -> usize {
    let inner = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(value_weight).sum(),
        Value::Object(object) => object_weight(object),
    };
    VALUE_BYTES + inner
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn the_oldest_goes_when_the_bound_is_reached() {
        let mut responses = Responses::default();
        responses.limit(3 * (RESPONSE_BYTES + 1_000));
        for number in 0..10 {
            responses.put(response(&format!("resp_{number}"), 1_000));
        }
        let size = responses.size();
        assert_eq!((size.responses, size.evicted), (3, 7));
        assert!(size.bytes <= 3 * (RESPONSE_BYTES + 1_000));
        assert!(responses.get("resp_6").is_none());
        assert!(responses.get("resp_7").is_some());
        responses.put(response("resp_large", 100_000));
        assert_eq!(responses.size().responses, 1);
    }

    #[test]
    fn what_is_removed_no_longer_counts() {
        let mut responses = Responses::default();
        responses.put(response("resp_1", 10));
        responses.put(response("resp_1", 20));
        assert_eq!(responses.size().bytes, RESPONSE_BYTES + 20);
        responses.remove("resp_1");
        assert_eq!(responses.size(), StoreSize::default());
    }
}
