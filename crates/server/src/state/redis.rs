//! State in Redis, which several servers share.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use holdover_fake::Lease;
use redis::{Client, Connection, ConnectionLike as _, Pipeline, RedisError, Value};

use super::shelf::{Shelf, StateError, Step};

/// How long a connection may take to come about, and each answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Seconds after which a key that nobody wrote again is gone: the thirty days of `tests/facts/state.md`, store.
const KEPT_S: u64 = 30 * 24 * 60 * 60;

/// How often a lease is renewed before it would end.
const RENEWALS: u32 = 3;

/// Keys that one step of a search looks at.
const SCANNED: usize = 1_000;

/// Deletes a lease if it is still held by the one who gives it back.
const RELEASE: &str =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

/// Lets a lease last longer if it is still held by the one who asks.
const RENEW: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end";

/// One Redis.
pub(crate) struct Redis {
    pool: Arc<Pool>,
    /// Leases that were dropped without being given back.
    dropped: mpsc::Sender<(String, String)>,
    /// What no other server and no earlier process calls itself.
    holder: String,
    leases: AtomicU64,
}

struct Pool {
    name: String,
    client: Client,
    idle: Mutex<Vec<Connection>>,
    /// How long a lease lasts that nobody renews.
    lease: Duration,
    /// Holders of the leases that are out, by key.
    held: Mutex<BTreeMap<String, String>>,
}

/// A lease until it is dropped.
struct Held {
    key: String,
    holder: String,
    dropped: mpsc::Sender<(String, String)>,
}

impl Drop for Held {
    fn drop(&mut self) {
        // Where the other end is gone, the lease ends by its time.
        let _ = self
            .dropped
            .send((std::mem::take(&mut self.key), std::mem::take(&mut self.holder)));
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Redis").field(&self.pool.name).finish()
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An address without what stands before its `@`.
fn without_password(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((_, place)) => format!("redis://{place}"),
        None => address.to_owned(),
    }
}

impl Redis {
    pub(crate) fn open(address: &str, lease: Duration) -> Result<Self, StateError> {
        let name = without_password(address);
        let client = Client::open(address).map_err(|error| StateError {
            store: name.clone(),
            reason: error.to_string(),
        })?;
        let pool = Arc::new(Pool {
            name,
            client,
            idle: Mutex::default(),
            lease,
            held: Mutex::default(),
        });
        // Whether it is there must be told before the first request.
        pool.with(|connection| redis::cmd("PING").query::<Value>(connection))?;
        let (dropped, given_back) = mpsc::channel::<(String, String)>();
        let giving = Arc::clone(&pool);
        let work = move || giving.tend_leases(&given_back);
        let builder = std::thread::Builder::new().name("holdover-leases".to_owned());
        builder.spawn(work).map_err(|error| StateError {
            store: pool.name.clone(),
            reason: error.to_string(),
        })?;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Self {
            pool,
            dropped,
            holder: format!("{}-{}", std::process::id(), started.as_nanos()),
            leases: AtomicU64::new(0),
        })
    }

    fn query<T: redis::FromRedisValue>(&self, pipeline: &Pipeline) -> Result<T, StateError> {
        self.pool.with(|connection| pipeline.query(connection))
    }
}

impl Pool {
    /// Works on a connection of the pool. One that fails is thrown away with all the idle ones, which are as old.
    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T, RedisError>) -> Result<T, StateError> {
        let worked = self.connection().and_then(|mut connection| {
            let done = work(&mut connection);
            if connection.is_open() && done.as_ref().err().is_none_or(|error| !error.is_io_error()) {
                guard(&self.idle).push(connection);
            } else {
                guard(&self.idle).clear();
            }
            done
        });
        worked.map_err(|error| StateError {
            store: self.name.clone(),
            reason: error.to_string(),
        })
    }

    fn connection(&self) -> Result<Connection, RedisError> {
        if let Some(connection) = guard(&self.idle).pop() {
            return Ok(connection);
        }
        let connection = self.client.get_connection_with_timeout(PATIENCE)?;
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.set_write_timeout(Some(PATIENCE))?;
        Ok(connection)
    }

    /// Gives back what was dropped, and renews what is still held, until the store is gone.
    fn tend_leases(&self, given_back: &mpsc::Receiver<(String, String)>) {
        let interval = self.lease / RENEWALS;
        let mut due = Instant::now() + interval;
        loop {
            match given_back.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok((key, holder)) => {
                    // A lease that cannot be given back ends by its time.
                    let _ = self.release(&key, &holder);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.renew_all();
                    due = Instant::now() + interval;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn renew_all(&self) {
        let held = guard(&self.held).clone();
        for (key, holder) in held {
            let mut renew = redis::cmd("EVAL");
            renew.arg(RENEW).arg(1).arg(key).arg(holder);
            renew.arg(self.lease_ms());
            // The next round tries again; a store that stays away ends the lease, and the answer's writes as well.
            let _ = self.with(|connection| renew.query::<Value>(connection));
        }
    }

    fn lease_ms(&self) -> u64 {
        u64::try_from(self.lease.as_millis()).unwrap_or(u64::MAX)
    }

    fn release(&self, key: &str, holder: &str) -> Result<(), StateError> {
        let mut held = guard(&self.held);
        if held.get(key).is_some_and(|known| known == holder) {
            held.remove(key);
        }
        drop(held);
        let mut release = redis::cmd("EVAL");
        release.arg(RELEASE).arg(1).arg(key).arg(holder);
        self.with(|connection| release.query::<Value>(connection))
            .map(|_| ())
    }
}

impl Shelf for Redis {
    fn get(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StateError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut get = redis::cmd("MGET");
        get.arg(keys);
        self.pool.with(|connection| get.query(connection))
    }

    fn list(&self, key: &str) -> Result<Vec<Vec<u8>>, StateError> {
        let mut list = redis::cmd("LRANGE");
        list.arg(key).arg(0).arg(-1);
        self.pool.with(|connection| list.query(connection))
    }

    fn count(&self, key: &str) -> Result<u64, StateError> {
        let mut pipeline = redis::pipe();
        pipeline.atomic().cmd("INCR").arg(key);
        pipeline.cmd("EXPIRE").arg(key).arg(KEPT_S).ignore();
        let (count,): (u64,) = self.query(&pipeline)?;
        Ok(count.saturating_sub(1))
    }

    fn write(&self, steps: Vec<Step>) -> Result<(), StateError> {
        if steps.is_empty() {
            return Ok(());
        }
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        for step in &steps {
            match step {
                Step::Put(key, value) => {
                    pipeline.cmd("SET").arg(key).arg(value).arg("EX").arg(KEPT_S);
                }
                Step::Push(key, value) => {
                    pipeline.cmd("RPUSH").arg(key).arg(value);
                    pipeline.cmd("EXPIRE").arg(key).arg(KEPT_S);
                }
                Step::Pull(key, value) => {
                    pipeline.cmd("LREM").arg(key).arg(0).arg(value);
                }
                Step::Delete(key) => {
                    pipeline.cmd("DEL").arg(key);
                }
                Step::CountBack(key) => {
                    pipeline.cmd("DECR").arg(key);
                }
            }
        }
        self.query::<Value>(&pipeline).map(|_| ())
    }

    fn lease(&self, key: &str) -> Result<Option<Lease>, StateError> {
        let number = self.leases.fetch_add(1, Ordering::Relaxed);
        let holder = format!("{}-{number}", self.holder);
        let mut take = redis::cmd("SET");
        take.arg(key)
            .arg(&holder)
            .arg("NX")
            .arg("PX")
            .arg(self.pool.lease_ms());
        let taken: Option<String> = self.pool.with(|connection| take.query(connection))?;
        Ok(taken.map(|_| {
            guard(&self.pool.held).insert(key.to_owned(), holder.clone());
            Lease::of(Held {
                key: key.to_owned(),
                holder,
                dropped: self.dropped.clone(),
            })
        }))
    }

    fn release(&self, lease: &Lease) -> Result<(), StateError> {
        match lease.guard::<Held>() {
            Some(held) => self.pool.release(&held.key, &held.holder),
            None => Ok(()),
        }
    }

    fn clear(&self, prefix: &str) -> Result<(), StateError> {
        let mut cursor = "0".to_owned();
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(&cursor).arg("MATCH").arg(format!("{prefix}*"));
            scan.arg("COUNT").arg(SCANNED);
            let (next, keys): (String, Vec<String>) = self.pool.with(|connection| scan.query(connection))?;
            if !keys.is_empty() {
                let mut delete = redis::cmd("UNLINK");
                delete.arg(keys);
                self.pool.with(|connection| delete.query::<Value>(connection))?;
            }
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_named_without_its_password() {
        assert_eq!(without_password("redis://u:p@host:1/0"), "redis://host:1/0");
        assert_eq!(without_password("redis://host:1/0"), "redis://host:1/0");
    }

    #[test]
    fn a_redis_that_is_not_there_is_told_when_it_is_opened() {
        // Nothing listens on port 1.
        let error = Redis::open("redis://127.0.0.1:1/", Duration::from_secs(60)).expect_err("nothing there");
        assert_eq!(error.store, "redis://127.0.0.1:1/");
    }
}
