//! All sessions of one server: opened by name or by their first request, finished by name.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use holdover_fault::Fault;
use holdover_judge::{Finding, JudgeConfig, PatternError};
use holdover_wire::{Recording, Reply, SessionName};
use serde_json::Value;
use tokio::sync::{broadcast, oneshot};

use crate::config::{Limits, World};
use crate::log::{Evicted, KeptBytes};
use crate::own;
use crate::queue::Queue;
use crate::record_file::{FIRST_LIFE, RecordTrouble};
use crate::session::{Evidence, Meta, Session, SessionReport, SessionSetup, SessionSummary, SharedState};
use crate::state::{Budget, Shelf, StateError, Step, blocking, prefix, setup_key};
use crate::worker::{Job, Live};

/// How long the end of a session waits for answers that are still being written.
const SETTLE: Duration = Duration::from_secs(2);
/// News that a slow listener may lag behind before it loses some.
const LIVE_CAPACITY: usize = 1024;

/// A handle to all sessions of one server; clones are the same sessions. It outlives [`crate::Server::run`].
#[derive(Clone, Debug)]
pub struct Sessions(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    template: Template,
    limits: Limits,
    open: RwLock<HashMap<SessionName, Arc<Session>>>,
    lives: Mutex<BTreeMap<SessionName, u32>>,
    finished: Mutex<VecDeque<Arc<SessionReport>>>,
    /// What sessions that are gone had lost; the metrics may not go backwards.
    evicted: Mutex<Evicted>,
    shared: SharedState,
    /// One for each thread that records and judges; a session keeps to one.
    queues: Vec<Arc<Queue<Job>>>,
    live: broadcast::Sender<Live>,
    trouble: RecordTrouble,
}

/// What sessions are made of that nobody opened by name.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub(crate) fake: holdover_fake::FakeConfig,
    pub(crate) world: World,
    pub(crate) judge: JudgeConfig,
    pub(crate) replies: Vec<Reply>,
    pub(crate) faults: Vec<Fault>,
}

/// Whether a name was free when its session was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// It was.
    New,
    /// A session of that name was open; it and its recording are gone.
    Replaced,
}

/// Why a session could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Too many are open.
    #[error("{sessions_max} sessions are open already")]
    TooMany {
        /// The most that may be.
        sessions_max: usize,
    },
    /// The judge's configuration cannot be used.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The state of sessions is kept where it cannot be reached.
    #[error(transparent)]
    State(#[from] StateError),
    /// Another process opened the session with a body that this one does not understand.
    #[error("the session was opened with what this holdover does not understand: {0}")]
    Setup(String),
}

impl Sessions {
    pub(crate) fn new(
        template: Template,
        limits: Limits,
        shelf: Option<Arc<dyn Shelf>>,
        queues: Vec<Arc<Queue<Job>>>,
        trouble: RecordTrouble,
    ) -> Self {
        let shared = SharedState {
            all_kept: KeptBytes::default(),
            budget: Arc::new(Budget::new(limits.state_bytes_max)),
            shelf,
        };
        Self(Arc::new(Inner {
            template,
            limits,
            open: RwLock::default(),
            lives: Mutex::default(),
            finished: Mutex::default(),
            evicted: Mutex::default(),
            shared,
            queues,
            live: broadcast::Sender::new(LIVE_CAPACITY),
            trouble,
        }))
    }

    /// Exchanges that wait to be recorded and judged.
    pub(crate) fn queue_entries(&self) -> usize {
        self.0.queues.iter().map(|queue| queue.entries()).sum()
    }

    pub(crate) fn live_sender(&self) -> broadcast::Sender<Live> {
        self.0.live.clone()
    }

    pub(crate) fn all_kept(&self) -> KeptBytes {
        self.0.shared.all_kept.clone()
    }

    /// What a session of this name is made of when nothing else is said.
    pub fn setup(&self, name: &SessionName) -> SessionSetup {
        let template = &self.0.template;
        let mut fake = template.fake.clone();
        if template.world == World::OfSession {
            name.as_str().clone_into(&mut fake.world);
        }
        SessionSetup {
            fake,
            judge: template.judge.clone(),
            replies: template.replies.clone(),
            faults: template.faults.clone(),
            meta: Meta::default(),
        }
    }

    /// Opens a session before its first request. One of the same name that is open is thrown away with its recording.
    pub fn open(&self, name: &SessionName, setup: SessionSetup) -> Result<Opened, OpenError> {
        let mut open = self.open_lock();
        self.check_room(open.len() - usize::from(open.contains_key(name)))?;
        let session = self.make(name, setup)?;
        let replaced = open.insert(name.clone(), session);
        drop(open);
        self.forget_finished(name);
        Ok(match replaced {
            Some(session) => {
                self.count_evicted(session.summary().evicted);
                Opened::Replaced
            }
            None => Opened::New,
        })
    }

    /// Bytes of responses and conversations in memory, and how many went to stay within the bound.
    pub(crate) fn state_size(&self) -> (usize, u64) {
        self.0.shared.budget.size()
    }

    /// Forgets the state of a session that is kept elsewhere than in memory, which goes with the session. `body` is what
    /// opens it again alike.
    pub(crate) fn reset_state(&self, name: &SessionName, body: Option<&Value>) -> Result<(), StateError> {
        let Some(store) = &self.0.shared.shelf else {
            return Ok(());
        };
        blocking(|| {
            store.clear(&prefix(name))?;
            match body {
                Some(body) => store.write(vec![Step::Put(setup_key(name), body.to_string().into_bytes())]),
                None => Ok(()),
            }
        })
    }

    /// What a session that this process has not seen is made of: as it was opened by name, maybe in another process.
    fn found_setup(&self, name: &SessionName) -> Result<SessionSetup, OpenError> {
        let setup = self.setup(name);
        let Some(store) = &self.0.shared.shelf else {
            return Ok(setup);
        };
        let found = blocking(|| store.get(&[setup_key(name)]))?;
        match found.into_iter().next().flatten() {
            None => Ok(setup),
            Some(body) => own::read_setup(&body, setup).map_err(OpenError::Setup),
        }
    }

    /// The session of this name, made from the template at its first request.
    pub(crate) fn of(&self, name: &SessionName) -> Result<Arc<Session>, OpenError> {
        if let Some(session) = self.find(name) {
            return Ok(session);
        }
        let setup = self.found_setup(name)?;
        let mut open = self.open_lock();
        if let Some(session) = open.get(name) {
            return Ok(Arc::clone(session));
        }
        self.check_room(open.len())?;
        let session = self.make(name, setup)?;
        open.insert(name.clone(), Arc::clone(&session));
        Ok(session)
    }

    fn make(&self, name: &SessionName, setup: SessionSetup) -> Result<Arc<Session>, OpenError> {
        let mut lives = guard(&self.0.lives);
        let life = lives.get(name).map_or(FIRST_LIFE, |life| life + 1);
        let queue = Arc::clone(&self.0.queues[lives.len() % self.0.queues.len()]);
        let session = Session::new(name.clone(), life, setup, self.0.shared.clone(), queue)?;
        lives.insert(name.clone(), life);
        Ok(Arc::new(session))
    }

    fn check_room(&self, others: usize) -> Result<(), OpenError> {
        let sessions_max = self.0.limits.sessions_max;
        if others >= sessions_max {
            return Err(OpenError::TooMany { sessions_max });
        }
        Ok(())
    }

    fn open_lock(&self) -> std::sync::RwLockWriteGuard<'_, HashMap<SessionName, Arc<Session>>> {
        self.0.open.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> Vec<Arc<Session>> {
        let open = self.0.open.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = open.values().cloned().collect();
        all.sort_by(|a, b| a.name().cmp(b.name()));
        all
    }

    pub(crate) fn find(&self, name: &SessionName) -> Option<Arc<Session>> {
        let open = self.0.open.read().unwrap_or_else(PoisonError::into_inner);
        open.get(name).cloned()
    }

    /// Names of the sessions that are open, and of those finished over HTTP whose report nobody has taken; sorted.
    pub fn names(&self) -> Vec<SessionName> {
        let mut names: Vec<_> = self.all().iter().map(|session| session.name().clone()).collect();
        names.extend(
            guard(&self.0.finished)
                .iter()
                .map(|report| report.summary.session.clone()),
        );
        names.sort();
        names.dedup();
        names
    }

    /// Traffic of the open sessions, sorted by name.
    pub fn summaries(&self) -> Vec<SessionSummary> {
        self.all().iter().map(|session| session.summary()).collect()
    }

    /// Reports of the sessions that were finished over HTTP, in the order of their ends.
    pub fn finished(&self) -> Vec<Arc<SessionReport>> {
        guard(&self.0.finished).iter().cloned().collect()
    }

    /// Ends a session and judges it: waits (up to two seconds) for answers that are still being written, then draws
    /// the verdict. A later request of the same name begins a new session. A session that was finished over HTTP and
    /// has had no traffic since gives the report from then, and `evidence` is ignored. `None` when there is no such
    /// session: nothing was ever sent to it.
    pub async fn finish(&self, name: &SessionName, evidence: Evidence) -> Option<SessionReport> {
        match self.end(name, evidence).await {
            Some(report) => Some(report),
            None => self.take_finished(name).map(Arc::unwrap_or_clone),
        }
    }

    /// As [`Sessions::finish`], and keeps the report for whoever asks again.
    pub(crate) async fn finish_and_keep(
        &self,
        name: &SessionName,
        evidence: Evidence,
    ) -> Option<Arc<SessionReport>> {
        let Some(report) = self.end(name, evidence).await else {
            return self.finished_report(name);
        };
        let report = Arc::new(report);
        self.forget_finished(name);
        let mut finished = guard(&self.0.finished);
        finished.push_back(Arc::clone(&report));
        if finished.len() > self.0.limits.finished_max {
            finished.pop_front();
        }
        Some(report)
    }

    async fn end(&self, name: &SessionName, evidence: Evidence) -> Option<SessionReport> {
        let session = self.find(name)?;
        session.settle(SETTLE).await;
        self.open_lock().remove(name);
        session.queue().push(Job::ReleaseAll(Arc::clone(&session)), 0);
        self.flush().await;
        // Judging a long session takes a while; other sessions go on meanwhile.
        let finish = move || session.finish(&evidence);
        let report = tokio::task::spawn_blocking(finish).await.ok()??;
        self.count_evicted(report.summary.evicted);
        // A later request of the name begins a new session. Where that fails, the store is gone, and says so then.
        let _ = self.reset_state(name, None);
        Some(report)
    }

    /// Throws a session away, open or finished, without a verdict.
    pub fn remove(&self, name: &SessionName) -> Removed {
        let open = self.open_lock().remove(name);
        if let Some(session) = &open {
            self.count_evicted(session.summary().evicted);
            // As at the end of a session.
            let _ = self.reset_state(name, None);
        }
        match (open, self.take_finished(name)) {
            (None, None) => Removed::Unknown,
            _ => Removed::Gone,
        }
    }

    /// The exchanges of a session so far.
    pub async fn recording(&self, name: &SessionName) -> Option<Recording> {
        self.flush().await;
        let open = self.find(name).and_then(|session| session.recording());
        open.or_else(|| Some(self.finished_report(name)?.recording.clone()))
    }

    /// The same as the text of a file.
    pub(crate) async fn recording_lines(&self, name: &SessionName) -> Option<String> {
        self.flush().await;
        let open = self.find(name).and_then(|session| session.recording_lines());
        open.or_else(|| Some(self.finished_report(name)?.recording.to_lines()))
    }

    /// The findings of a session that are settled so far.
    pub async fn findings(&self, name: &SessionName) -> Option<Vec<Finding>> {
        self.flush().await;
        let open = self
            .find(name)
            .and_then(|session| session.with_log(|log| log.findings()));
        open.or_else(|| Some(self.finished_report(name)?.verdict.findings.clone()))
    }

    /// Exchanges and findings as they come. A listener that lags behind loses the oldest news.
    pub fn subscribe(&self) -> broadcast::Receiver<Live> {
        self.0.live.subscribe()
    }

    /// Waits until every exchange that is over has been recorded, judged and written.
    pub async fn flush(&self) {
        let heard: Vec<_> = self.0.queues.iter().map(|queue| barrier(queue)).collect();
        for heard in heard {
            // An error means that the thread is gone, and then nothing is left to wait for.
            let _ = heard.await;
        }
    }

    /// The first thing that went wrong while writing the files of `--record`.
    pub fn record_trouble(&self) -> Option<String> {
        self.0.trouble.first()
    }

    /// What all recordings, also those of sessions that are gone, have lost because they had grown too large.
    pub fn evicted(&self) -> Evicted {
        let gone = *guard(&self.0.evicted);
        self.all()
            .iter()
            .map(|session| session.summary().evicted)
            .fold(gone, Evicted::plus)
    }

    fn count_evicted(&self, evicted: Evicted) {
        let mut total = guard(&self.0.evicted);
        *total = total.plus(evicted);
    }

    fn finished_report(&self, name: &SessionName) -> Option<Arc<SessionReport>> {
        let finished = guard(&self.0.finished);
        finished
            .iter()
            .find(|report| report.summary.session == *name)
            .cloned()
    }

    fn take_finished(&self, name: &SessionName) -> Option<Arc<SessionReport>> {
        let mut finished = guard(&self.0.finished);
        let at = finished
            .iter()
            .position(|report| report.summary.session == *name)?;
        finished.remove(at)
    }

    fn forget_finished(&self, name: &SessionName) {
        let _ = self.take_finished(name);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        for queue in &self.queues {
            queue.push(Job::Stop, 0);
        }
    }
}

/// Whether there was something to throw away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// There was.
    Gone,
    /// No session has this name.
    Unknown,
}

fn barrier(queue: &Queue<Job>) -> oneshot::Receiver<()> {
    let (done, heard) = oneshot::channel();
    queue.push(Job::Barrier(done), 0);
    heard
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
