//! The client that Holdover plays: a pipeline whose every stage is right, or has one planted mistake.
//!
//! An [`Agent`] is driven by a shell that carries calls and answers: [`Agent::start`] begins a turn, [`Next::Send`]
//! asks for a call, [`Agent::receive`] takes its answer as bytes, until [`Next::Done`]. Exports and audit records are
//! taken with [`Agent::take_exports`] and [`Agent::take_audit`]. Nothing here does I/O or draws a random number: the
//! same configuration and the same answers give the same bytes.
//!
//! ```
//! use holdover_agent::{Agent, AgentConfig, Next, Received, Slip, TurnInput};
//!
//! let slips = vec![Slip::TextOnlyAppend];
//! let mut agent = Agent::new(AgentConfig { slips, ..AgentConfig::default() });
//! let Next::Send(call) = agent.start(TurnInput::user("Hello")) else { panic!() };
//! assert_eq!(call.path, "/v1/responses");
//! let body = br#"{"id":"resp_1","status":"completed","output":[]}"#.to_vec();
//! let next = agent.receive(&Received { status: 200, body, ..Received::default() });
//! assert!(matches!(next, Next::Done(_)));
//! assert_eq!(agent.take_audit().len(), 1);
//! ```
//!
//! | module | what is there |
//! |---|---|
//! | `agent` | the turn as a sequence of calls |
//! | `config` | which client it is |
//! | `turn` | what goes into a turn and comes out of it |
//! | `slip` | the catalogue of planted mistakes, one file each in `slips` |
//! | `stages` | the pipeline, one file a stage |
//! | `presets` | what is peculiar to one real client |
//! | `state` | what outlives a process |
//! | `flight`, `open_calls` | what a turn holds while it is going on |
//! | `history`, `chat` | what the client remembers |
//! | `input` | that, as the next input |
//! | `peer` | who is asked, where it is another provider |
//! | `wires` | requests and answers of other wires, as items |

mod agent;
mod chat;
mod config;
mod flight;
mod history;
mod input;
mod open_calls;
mod peer;
mod presets;
mod slip;
mod slips;
mod stages;
mod state;
#[cfg(test)]
mod testing;
mod turn;
mod wires;

pub use agent::Agent;
pub use config::{
    AgentConfig, Callback, ExportKind, Include, Moves, Preset, Recovery, SessionStore, StateMode, Streaming,
};
pub use peer::Peer;
pub use slip::{Slip, Stage};
pub use turn::{Export, Next, OpenCall, Received, Refusal, TurnInput, TurnResult, TurnStatus};
