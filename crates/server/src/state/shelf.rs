//! What a store outside of memory must do.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use holdover_fake::Lease;

use super::config::StateConfig;
use super::redis::Redis;
use super::sqlite::Sqlite;

/// A store that cannot do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store `{store}` fails: {reason}")]
pub struct StateError {
    /// Its address, without a password.
    pub(crate) store: String,
    /// What it says.
    pub(crate) reason: String,
}

/// One step of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A value under a key.
    Put(String, Vec<u8>),
    /// One more value at the end of a list.
    Push(String, Vec<u8>),
    /// A value of a list goes.
    Pull(String, Vec<u8>),
    /// A key goes, with its value or list.
    Delete(String),
    /// One less on a counter.
    CountBack(String),
}

/// Keys with values, lists and counters. All calls block, so they are made on threads that may.
pub(crate) trait Shelf: Send + Sync + fmt::Debug {
    /// The values under these keys, in their order.
    fn get(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StateError>;

    /// A list; an unknown one is empty.
    fn list(&self, key: &str) -> Result<Vec<Vec<u8>>, StateError>;

    /// Counts one more, and returns the number before.
    fn count(&self, key: &str) -> Result<u64, StateError>;

    /// Does all steps or none; when it returns, they outlive this process.
    fn write(&self, steps: Vec<Step>) -> Result<(), StateError>;

    /// Takes what only one may have at a time; `None` while somebody has it.
    fn lease(&self, key: &str) -> Result<Option<Lease>, StateError>;

    /// Gives it back at once, and not only some time after its drop.
    fn release(&self, lease: &Lease) -> Result<(), StateError>;

    /// Forgets every key that begins so.
    fn clear(&self, prefix: &str) -> Result<(), StateError>;
}

/// Opens a store, with how long a lock of a dead server lasts; `None` for the one in memory.
pub(crate) fn open(config: &StateConfig, lease: Duration) -> Result<Option<Arc<dyn Shelf>>, StateError> {
    Ok(match config {
        StateConfig::Memory => None,
        StateConfig::Sqlite(file) => Some(Arc::new(Sqlite::open(file)?)),
        StateConfig::Redis(address) => Some(Arc::new(Redis::open(address, lease)?)),
    })
}
