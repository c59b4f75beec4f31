//! The rules: one file each, in a folder for each class, with its data, its check and its tests.
//!
//! | module | what its rules look at |
//! |---|---|
//! | `carry` | one group of issued items in one request |
//! | `leak` | exports, and the members and texts of a request |
//! | `tools` | calls and outputs of one request |
//! | `state` | anchors, modes and what a request must repeat |
//! | `audit` | audit records, alone and against the wire |
//! | `shape` | one item of one request |
//! | `transport` | a request against the answers before it |
//! | `provider` | what a request brought back on the wire of another provider |
//! | `catalogue` | all of them: [`all`], [`find`], their checks and their precedence |
//! | `lossy` | what a lossy source withholds |

pub(crate) mod audit;
pub(crate) mod carry;
mod catalogue;
pub(crate) mod leak;
mod lossy;
pub(crate) mod provider;
mod rule;
pub(crate) mod shape;
pub(crate) mod state;
pub(crate) mod tools;
pub(crate) mod transport;

pub(crate) use catalogue::{AUDIT_CHECKS, EXPORT_CHECKS, GROUP_CHECKS, PROVIDER_CHECKS, TURN_CHECKS, rank};
pub use catalogue::{all, find};
pub(crate) use lossy::withhold;
pub use rule::Rule;
pub(crate) use rule::{client_label, rule};
