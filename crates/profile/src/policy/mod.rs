//! Replay policies: what a client sends back of past reasoning, decided when it sends (R1, R4 of `docs/mission.md`).
//!
//! | module | what is there |
//! |---|---|
//! | [`mod@file`] | the file: conditions, actions, what happens where nothing is known |
//! | [`situation`] | where a message stands when a policy decides about it |
//! | [`mod@apply`] | a policy over a history: what is sent, and a record of what was done |
//! | [`mod@verify`] | where a policy would break an endpoint, told without traffic |

pub mod apply;
pub mod file;
pub mod situation;
pub mod verify;

pub use apply::{Applied, Record, apply};
pub use file::{Policy, PolicyError, PolicyRule};
pub use situation::Situation;
pub use verify::{Grade, Problem, verify};
