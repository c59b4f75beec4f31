//! Which store a server is told to use.

use std::path::PathBuf;
use std::str::FromStr;

/// Where the state of sessions is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StateConfig {
    /// In this process, within [`crate::Limits::state_bytes_max`]. It ends with the process.
    #[default]
    Memory,
    /// In a SQLite file of this one process. It survives the process, however that ends.
    Sqlite(PathBuf),
    /// In Redis, which several processes share.
    Redis(String),
}

/// A text that names no store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no store")]
pub struct StateConfigError(String);

impl StateConfigError {
    /// What to write instead.
    pub const HELP: &'static str = "the stores are `memory`, `sqlite:FILE` and `redis://HOST:PORT/DB`";
}

impl FromStr for StateConfig {
    type Err = StateConfigError;

    fn from_str(text: &str) -> Result<Self, StateConfigError> {
        if text == "memory" {
            return Ok(Self::Memory);
        }
        let file = text.strip_prefix("sqlite:").filter(|file| !file.is_empty());
        if let Some(file) = file {
            return Ok(Self::Sqlite(PathBuf::from(file)));
        }
        let is_address = |rest: &str| !rest.is_empty();
        if text.strip_prefix("redis://").is_some_and(is_address) {
            return Ok(Self::Redis(text.to_owned()));
        }
        Err(StateConfigError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_store_is_read_and_nothing_else() {
        assert_eq!("memory".parse(), Ok(StateConfig::Memory));
        assert_eq!("sqlite:a/b.db".parse(), Ok(StateConfig::Sqlite("a/b.db".into())));
        let address = "redis://localhost:6379/2";
        assert_eq!(address.parse(), Ok(StateConfig::Redis(address.to_owned())));
        for bad in ["", "Memory", "sqlite:", "redis://", "file.db"] {
            let error = bad.parse::<StateConfig>().expect_err("no store");
            assert_eq!(error.to_string(), format!("`{bad}` is no store"));
        }
    }
}
