//! Recording and judging: exchanges are put into the form of a recording, in the order of their numbers, shown to the
//! judge of their session, written to files and told to whoever listens. Small ones are done at once, where what they
//! hold is still at hand; large ones, files and listeners are the work of threads, of which a session keeps to one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use holdover_judge::Finding;
use holdover_wire::{Exchange, SessionName};
use tokio::sync::{broadcast, oneshot};

use crate::exchange::Closed;
use crate::log::{Audience, KeptBytes, Log, Released};
use crate::metrics::Metrics;
use crate::queue::Queue;
use crate::record_file::RecordFiles;
use crate::session::Session;

/// News for a listener.
#[derive(Clone, Debug)]
pub enum Live {
    /// An exchange is over.
    Exchange {
        /// Its session.
        session: SessionName,
        /// The exchange.
        exchange: Arc<Exchange>,
    },
    /// A finding is settled.
    Finding {
        /// Its session.
        session: SessionName,
        /// The finding.
        finding: Box<Finding>,
    },
}

/// What a thread is told.
#[derive(Debug)]
pub(crate) enum Job {
    /// An exchange is over.
    Closed(Box<Closed>),
    /// An exchange will never be over; the ones after it need not wait.
    GivenUp(Arc<Session>, u64),
    /// A session ends: what still waits in it is released.
    ReleaseAll(Arc<Session>),
    /// Everything before this is done once the other end hears of it.
    Barrier(oneshot::Sender<()>),
    /// The server is gone.
    Stop,
}

/// Exchanges up to this size are recorded and judged by whoever ends them: it takes some ten microseconds.
const AT_ONCE_BYTES_MAX: usize = 64 << 10;

/// What all threads work with.
pub(crate) struct Shared {
    pub(crate) files: Option<Mutex<RecordFiles>>,
    pub(crate) budget: Mutex<Budget>,
    pub(crate) live: broadcast::Sender<Live>,
    pub(crate) metrics: Arc<Metrics>,
}

/// Starts a thread for each queue.
pub(crate) fn start(queues: Vec<Arc<Queue<Job>>>, shared: &Arc<Shared>) -> std::io::Result<()> {
    for queue in queues {
        let shared = Arc::clone(shared);
        let builder = std::thread::Builder::new().name("holdover-judge".to_owned());
        builder.spawn(move || shared.run(&queue))?;
    }
    Ok(())
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bound on what all recordings hold together: the oldest exchange goes first, whichever session it is of.
pub(crate) struct Budget {
    kept: KeptBytes,
    bytes_max: usize,
    /// The session of each exchange, in the order in which they were recorded.
    order: VecDeque<Weak<Session>>,
    /// Length of `order` at which sessions that are gone are taken out of it.
    tidy_at: usize,
}

/// [`Budget::tidy_at`] is never below this.
const TIDY_MIN: usize = 4096;

impl Budget {
    pub(crate) fn new(kept: KeptBytes, bytes_max: usize) -> Self {
        Self {
            kept,
            bytes_max,
            order: VecDeque::new(),
            tidy_at: TIDY_MIN,
        }
    }

    fn added(&mut self, session: &Arc<Session>) {
        self.order.push_back(Arc::downgrade(session));
        // The newest stays, however large it is.
        while self.kept.get() > self.bytes_max && self.order.len() > 1 {
            self.drop_oldest();
        }
        if self.order.len() >= self.tidy_at {
            self.order.retain(|session| session.strong_count() > 0);
            self.tidy_at = TIDY_MIN.max(2 * self.order.len());
        }
    }

    fn drop_oldest(&mut self) {
        let oldest = self.order.pop_front();
        if let Some(session) = oldest.and_then(|session| session.upgrade()) {
            // A finished session has no log, and keeps nothing.
            let _ = session.with_log(Log::evict_oldest);
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    /// Takes an exchange that is over and stands for `bytes`.
    pub(crate) fn take(&self, closed: Box<Closed>, bytes: usize) {
        let session = Arc::clone(&closed.session);
        let mut waiting = Some(closed);
        if bytes <= AT_ONCE_BYTES_MAX && self.is_quiet(&session) {
            // A bug in the work on one exchange must not end its connection.
            let worked = catch_unwind(AssertUnwindSafe(|| self.take_at_once(&session, &mut waiting)));
            if worked.is_err() {
                self.metrics.bug();
            }
        }
        if let Some(closed) = waiting {
            session.queue().push(Job::Closed(closed), bytes);
        }
    }

    /// Whether nothing slow would be done for an exchange, and nothing waits before it.
    fn is_quiet(&self, session: &Session) -> bool {
        self.files.is_none() && self.live.receiver_count() == 0 && session.queue().entries() == 0
    }

    /// Leaves the exchange where it is while somebody else works on the session's log.
    fn take_at_once(&self, session: &Arc<Session>, closed: &mut Option<Box<Closed>>) {
        let released = session.try_with_log(|log| {
            let closed = closed.take()?;
            Some(log.take(closed.number, Some(closed), Audience::Session))
        });
        for _ in released.into_iter().flatten().flatten() {
            guard(&self.budget).added(session);
        }
    }

    fn run(&self, queue: &Queue<Job>) {
        loop {
            for (job, bytes) in queue.take_all() {
                let stops = matches!(job, Job::Stop);
                // A bug in the work on one exchange must not end the work on all others.
                if catch_unwind(AssertUnwindSafe(|| self.work(job))).is_err() {
                    self.metrics.bug();
                }
                queue.done(bytes);
                if stops {
                    return;
                }
            }
            // Nothing more is waiting: whoever reads the files, or kills this process, finds all there is.
            self.flush();
        }
    }

    fn work(&self, job: Job) {
        match job {
            Job::Closed(closed) => {
                let session = Arc::clone(&closed.session);
                let number = closed.number;
                self.release(&session, |log, audience| log.take(number, Some(closed), audience));
            }
            Job::GivenUp(session, number) => {
                self.release(&session, |log, audience| log.take(number, None, audience));
            }
            Job::ReleaseAll(session) => self.release(&session, Log::release_all),
            Job::Barrier(done) => {
                self.flush();
                // Nobody waits any more: fine.
                let _ = done.send(());
            }
            Job::Stop => self.flush(),
        }
    }

    fn flush(&self) {
        if let Some(files) = &self.files {
            guard(files).flush();
        }
    }

    fn release(&self, session: &Arc<Session>, take: impl FnOnce(&mut Log, Audience) -> Vec<Released>) {
        let listened = self.live.receiver_count() > 0;
        let audience = match &self.files {
            None if !listened => Audience::Session,
            _ => Audience::Others,
        };
        let released = session.with_log(|log| {
            let released = take(log, audience);
            let news = if listened { log.news() } else { Vec::new() };
            (released, news)
        });
        // A finished session takes no more exchanges.
        let Some((released, findings)) = released else {
            return;
        };
        for released in &released {
            guard(&self.budget).added(session);
            if let (Some(files), Released::Told { line, .. }) = (&self.files, released) {
                guard(files).write(session.header(), session.life(), line);
            }
        }
        if listened {
            self.tell(session.name(), released, findings);
        }
    }

    fn tell(&self, session: &SessionName, released: Vec<Released>, findings: Vec<Finding>) {
        let told = released.into_iter().filter_map(|released| match released {
            Released::Told { exchange, .. } => Some(exchange),
            Released::Kept => None,
        });
        let exchanges = told.map(|exchange| Live::Exchange {
            session: session.clone(),
            exchange: Arc::new(*exchange),
        });
        let findings = findings.into_iter().map(|finding| Live::Finding {
            session: session.clone(),
            finding: Box::new(finding),
        });
        exchanges.chain(findings).for_each(|news| {
            // The listener may have gone in the meantime.
            let _ = self.live.send(news);
        });
    }
}
