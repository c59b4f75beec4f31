//! The in-memory shell around a fake: its store, its counts, its script.

use std::collections::VecDeque;
use std::sync::Arc;

use holdover_wire::{ApiError, Call, Plan, Reply};

use crate::config::{AccountPlace, FakeConfig};
use crate::derive::{Moment, Time};
use crate::fake::{Answer, Carried, Fake};
use crate::reading::Reading;
use crate::seen::Seen;
use crate::store::{
    Change, ConnectionMemory, ConversationUse, Lease, Loaded, ReplyUse, Store, StoreSize, Writes,
};

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
    /// One for each account.
    stores: Vec<Store>,
    seen: Seen,
    script: VecDeque<Reply>,
}

/// Everything that an answer needs, taken out of a session: no lock is needed to work on it.
pub struct Prepared {
    fake: Arc<Fake>,
    reading: Reading,
    loaded: Loaded,
    moment: Moment,
    reply: Option<Reply>,
    lease: Option<Lease>,
    /// What the shell itself refuses.
    refusal: Option<ApiError>,
    /// What is said instead, where somebody decided so.
    instead: Option<(Reply, Script)>,
}

/// What a shell gives to an answer, wherever it keeps its state.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// What [`Reading::references`] names, as far as it was found.
    pub loaded: Loaded,
    /// How often the account sent the same before.
    pub occurrence: u64,
    /// The script's reply, for a create call.
    pub reply: Option<Reply>,
    /// Why the shell cannot serve the call at all.
    pub refusal: Option<ApiError>,
    /// The conversation of [`Reading::leased`]; none where somebody else has it, and then
    /// [`Loaded::conversation_use`] says so.
    pub lease: Option<Lease>,
}

/// What becomes of the script's reply when something else is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// It counts as said.
    GoesOn,
    /// It waits for the next create call.
    Waits,
}

impl Session {
    /// An empty session.
    pub fn new(config: FakeConfig) -> Self {
        let fake = Fake::new(config);
        Self {
            stores: vec![Store::default(); fake.accounts()],
            fake: Arc::new(fake),
            seen: Seen::default(),
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

    /// Leaves out replies of the script until no more than so many are left.
    pub fn skip_to(&mut self, left: usize) {
        let surplus = self.script.len().saturating_sub(left);
        self.script.drain(..surplus);
    }

    /// Keeps stored responses within so many bytes for each account; the oldest go first.
    pub fn limit(&mut self, bytes: usize) {
        for store in &mut self.stores {
            store.limit(bytes);
        }
    }

    /// Lets the oldest response or conversation of the account that holds most go, whatever the limit is.
    pub fn evict_oldest(&mut self) {
        let largest = self.stores.iter_mut().max_by_key(|store| store.size().bytes);
        if let Some(store) = largest {
            store.evict_oldest();
        }
    }

    /// What the stores hold, and what they let go.
    pub fn stored(&self) -> StoreSize {
        let sizes = self.stores.iter().map(Store::size);
        sizes.fold(StoreSize::default(), StoreSize::and)
    }

    /// Forgets every stored response, as the API does after thirty days (`tests/facts/state.md`, store).
    pub fn expire(&mut self) {
        for store in &mut self.stores {
            store.expire();
        }
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
        let occurrence = self.seen.count(reading.account(), reading.fingerprint());
        let store = self.stores.get(reading.account().0);
        let mut loaded = store.map_or_else(Loaded::default, |store| store.load(reading.references()));
        let takes_reply = reading.is_create();
        let given = Given {
            lease: self.lease(&reading, &mut loaded),
            loaded,
            occurrence,
            refusal: None,
            reply: if takes_reply {
                self.script.pop_front()
            } else {
                None
            },
        };
        Prepared::new(Arc::clone(&self.fake), reading, given)
    }

    /// The same for a request that came by a connection which remembers its responses. After the answer:
    /// [`ConnectionMemory::keep`], or [`ConnectionMemory::evict`] where it was refused.
    pub fn begin_on(&mut self, memory: &ConnectionMemory, reading: Reading) -> Prepared {
        self.begin_read(reading).on(memory)
    }

    /// A create call has its conversation to itself until its writes are dropped.
    fn lease(&mut self, reading: &Reading, loaded: &mut Loaded) -> Option<Lease> {
        let conversation = reading.leased().filter(|_| loaded.conversation.is_some())?;
        let lease = self.stores.get_mut(reading.account().0)?.lease(conversation);
        if lease.is_none() {
            loaded.conversation_use = ConversationUse::Busy;
        }
        lease
    }

    /// Keeps what belongs before the first byte of an answer. Whoever does not call it loses nothing but the runs of
    /// clients that go away: [`Session::commit`] keeps it too.
    pub fn commit_early(&mut self, writes: &mut Writes) {
        self.apply(writes.account, std::mem::take(&mut writes.early));
    }

    fn apply(&mut self, account: AccountPlace, changes: Vec<Change>) {
        if let Some(store) = self.stores.get_mut(account.0) {
            for change in changes {
                store.apply(change);
            }
        }
    }

    /// Last of three steps: keeps what an answer wrote. It belongs before the answer's last byte.
    pub fn commit(&mut self, mut writes: Writes) {
        self.commit_early(&mut writes);
        self.apply(writes.account, writes.changes);
        match writes.reply {
            ReplyUse::None | ReplyUse::Used => {}
            ReplyUse::Returned(reply) => self.script.push_front(*reply),
        }
    }
}

impl Prepared {
    /// What an answer needs, from a shell that keeps its state elsewhere; [`Session::begin`] is the one in memory.
    pub fn new(fake: Arc<Fake>, reading: Reading, given: Given) -> Self {
        Self {
            fake,
            reading,
            loaded: given.loaded,
            moment: Moment {
                occurrence: given.occurrence,
                time: Time::Virtual,
            },
            reply: given.reply,
            lease: given.lease,
            refusal: given.refusal,
            instead: None,
        }
    }

    /// The same for a request that came by a connection which remembers its responses.
    #[must_use]
    pub fn on(mut self, memory: &ConnectionMemory) -> Self {
        memory.fill(self.reading.references(), &mut self.loaded);
        self
    }

    /// The same at another time than the virtual one.
    #[must_use]
    pub fn at(mut self, time: Time) -> Self {
        self.moment.time = time;
        self
    }

    /// Second of three steps: answers the call it was prepared for.
    pub fn answer(&self, call: &Call) -> Answer {
        if let Some(error) = &self.refusal {
            return Answer {
                plan: Plan::refusal(error, Vec::new()),
                writes: self.lost(),
                carried: Carried::default(),
            };
        }
        let instead = self.instead.as_ref().map(|(reply, _)| reply);
        let reply = instead.or(self.reply.as_ref());
        let mut answer = self
            .fake
            .answer_read(call, &self.reading, &self.loaded, &self.moment, reply);
        if let Some((_, script)) = &self.instead {
            let is_said = answer.writes.reply == ReplyUse::Used && *script == Script::GoesOn;
            answer.writes.reply = match &self.reply {
                None => ReplyUse::None,
                Some(_) if is_said => ReplyUse::Used,
                Some(reply) => ReplyUse::Returned(Box::new(reply.clone())),
            };
        }
        if answer.plan.status == 200 {
            answer.writes.lease.clone_from(&self.lease);
        }
        answer
    }

    /// The script's reply, which is said unless [`Prepared::say`] decides otherwise.
    pub fn reply(&self) -> Option<&Reply> {
        self.reply.as_ref()
    }

    /// Lets the model say something else.
    pub fn say(&mut self, reply: Reply, script: Script) {
        self.instead = Some((reply, script));
    }

    /// What to keep of an answer that never arrives: nothing, and the script's reply waits for the next create call.
    pub fn lost(&self) -> Writes {
        Writes {
            reply: match &self.reply {
                None => ReplyUse::None,
                Some(reply) => ReplyUse::Returned(Box::new(reply.clone())),
            },
            ..Writes::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::ReplyPart;
    use serde_json::json;

    use super::*;
    use crate::store::References;

    fn says(text: &str) -> Reply {
        Reply {
            parts: vec![ReplyPart::Message {
                text: Some(text.to_owned()),
                phase: None,
            }],
        }
    }

    fn session() -> Session {
        let mut session = Session::new(FakeConfig::default());
        session.script(vec![says("one"), says("two")]);
        session
    }

    fn call() -> Call {
        Call::post("/v1/responses", json!({"model": "gpt-5.6", "input": "Hi"}))
    }

    fn text(answer: &Answer) -> String {
        let bytes = answer.plan.body.bytes();
        let body: serde_json::Value = serde_json::from_slice(&bytes).expect("json");
        body["output"][0]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    #[test]
    fn something_else_is_said_and_the_script_waits_or_goes_on() {
        for (script, next) in [(Script::Waits, "one"), (Script::GoesOn, "two")] {
            let mut session = session();
            let mut prepared = session.begin(&call());
            assert_eq!(prepared.reply(), Some(&says("one")));
            prepared.say(says("else"), script);
            let answer = prepared.answer(&call());
            assert_eq!(text(&answer), "else");
            session.commit(answer.writes);
            assert_eq!(text(&session.handle(&call())), next);
        }
    }

    #[test]
    fn a_lost_answer_is_said_again() {
        let mut session = session();
        let prepared = session.begin(&call());
        assert_eq!(text(&prepared.answer(&call())), "one");
        let writes = prepared.lost();
        assert_eq!(writes.changes, Vec::new());
        session.commit(writes);
        assert_eq!(text(&session.handle(&call())), "one");
    }

    /// Law 9: what a response keeps of everything before it has one size, however long the chain is.
    #[test]
    fn what_a_chain_keeps_does_not_grow() {
        let mut session = Session::new(FakeConfig::default());
        let mut previous = serde_json::Value::Null;
        let mut sizes = Vec::new();
        for _ in 0..60 {
            let body = json!({"model": "gpt-5.6", "input": "Go on.", "previous_response_id": previous});
            let answer = session.handle(&Call::post("/v1/responses", body));
            let bytes = answer.plan.body.bytes();
            let body: serde_json::Value = serde_json::from_slice(&bytes).expect("json");
            let id = body["id"].as_str().expect("an id").to_owned();
            let references = References {
                responses: [id.clone()].into(),
                ..References::default()
            };
            let loaded = session.stores[0].load(&references);
            let chain = serde_json::to_string(&loaded.responses[&id].chain).expect("json");
            sizes.push(chain.len());
            previous = id.into();
        }
        // Numbers grow by a digit now and then.
        assert!(sizes[59] < sizes[1] + 64, "{sizes:?}");
    }
}
