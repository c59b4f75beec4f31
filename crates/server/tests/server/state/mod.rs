//! State over the socket, in each store: it is found again, it survives, and nothing is lost or mixed under load.

mod bound;
mod lease;
mod load;
mod redis_server;
mod same;
mod survival;

use std::path::Path;

use holdover_server::{ServerConfig, StateConfig};

use redis_server::RedisServer;

/// A store to test, with what it lives in.
pub(crate) enum Place {
    Memory,
    Sqlite(tempfile::TempDir),
    Redis(RedisServer),
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn redis() -> Self {
        Self::Redis(RedisServer::start())
    }

    pub(crate) fn config(&self) -> ServerConfig {
        let state = match self {
            Self::Memory => StateConfig::Memory,
            Self::Sqlite(folder) => StateConfig::Sqlite(file(folder.path())),
            Self::Redis(server) => StateConfig::Redis(server.address()),
        };
        ServerConfig {
            state,
            ..ServerConfig::default()
        }
    }
}

fn file(folder: &Path) -> std::path::PathBuf {
    folder.join("state.db")
}
