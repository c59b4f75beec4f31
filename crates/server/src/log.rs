//! What one session's recorder and judge hold: exchanges in order, bounded by bytes.
//!
//! Exchanges are numbered when they arrive and end in any order. The judge and the files get them in the order of
//! their numbers, because a client that abandons a stream may send its next request before its going away is noticed.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holdover_judge::{Finding, Judge};
use holdover_wire::Exchange;
use holdover_wire::recording::line;

use crate::entry::Entry;
use crate::exchange::Closed;

/// Exchanges that may wait for an earlier one that is still running; beyond it they go ahead.
const HELD_MAX: usize = 256;

/// What was dropped from a recording because it had grown too large. The judge had seen it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Evicted {
    /// Exchanges.
    pub exchanges: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Evicted {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            exchanges: self.exchanges + other.exchanges,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// Bytes of exchanges that all sessions of a server keep.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptBytes(Arc<AtomicUsize>);

impl KeptBytes {
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::SeqCst);
    }

    fn subtract(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::SeqCst);
    }
}

/// The recorder and judge of one session.
#[derive(Debug)]
pub(crate) struct Log {
    judge: Judging,
    /// Number of the exchange that comes next.
    next: u64,
    /// Closed exchanges that wait for an earlier one; `None` for a number that was given up.
    held: BTreeMap<u64, Option<Box<Closed>>>,
    /// Exchanges as text: a third of the memory of the parsed form.
    kept: VecDeque<Entry>,
    kept_bytes: usize,
    all_kept: KeptBytes,
    evicted: Evicted,
    last_ms: u64,
    told: Vec<Finding>,
}

/// Who wants to know of an exchange whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// The recording and the judge of its session.
    Session,
    /// A file or a listener as well.
    Others,
}

/// An exchange whose turn it was.
#[derive(Debug)]
pub(crate) enum Released {
    /// It is kept and judged.
    Kept,
    /// The same, and here it is with its line in a recording.
    Told { exchange: Box<Exchange>, line: Arc<str> },
}

/// The judge, or what became of it.
#[derive(Debug)]
enum Judging {
    Alive(Box<Judge>),
    /// It panicked: a bug of Holdover, which must not look like a clean verdict.
    Failed,
}

impl Log {
    pub(crate) fn new(judge: Judge, all_kept: KeptBytes) -> Self {
        Self {
            judge: Judging::Alive(Box::new(judge)),
            next: 1,
            held: BTreeMap::new(),
            kept: VecDeque::new(),
            kept_bytes: 0,
            all_kept,
            evicted: Evicted::default(),
            last_ms: 0,
            told: Vec::new(),
        }
    }

    /// Takes a closed exchange, or a number that was given up, and returns what is released by it.
    pub(crate) fn take(
        &mut self,
        number: u64,
        closed: Option<Box<Closed>>,
        audience: Audience,
    ) -> Vec<Released> {
        self.held.insert(number, closed);
        let mut ready = Vec::new();
        while let Some(entry) = self.held.first_entry() {
            let waits = *entry.key() > self.next && self.held.len() <= HELD_MAX;
            if waits {
                break;
            }
            ready.extend(self.release_first(audience));
        }
        ready
    }

    /// Releases what still waits for exchanges that never ended; at the end of a session.
    pub(crate) fn release_all(&mut self, audience: Audience) -> Vec<Released> {
        let mut ready = Vec::new();
        while !self.held.is_empty() {
            ready.extend(self.release_first(audience));
        }
        ready
    }

    fn release_first(&mut self, audience: Audience) -> Option<Released> {
        let (number, closed) = self.held.pop_first()?;
        self.next = self.next.max(number + 1);
        let (exchange, crossed) = closed?.into_exchange(self.last_ms);
        self.last_ms = exchange.at_ms;
        self.observe(&exchange);
        if let (Some(crossed), Audience::Session) = (crossed, audience) {
            self.keep(Entry::crossed(exchange, crossed));
            return Some(Released::Kept);
        }
        let line: Arc<str> = line(&exchange).into();
        self.keep(Entry::Line(Arc::clone(&line)));
        Some(Released::Told {
            exchange: Box::new(exchange),
            line,
        })
    }

    fn observe(&mut self, exchange: &Exchange) {
        if let Judging::Alive(judge) = &mut self.judge
            && catch_unwind(AssertUnwindSafe(|| judge.observe(exchange))).is_err()
        {
            self.judge = Judging::Failed;
        }
    }

    fn keep(&mut self, entry: Entry) {
        let bytes = entry.bytes();
        self.kept.push_back(entry);
        self.kept_bytes += bytes;
        self.all_kept.add(bytes);
    }

    /// Drops the oldest exchange that is kept.
    pub(crate) fn evict_oldest(&mut self) {
        if let Some(entry) = self.kept.pop_front() {
            let bytes = entry.bytes();
            self.kept_bytes -= bytes;
            self.all_kept.subtract(bytes);
            self.evicted.exchanges += 1;
            self.evicted.bytes += bytes as u64;
        }
    }

    pub(crate) fn evicted(&self) -> Evicted {
        self.evicted
    }

    /// The exchanges that are still kept, in order. Cheap: whoever wants their lines writes them without the log.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.kept.iter().cloned().collect()
    }

    /// Findings that are settled so far.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        match &self.judge {
            Judging::Alive(judge) => judge.findings(),
            Judging::Failed => Vec::new(),
        }
    }

    /// Settled findings that this was not asked for before.
    pub(crate) fn news(&mut self) -> Vec<Finding> {
        let findings = self.findings();
        let news: Vec<Finding> = findings
            .iter()
            .filter(|finding| !self.told.contains(finding))
            .cloned()
            .collect();
        self.told = findings;
        news
    }

    /// The judge, taken out; `None` when it failed.
    pub(crate) fn take_judge(&mut self) -> Option<Box<Judge>> {
        match std::mem::replace(&mut self.judge, Judging::Failed) {
            Judging::Alive(judge) => Some(judge),
            Judging::Failed => None,
        }
    }
}

impl Drop for Log {
    /// What a session kept makes room when it ends.
    fn drop(&mut self) {
        self.all_kept.subtract(self.kept_bytes);
    }
}

#[cfg(test)]
mod tests {
    use holdover_fake::FakeConfig;
    use holdover_judge::JudgeConfig;
    use holdover_wire::SessionName;

    use super::*;
    use crate::queue::Queue;
    use crate::session::{Meta, Session, SessionSetup, SharedState};

    fn log(all_kept: &KeptBytes) -> Log {
        Log::new(
            Judge::new(JudgeConfig::default()).expect("no patterns"),
            all_kept.clone(),
        )
    }

    fn session() -> Arc<Session> {
        let setup = SessionSetup {
            fake: FakeConfig::default(),
            judge: JudgeConfig::default(),
            replies: Vec::new(),
            faults: Vec::new(),
            meta: Meta::default(),
        };
        let queue = Arc::new(Queue::new(1, 1));
        let session = Session::new(
            SessionName::default_session(),
            1,
            setup,
            SharedState::default(),
            queue,
        );
        Arc::new(session.expect("no patterns"))
    }

    /// Numbers that taking this one releases.
    fn take(log: &mut Log, number: u64) -> Vec<u64> {
        let closed = Closed::sample(session(), number);
        numbers(&log.take(number, Some(Box::new(closed)), Audience::Others))
    }

    fn numbers(released: &[Released]) -> Vec<u64> {
        released
            .iter()
            .map(|released| match released {
                Released::Told { exchange, .. } => exchange.exchange,
                Released::Kept => panic!("it was to be told"),
            })
            .collect()
    }

    #[test]
    fn exchanges_come_out_in_the_order_in_which_they_arrived() {
        let mut log = log(&KeptBytes::default());
        assert!(take(&mut log, 2).is_empty());
        assert!(take(&mut log, 4).is_empty());
        assert_eq!(take(&mut log, 1), [1, 2]);
        assert_eq!(take(&mut log, 3), [3, 4]);
    }

    #[test]
    fn a_number_that_was_given_up_holds_up_nobody() {
        let mut log = log(&KeptBytes::default());
        assert!(take(&mut log, 2).is_empty());
        assert_eq!(numbers(&log.take(1, None, Audience::Others)), [2]);
    }

    #[test]
    fn a_session_that_ends_waits_for_nobody() {
        let mut log = log(&KeptBytes::default());
        assert!(take(&mut log, 3).is_empty());
        assert!(take(&mut log, 2).is_empty());
        assert_eq!(numbers(&log.release_all(Audience::Others)), [2, 3]);
    }

    #[test]
    fn one_that_never_ends_is_not_waited_for_for_ever() {
        let mut log = log(&KeptBytes::default());
        let waiting = HELD_MAX as u64 + 1;
        for number in 2..=waiting {
            assert!(take(&mut log, number).is_empty(), "{number}");
        }
        assert_eq!(take(&mut log, waiting + 1).first(), Some(&2));
        // The late one is not lost.
        assert_eq!(take(&mut log, 1), [1]);
    }

    #[test]
    fn what_is_kept_is_counted_until_it_goes() {
        let all_kept = KeptBytes::default();
        let mut log = log(&all_kept);
        take(&mut log, 1);
        let one = all_kept.get();
        take(&mut log, 2);
        assert_eq!(
            log.entries().iter().map(Entry::bytes).sum::<usize>(),
            all_kept.get()
        );
        log.evict_oldest();
        assert_eq!(
            log.evicted(),
            Evicted {
                exchanges: 1,
                bytes: one as u64
            }
        );
        let lines: Vec<Arc<str>> = log.entries().iter().map(Entry::line).collect();
        assert!(lines.len() == 1 && lines[0].contains("/v1/models/2"));
        drop(log);
        assert_eq!(all_kept.get(), 0);
    }
}
