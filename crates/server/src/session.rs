//! One session: its fake, its log, and who is under way in it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use holdover_fake::{Fake, FakeConfig, Prepared, Reading, Session as FakeSession, Time, Writes};
use holdover_fault::{Chance, Fault};
use holdover_judge::{Clock, Export, Judge, JudgeConfig, PatternError, Verdict};
use holdover_profile::WebSocket;
use holdover_wire::recording::{Header, line};
use holdover_wire::{ApiError, AuditRecord, Call, Recording, Reply, SessionName};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::entry::Entry;
use crate::faulty::Faulty;
use crate::log::{Evicted, KeptBytes, Log};
use crate::queue::Queue;
use crate::refusal;
use crate::state::{Budget, Holder, Kept, Newest, Share, Shelf, StateError, blocking};
use crate::via::Via;
use crate::worker::Job;

/// Different unserved paths that are remembered for each session.
const UNSERVED_MAX: usize = 256;

/// What a session is made of.
#[derive(Clone, Debug)]
pub struct SessionSetup {
    /// Its fake.
    pub fake: FakeConfig,
    /// Its judge; the name of the session is filled in.
    pub judge: JudgeConfig,
    /// Its script.
    pub replies: Vec<Reply>,
    /// Its faults, in declared order.
    pub faults: Vec<Fault>,
    /// Which test it belongs to.
    pub meta: Meta,
}

/// Which test a session belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// Id of the test, as its framework names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// File of the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line of the test, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// What a client let out, to be judged with the session's exchanges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Exports.
    pub exports: Vec<Export>,
    /// Audit records.
    pub audit: Vec<AuditRecord>,
}

/// A finished session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionReport {
    /// Its exchanges, as far as they were kept.
    pub recording: Recording,
    /// What the judge says.
    pub verdict: Verdict,
    /// What is known of its traffic.
    pub summary: SessionSummary,
}

/// What is known of a session's traffic without asking the judge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionSummary {
    /// Its name.
    pub session: SessionName,
    /// World of its fake.
    pub world: String,
    /// Profile of its fake.
    pub profile: String,
    /// Exchanges so far, answered or not.
    pub exchanges: u64,
    /// Exchanges whose answer is still being written.
    pub in_flight: usize,
    /// Calls to paths that the fake does not serve (`GET /v1/files`), with how often they came.
    pub unserved: BTreeMap<String, u64>,
    /// What the recording lost because it had grown too large.
    pub evicted: Evicted,
    /// Which test it belongs to.
    pub meta: Meta,
}

/// What the sessions of a server share of their state.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedState {
    /// Bytes of recordings that all of them keep.
    pub(crate) all_kept: KeptBytes,
    /// The bound of those whose state is in memory.
    pub(crate) budget: Arc<Budget>,
    /// Where state is kept; `None` for memory.
    pub(crate) shelf: Option<Arc<dyn Shelf>>,
}

/// One open session.
pub(crate) struct Session {
    name: SessionName,
    /// How often the name was in use, this time included.
    life: u32,
    header: Header,
    world: String,
    meta: Meta,
    faults: Faulty,
    clock: Clock,
    /// The pure part of the fake: looking at a call needs no lock.
    fake: Arc<Fake>,
    /// The way to the thread that records and judges it.
    queue: Arc<Queue<Job>>,
    /// The bound that its state shares.
    budget: Arc<Budget>,
    core: Mutex<Core>,
    log: Mutex<Option<Log>>,
    exchanges: AtomicU64,
    in_flight: AtomicUsize,
    idle: Notify,
}

/// What every request of the session touches, under one short lock.
struct Core {
    state: State,
    unserved: BTreeMap<String, u64>,
}

/// The state of the session.
enum State {
    Memory { fake: Box<FakeSession>, share: Share },
    Kept(Kept),
}

impl State {
    fn begin(&mut self, reading: Reading) -> Prepared {
        match self {
            Self::Memory { fake, .. } => fake.begin_read(reading),
            Self::Kept(kept) => blocking(|| kept.begin(reading)),
        }
    }

    fn commit_early(&mut self, writes: &mut Writes) -> Result<(), StateError> {
        match self {
            Self::Memory { fake, .. } => {
                fake.commit_early(writes);
                Ok(())
            }
            Self::Kept(kept) => blocking(|| kept.commit_early(writes)),
        }
    }

    /// Keeps what an answer wrote, and returns by how many bytes of memory that is more.
    fn commit(&mut self, writes: Writes) -> Result<i64, StateError> {
        match self {
            Self::Memory { fake, share } => {
                fake.commit(writes);
                Ok(share.set(fake.stored()))
            }
            Self::Kept(kept) => blocking(|| kept.commit(writes)).map(|()| 0),
        }
    }

    /// Lets the oldest go and returns the bytes that it had.
    fn let_go(&mut self, newest: Newest) -> usize {
        let Self::Memory { fake, share } = self else {
            return 0;
        };
        let size = fake.stored();
        if newest == Newest::Here && size.responses + size.conversations <= 1 {
            return 0;
        }
        fake.evict_oldest();
        usize::try_from(-share.set(fake.stored())).unwrap_or(0)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.name).finish()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    pub(crate) fn new(
        name: SessionName,
        life: u32,
        setup: SessionSetup,
        shared: SharedState,
        queue: Arc<Queue<Job>>,
    ) -> Result<Self, PatternError> {
        let clock = setup.judge.clock;
        let judge = Judge::new(JudgeConfig {
            session: name.as_str().to_owned(),
            ..setup.judge
        })?;
        let header = Header {
            seed: setup.fake.seed,
            profile: setup.fake.profile.name.clone(),
            session: name.as_str().to_owned(),
            ..Header::default()
        };
        let world = setup.fake.world.clone();
        let faults = Faulty::new(setup.faults, Chance::new(setup.fake.seed, &world));
        let mut session = FakeSession::new(setup.fake);
        let fake = session.fake();
        let state = if let Some(shelf) = shared.shelf {
            State::Kept(Kept::new(shelf, &name, Arc::clone(&fake), setup.replies))
        } else {
            session.script(setup.replies);
            // All sessions together have a bound.
            session.limit(usize::MAX);
            State::Memory {
                fake: Box::new(session),
                share: Share::new(Arc::clone(&shared.budget)),
            }
        };
        Ok(Self {
            name,
            life,
            header,
            world,
            meta: setup.meta,
            faults,
            clock,
            fake,
            queue,
            budget: shared.budget,
            core: Mutex::new(Core {
                state,
                unserved: BTreeMap::new(),
            }),
            log: Mutex::new(Some(Log::new(judge, shared.all_kept))),
            exchanges: AtomicU64::new(0),
            in_flight: AtomicUsize::new(0),
            idle: Notify::new(),
        })
    }

    pub(crate) fn name(&self) -> &SessionName {
        &self.name
    }

    pub(crate) fn queue(&self) -> &Arc<Queue<Job>> {
        &self.queue
    }

    pub(crate) fn life(&self) -> u32 {
        self.life
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Numbers a call and collects what its answer needs, in one step, so that numbers have the order of the states
    /// that their answers saw.
    pub(crate) fn begin(&self, call: &Call, via: &Via) -> (u64, Prepared) {
        let reading = self.fake.read(call);
        let mut core = lock(&self.core);
        let prepared = core.state.begin(reading);
        (self.number(), self.placed(prepared, via))
    }

    /// Plants other faults while it runs.
    pub(crate) fn replant(&self, faults: Vec<Fault>) {
        self.faults.replant(faults);
    }

    /// What goes wrong in it.
    pub(crate) fn faults(&self) -> &Faulty {
        &self.faults
    }

    /// Collects what the answer of a call needs, where the call is numbered by somebody else.
    pub(crate) fn prepare(&self, call: &Call, via: &Via) -> Prepared {
        let reading = self.fake.read(call);
        let prepared = lock(&self.core).state.begin(reading);
        self.placed(prepared, via)
    }

    /// What an answer needs, with what its connection remembers and with the time.
    fn placed(&self, prepared: Prepared, via: &Via) -> Prepared {
        let prepared = match via {
            Via::Http => prepared,
            Via::Lane(lane) => prepared.on(&lane.memory()),
        };
        prepared.at(self.time())
    }

    /// Why a call may not open a WebSocket.
    pub(crate) fn refuses_socket(&self, call: &Call) -> Option<ApiError> {
        match self.fake.config().profile.switches.websocket {
            WebSocket::Refused => Some(refusal::no_websocket()),
            WebSocket::Served => self.fake.refuses_socket(call),
        }
    }

    fn time(&self) -> Time {
        match self.clock {
            Clock::Virtual => Time::Virtual,
            Clock::Wall => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                Time::Wall(now.map_or(0, |now| now.as_secs()))
            }
        }
    }

    /// The number of an exchange that the fake does not see.
    pub(crate) fn number(&self) -> u64 {
        self.exchanges.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn commit_early(&self, writes: &mut Writes) -> Result<(), StateError> {
        lock(&self.core).state.commit_early(writes)
    }

    pub(crate) fn commit(self: &Arc<Self>, writes: Writes) -> Result<(), StateError> {
        let more = lock(&self.core).state.commit(writes)?;
        if more != 0 {
            let session = Arc::downgrade(self);
            let holder: Weak<dyn Holder> = session;
            self.budget.wrote(&holder, more);
        }
        Ok(())
    }

    pub(crate) fn note_unserved(&self, what: String) {
        let mut core = lock(&self.core);
        if core.unserved.len() < UNSERVED_MAX || core.unserved.contains_key(&what) {
            *core.unserved.entry(what).or_default() += 1;
        }
    }

    /// An exchange begins.
    pub(crate) fn enter(&self) {
        self.in_flight.fetch_add(1, Ordering::SeqCst);
    }

    /// An exchange is over.
    pub(crate) fn leave(&self) {
        if self.in_flight.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.idle.notify_waiters();
        }
    }

    /// Waits until no exchange is under way, but not longer than `patience`.
    pub(crate) async fn settle(&self, patience: Duration) {
        let settled = async {
            loop {
                let idle = self.idle.notified();
                tokio::pin!(idle);
                idle.as_mut().enable();
                if self.in_flight.load(Ordering::SeqCst) == 0 {
                    return;
                }
                idle.await;
            }
        };
        // Whatever is still under way then is not part of the report.
        let _ = tokio::time::timeout(patience, settled).await;
    }

    /// Works on the log; `None` once the session is finished.
    pub(crate) fn with_log<T>(&self, work: impl FnOnce(&mut Log) -> T) -> Option<T> {
        lock(&self.log).as_mut().map(work)
    }

    /// The same unless somebody else works on it.
    pub(crate) fn try_with_log<T>(&self, work: impl FnOnce(&mut Log) -> T) -> Option<T> {
        let mut log = match self.log.try_lock() {
            Ok(log) => log,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        log.as_mut().map(work)
    }

    /// Exchanges so far.
    pub(crate) fn exchanges(&self) -> u64 {
        self.exchanges.load(Ordering::SeqCst)
    }

    pub(crate) fn recording(&self) -> Option<Recording> {
        let entries = self.with_log(|log| log.entries())?;
        Some(self.parsed(&entries))
    }

    /// The recording as a file's text.
    pub(crate) fn recording_lines(&self) -> Option<String> {
        let entries = self.with_log(|log| log.entries())?;
        let mut text = line(&self.header);
        for entry in entries {
            text.push_str(&entry.line());
        }
        Some(text)
    }

    fn parsed(&self, entries: &[Entry]) -> Recording {
        Recording {
            header: self.header.clone(),
            exchanges: entries.iter().filter_map(Entry::exchange).collect(),
        }
    }

    pub(crate) fn summary(&self) -> SessionSummary {
        SessionSummary {
            session: self.name.clone(),
            world: self.world.clone(),
            profile: self.header.profile.clone(),
            exchanges: self.exchanges(),
            in_flight: self.in_flight.load(Ordering::SeqCst),
            unserved: lock(&self.core).unserved.clone(),
            evicted: self.with_log(|log| log.evicted()).unwrap_or_default(),
            meta: self.meta.clone(),
        }
    }

    /// Judges what there is and ends the session; `None` when that was done before. Blocks while the judge works.
    pub(crate) fn finish(&self, evidence: &Evidence) -> Option<SessionReport> {
        let summary = self.summary();
        let mut log = lock(&self.log).take()?;
        let judge = log.take_judge();
        Some(SessionReport {
            recording: self.parsed(&log.entries()),
            verdict: judge.map_or_else(failed_judge, |judge| verdict(*judge, evidence)),
            summary,
        })
    }
}

impl Holder for Session {
    fn let_go(&self, newest: Newest) -> usize {
        lock(&self.core).state.let_go(newest)
    }
}

fn verdict(mut judge: Judge, evidence: &Evidence) -> Verdict {
    evidence
        .exports
        .iter()
        .for_each(|export| judge.observe_export(export));
    evidence
        .audit
        .iter()
        .for_each(|record| judge.observe_audit(record));
    judge.finish()
}

/// A judge that panicked judged nothing, and that must be seen.
fn failed_judge() -> Verdict {
    use holdover_judge::{Coverage, Inconclusive, Outcome};
    Verdict {
        outcome: Outcome::Inconclusive,
        coverage: Coverage::default(),
        findings: Vec::new(),
        inconclusive: vec![Inconclusive {
            what: "the whole session".to_owned(),
            missing:
                "a judge that works: it failed on an exchange, which is a bug of holdover; please report it \
                      with the recording"
                    .to_owned(),
            exchange: None,
        }],
    }
}
