//! The rules: one file each, in a folder for each class, with its data, its check and its tests.
//!
//! | folder | what its rules look at |
//! |---|---|
//! | `carry` | one group of issued items in one request |
//! | `leak` | exports, and the members and texts of a request |
//! | `tools` | calls and outputs of one request |
//! | `state` | anchors, modes and what a request must repeat |
//! | `audit` | audit records, alone and against the wire |
//! | `shape` | one item of one request |
//! | `transport` | a request against the answers before it |

mod catalogue;
mod rule;

pub use catalogue::{all, find};
pub use rule::Rule;
pub(crate) use rule::rule;
