//! The in-memory shell around a fake: its store, its counts, its script.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use holdover_wire::{Call, Reply};

use crate::config::FakeConfig;
use crate::derive::{Fingerprint, Moment};
use crate::fake::{Answer, Fake};
use crate::reading::Reading;
use crate::store::{Loaded, ReplyUse, Store, Writes};

/// One session: a fake with its state. Equal sessions give equal bytes for equal calls.
///
/// ```
/// use holdover_fake::{FakeConfig, Session};
/// use holdover_wire::Call;
///
/// let mut session = Session::new(FakeConfig::default());
/// let call = Call::post("/v1/responses", serde_json::json!({"model": "gpt-5.6", "input": "Hello"}));
/// let answer = session.handle(&call);
/// assert_eq!(answer.plan.status, 200);
/// assert_eq!(answer.carried.prior_protected, 0);
/// ```
pub struct Session {
    fake: Arc<Fake>,
    store: Store,
    seen: BTreeMap<Fingerprint, u64>,
    script: VecDeque<Reply>,
}

/// Everything that an answer needs, taken out of a session: no lock is needed to work on it.
pub struct Prepared {
    fake: Arc<Fake>,
    reading: Reading,
    loaded: Loaded,
    moment: Moment,
    reply: Option<Reply>,
}

impl Session {
    /// An empty session.
    pub fn new(config: FakeConfig) -> Self {
        Self {
            fake: Arc::new(Fake::new(config)),
            store: Store::default(),
            seen: BTreeMap::new(),
            script: VecDeque::new(),
        }
    }

    /// The fake, to share: `session.fake().read(&call)` needs no lock.
    pub fn fake(&self) -> Arc<Fake> {
        Arc::clone(&self.fake)
    }

    /// What the model says in the next successful create answers, one reply each; after the last come default replies.
    pub fn script(&mut self, replies: Vec<Reply>) {
        self.script = replies.into();
    }

    /// Answers a call and keeps what it writes.
    pub fn handle(&mut self, call: &Call) -> Answer {
        let prepared = self.begin(call);
        let mut answer = prepared.answer(call);
        drop(prepared);
        self.commit(std::mem::take(&mut answer.writes));
        answer
    }

    /// First of three steps: looks at the call and takes what its answer needs out of the session.
    pub fn begin(&mut self, call: &Call) -> Prepared {
        let reading = self.fake.read(call);
        self.begin_read(reading)
    }

    /// The same for a call that was looked at before, so that a lock is held for look-ups only.
    pub fn begin_read(&mut self, reading: Reading) -> Prepared {
        let seen = self.seen.entry(reading.fingerprint()).or_insert(0);
        let moment = Moment { occurrence: *seen };
        *seen += 1;
        let loaded = self.store.load(reading.references());
        let takes_reply = reading.is_create();
        Prepared {
            fake: Arc::clone(&self.fake),
            loaded,
            moment,
            reply: if takes_reply {
                self.script.pop_front()
            } else {
                None
            },
            reading,
        }
    }

    /// Last of three steps: keeps what an answer wrote. It belongs before the answer's last byte.
    pub fn commit(&mut self, writes: Writes) {
        for change in writes.changes {
            self.store.apply(change);
        }
        match writes.reply {
            ReplyUse::None | ReplyUse::Used => {}
            ReplyUse::Returned(reply) => self.script.push_front(*reply),
        }
    }
}

impl Prepared {
    /// Second of three steps: answers the call it was prepared for.
    pub fn answer(&self, call: &Call) -> Answer {
        self.fake.answer_read(
            call,
            &self.reading,
            &self.loaded,
            &self.moment,
            self.reply.as_ref(),
        )
    }
}
