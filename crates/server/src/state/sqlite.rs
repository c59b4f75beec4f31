//! State in a SQLite file that belongs to this one process.
//!
//! A write is in the file's write-ahead log when it returns, so it outlives the process, however that ends. It is not
//! flushed to the disk: a power cut may lose the newest ones.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use holdover_fake::{Lease, Leases};
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::shelf::{Shelf, StateError, Step};

/// How long to wait for another process that has the file.
const BUSY: Duration = Duration::from_millis(200);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS lists (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, value BLOB NOT NULL);
    CREATE INDEX IF NOT EXISTS lists_by_key ON lists (key, number);
    CREATE TABLE IF NOT EXISTS counts (key TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
";

/// A file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    name: String,
    connection: Mutex<Connection>,
    /// One process has the file, so leases need not be in it.
    leases: Mutex<Leases>,
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sqlite {
    pub(crate) fn open(file: &Path) -> Result<Self, StateError> {
        let name = format!("sqlite:{}", file.display());
        let opened = Connection::open(file).and_then(|connection| {
            connection.busy_timeout(BUSY)?;
            // Two servers on one file would each miss what the other leases.
            connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.execute_batch(TABLES)?;
            Ok(connection)
        });
        match opened {
            Ok(connection) => Ok(Self {
                name,
                connection: Mutex::new(connection),
                leases: Mutex::default(),
            }),
            Err(error) => Err(StateError {
                store: name,
                reason: reason(&error),
            }),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StateError> {
        work(&mut guard(&self.connection)).map_err(|error| StateError {
            store: self.name.clone(),
            reason: reason(&error),
        })
    }
}

fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            "another process has the file".to_owned()
        }
        _ => error.to_string(),
    }
}

impl Shelf for Sqlite {
    fn get(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StateError> {
        self.with(|connection| {
            let mut select = connection.prepare_cached("SELECT value FROM kept WHERE key = ?")?;
            keys.iter()
                .map(|key| select.query_row([key], |row| row.get(0)).optional())
                .collect()
        })
    }

    fn list(&self, key: &str) -> Result<Vec<Vec<u8>>, StateError> {
        self.with(|connection| {
            let mut select =
                connection.prepare_cached("SELECT value FROM lists WHERE key = ? ORDER BY number")?;
            select.query_map([key], |row| row.get(0))?.collect()
        })
    }

    fn count(&self, key: &str) -> Result<u64, StateError> {
        const COUNT: &str = "INSERT INTO counts (key, count) VALUES (?, 1) \
                             ON CONFLICT (key) DO UPDATE SET count = count + 1 RETURNING count";
        self.with(|connection| {
            let mut insert = connection.prepare_cached(COUNT)?;
            let count: i64 = insert.query_row([key], |row| row.get(0))?;
            Ok(u64::try_from(count - 1).unwrap_or(0))
        })
    }

    fn write(&self, steps: Vec<Step>) -> Result<(), StateError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            for step in &steps {
                apply(&transaction, step)?;
            }
            transaction.commit()
        })
    }

    fn lease(&self, key: &str) -> Result<Option<Lease>, StateError> {
        Ok(guard(&self.leases).take(key))
    }

    fn release(&self, _: &Lease) -> Result<(), StateError> {
        // Its drop frees it, and whoever asked for this drops it next.
        Ok(())
    }

    fn clear(&self, prefix: &str) -> Result<(), StateError> {
        // Keys hold no character above this one.
        let end = format!("{prefix}\u{10FFFF}");
        self.with(|connection| {
            let transaction = connection.transaction()?;
            for table in ["kept", "lists", "counts"] {
                let delete = format!("DELETE FROM {table} WHERE key >= ? AND key < ?");
                transaction.execute(&delete, params![prefix, end])?;
            }
            transaction.commit()
        })
    }
}

fn apply(transaction: &Transaction<'_>, step: &Step) -> rusqlite::Result<()> {
    let run = |text: &str, values: &[&dyn rusqlite::ToSql]| {
        transaction.prepare_cached(text)?.execute(values).map(|_| ())
    };
    match step {
        Step::Put(key, value) => run(
            "INSERT INTO kept (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            params![key, value],
        ),
        Step::Push(key, value) => run(
            "INSERT INTO lists (key, value) VALUES (?, ?)",
            params![key, value],
        ),
        Step::Pull(key, value) => run(
            "DELETE FROM lists WHERE key = ? AND value = ?",
            params![key, value],
        ),
        Step::Delete(key) => {
            run("DELETE FROM kept WHERE key = ?", params![key])?;
            run("DELETE FROM lists WHERE key = ?", params![key])
        }
        Step::CountBack(key) => run("UPDATE counts SET count = count - 1 WHERE key = ?", params![key]),
    }
}
