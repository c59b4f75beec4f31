//! What one WebSocket remembers of its responses (`tests/facts/state.md`, WebSocket-local state).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::store::{Connection, Loaded, References, StoredResponse, Writes};

/// Responses that a connection remembers; the oldest go first.
const REMEMBERED_MAX: usize = 256;

/// The responses of one connection, stored ones too. It is lost when the connection closes.
#[derive(Clone, Debug, Default)]
pub struct ConnectionMemory {
    responses: BTreeMap<String, Arc<StoredResponse>>,
    order: VecDeque<String>,
}

impl ConnectionMemory {
    /// Adds what the connection remembers to what the session's store had, and marks the request as one that came by
    /// a connection.
    pub fn fill(&self, references: &References, loaded: &mut Loaded) {
        loaded.connection = Connection::Remembers;
        for id in &references.responses {
            if let Some(response) = self.responses.get(id) {
                loaded.responses.insert(id.clone(), Arc::clone(response));
            }
        }
    }

    /// Remembers the response of an answer.
    pub fn keep(&mut self, writes: &Writes) {
        let Some(response) = &writes.remembered else {
            return;
        };
        self.order.push_back(response.id.clone());
        self.responses.insert(response.id.clone(), Arc::clone(response));
        while self.order.len() > REMEMBERED_MAX {
            if let Some(oldest) = self.order.pop_front() {
                self.responses.remove(&oldest);
            }
        }
    }

    /// Forgets a response: a continuation of it was refused on its own lane.
    pub fn evict(&mut self, id: &str) {
        self.responses.remove(id);
        self.order.retain(|kept| kept != id);
    }
}
