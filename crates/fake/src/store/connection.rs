//! What one WebSocket remembers of its responses (`tests/facts/state.md`, WebSocket-local state).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::store::{Connection, Loaded, References, StoredResponse, Writes};

/// Responses that a connection remembers; the oldest go first.
const REMEMBERED_MAX: usize = 256;

/// The responses of one connection, stored ones too. It is lost when the connection closes.
#[derive(Clone, Debug, Default)]
pub struct ConnectionMemory {
    responses: BTreeMap<String, Remembered>,
    order: VecDeque<String>,
}

#[derive(Clone, Debug)]
struct Remembered {
    response: Arc<StoredResponse>,
    lane: String,
}

impl ConnectionMemory {
    /// Adds what the connection remembers to what the session's store had, and marks the request as one that came by
    /// a connection.
    pub fn fill(&self, references: &References, loaded: &mut Loaded) {
        loaded.connection = Connection::Remembers;
        for id in &references.responses {
            if let Some(found) = self.responses.get(id) {
                loaded.evicted.remove(id);
                loaded.responses.insert(id.clone(), Arc::clone(&found.response));
            }
        }
    }

    /// Remembers the response of an answer on a lane; the name of the default lane is empty.
    pub fn keep(&mut self, writes: &Writes, lane: &str) {
        let Some(response) = &writes.remembered else {
            return;
        };
        self.order.push_back(response.id.clone());
        let remembered = Remembered {
            response: Arc::clone(response),
            lane: lane.to_owned(),
        };
        self.responses.insert(response.id.clone(), remembered);
        while self.order.len() > REMEMBERED_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.responses.remove(&oldest);
            }
        }
    }

    /// A continuation of a response was refused on this lane: it is forgotten if the lane is its own. A fork that
    /// fails on another lane does it no harm.
    pub fn evict(&mut self, id: &str, lane: &str) {
        if self.responses.get(id).is_some_and(|found| found.lane == lane) {
            self.responses.remove(id);
            self.order.retain(|kept| kept != id);
        }
    }
}
