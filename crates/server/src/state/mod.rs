//! Where the state of sessions is kept: in memory, in a SQLite file, or in Redis.
//!
//! The fake knows no store. In memory its own session is the shell; elsewhere [`Kept`] is: it loads what a request
//! names ([`Shelf::get`]) and writes what an answer changed ([`Shelf::write`], before the answer's last byte).
//!
//! | module | what is there |
//! |---|---|
//! | `config` | `memory`, `sqlite:FILE`, `redis://…` |
//! | `shelf` | what a store outside of memory must do: keys, lists, counts, locks |
//! | `sqlite`, `redis` | the two that there are |
//! | `kept` | responses, conversations and counts of a session on a shelf |
//! | `blocking` | calls that wait for a store |
//! | `budget` | the bound of bytes that all sessions in memory share |

mod blocking;
mod budget;
mod config;
mod kept;
mod redis;
mod shelf;
mod sqlite;

pub(crate) use blocking::blocking;
pub(crate) use budget::{Budget, Holder, Newest, Share};
pub use config::{StateConfig, StateConfigError};
pub(crate) use kept::{Kept, prefix, setup_key};
pub use shelf::StateError;
pub(crate) use shelf::{Shelf, Step, open};
