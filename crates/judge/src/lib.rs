//! The judge: does a client carry its reasoning items over from turn to turn, and keep them out of its logs?
//!
//! A [`Judge`] sees what an outsider could see: exchanges, exports, audit records (law 4 of
//! `docs/architecture.md`). It learns every item that responses issue and compares it with what later requests of the
//! same conversation carry.
//!
//! | module | what is there |
//! |---|---|
//! | [`judge`] | [`Judge`]: exchange after exchange in, findings out |
//! | [`config`] | what it is told, and exports |
//! | [`finding`] | [`Finding`], [`Severity`], [`Class`] |
//! | [`verdict`] | [`Verdict`], [`Coverage`] |
//! | [`rules`] | one file for each rule; [`rules::all`], [`rules::find`] |
//! | [`explain`] | pasted error text to its cause and recovery |
//! | [`client`] | the client library that headers name |

pub mod client;
pub mod config;
pub mod explain;
pub mod finding;
pub mod judge;
pub mod rules;
pub mod verdict;

pub use client::Client;
pub use config::{AllowEntry, Clock, Export, JudgeConfig, PatternError, Source};
pub use finding::{Class, Finding, Severity};
pub use judge::Judge;
pub use rules::Rule;
pub use verdict::{Coverage, Inconclusive, Outcome, ReasoningOff, Verdict};
