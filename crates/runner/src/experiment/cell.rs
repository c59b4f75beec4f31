//! The axes of the experiment.

use std::sync::Arc;

use holdover_profile::provider::{Condition, Endpoint, Mode};
use holdover_seal::Key;
use serde_json::Value;

use crate::experiment::task::Task;

/// What a client does with the reasoning that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It goes back as it came.
    Replay,
    /// It is left out.
    Drop,
    /// One letter of it is another one.
    Modified,
}

impl Treatment {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Replay, Self::Drop, Self::Modified];

    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::Drop => "drop",
            Self::Modified => "modified",
        }
    }

    /// The action of a policy that does this; none does what nobody should do.
    pub fn action(self) -> &'static str {
        match self {
            Self::Replay => "replay_exact",
            Self::Drop => "drop_reasoning",
            Self::Modified => "",
        }
    }
}

/// Whether the model thinks.
#[derive(Clone, Debug, PartialEq)]
pub enum Thinking {
    /// As the endpoint does it unasked.
    On,
    /// Turned off, with these members of the request.
    Off(Vec<(String, Value)>),
}

/// How answers travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Whole.
    Json,
    /// As events.
    Sse,
}

impl Transport {
    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Sse => "sse",
        }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Who is asked.
    pub endpoint: Arc<Endpoint>,
    /// What is done.
    pub task: Task,
    /// What becomes of reasoning.
    pub treatment: Treatment,
    /// Whether the model thinks.
    pub thinking: Thinking,
    /// How answers travel.
    pub transport: Transport,
}

impl Cell {
    /// Where in a conversation the task looks.
    pub fn mode(&self) -> Mode {
        self.task.mode()
    }
}

/// All cells of an endpoint.
pub fn cells(endpoint: &Arc<Endpoint>) -> Vec<Cell> {
    let off = endpoint.speech.rests.iter().find_map(Condition::members);
    let thinking = std::iter::once(Thinking::On).chain(off.map(Thinking::Off));
    let mut cells = Vec::new();
    for thinking in thinking {
        for task in Task::ALL {
            for treatment in Treatment::ALL {
                for transport in [Transport::Json, Transport::Sse] {
                    cells.push(Cell {
                        endpoint: Arc::clone(endpoint),
                        task,
                        treatment,
                        thinking: thinking.clone(),
                        transport,
                    });
                }
            }
        }
    }
    cells
}

/// The places of so many cells in an order that the seed shuffles.
pub fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let key = Key::of_seed(seed).purpose("experiment", "");
    places.sort_by_key(|place| key.hash(&place.to_le_bytes()));
    places
}
