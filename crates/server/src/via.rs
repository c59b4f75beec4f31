//! The way by which a request came.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use holdover_fake::{ConnectionMemory, Writes};
use holdover_wire::Transport;

/// The way by which a request came.
#[derive(Clone, Debug)]
pub(crate) enum Via {
    /// A request of HTTP, whose connection remembers nothing.
    Http,
    /// A frame on a lane of a WebSocket.
    Lane(LaneMemory),
}

/// What a connection remembers, as one of its lanes sees it.
#[derive(Clone, Debug)]
pub(crate) struct LaneMemory {
    memory: Arc<Mutex<ConnectionMemory>>,
    /// Name of the lane; empty for the default one.
    lane: String,
}

impl Via {
    /// How the answer travels, where the request does not say so.
    pub(crate) fn transport(&self) -> Option<Transport> {
        match self {
            Self::Http => None,
            Self::Lane(_) => Some(Transport::Ws),
        }
    }

    /// Remembers an answer where the connection does.
    pub(crate) fn keep(&self, writes: &Writes) {
        match self {
            Self::Http => {}
            Self::Lane(lane) => lane.memory().keep(writes, &lane.lane),
        }
    }
}

impl LaneMemory {
    pub(crate) fn new(memory: &Arc<Mutex<ConnectionMemory>>, lane: &str) -> Self {
        Self {
            memory: Arc::clone(memory),
            lane: lane.to_owned(),
        }
    }

    /// The memory of the whole connection.
    pub(crate) fn memory(&self) -> MutexGuard<'_, ConnectionMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A continuation of this response was refused.
    pub(crate) fn evict(&self, id: &str) {
        self.memory().evict(id, &self.lane);
    }
}
