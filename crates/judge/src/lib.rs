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
//! | [`known`] | findings that a team knows already: its baseline, its suppressions |
//! | [`verdict`] | [`Verdict`], [`Coverage`] |
//! | [`rules`] | one file for each rule; [`rules::all`], [`rules::find`] |
//! | [`explain`] | pasted error text to its cause and recovery |
//! | [`client`] | the client library that headers name |
//!
//! Inside: `ledger` holds what was issued, `lineage` how exchanges continue one another; `sent`, `turn` and `sighting`
//! are what one request shows, and `provider` the same on the wires of other providers; `survey` runs the checks, `board` keeps findings until they are settled and `refused` the
//! refusals that none of them explains; `exports`,
//! `ids` and `audit` are read at the end by `closing`.

mod audit;
mod board;
pub mod client;
mod closing;
pub mod config;
mod draft;
pub mod explain;
mod exports;
#[cfg(test)]
mod facts_tests;
pub mod finding;
mod hash;
mod ids;
pub mod judge;
pub mod known;
mod late;
mod ledger;
mod lineage;
#[cfg(test)]
mod not_a_finding;
mod provider;
mod refused;
mod route;
pub mod rules;
mod sent;
mod sighting;
mod survey;
mod tally;
#[cfg(test)]
mod testkit;
mod turn;
pub mod verdict;
#[cfg(test)]
mod verdict_tests;
mod words;
mod world;

pub use client::Client;
pub use config::{AllowEntry, Clock, Export, JudgeConfig, PatternError, Source};
pub use finding::{Class, Finding, Severity};
pub use judge::Judge;
pub use known::{Known, KnownFinding, Suppression};
pub use rules::Rule;
pub use verdict::{Coverage, Inconclusive, Outcome, ReasoningOff, Verdict};
