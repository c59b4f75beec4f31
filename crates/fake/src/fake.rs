//! The fake: a pure function from a call, what was loaded for it, and how often it was seen, to an answer.

use holdover_provider::{Look, Signer};
use holdover_wire::{ApiError, Call, CallBody, Plan, Reply};

use crate::config::{AccountPlace, FakeConfig, OtherAccount};
use crate::derive::{Draw, Fingerprint, Key, Moment};
use crate::ids::Ids;
use crate::reading::{self, Reading};
use crate::refusal::{self, tagged};
use crate::render::headers;
use crate::routes::{self, Route};
use crate::seal::Sealer;
use crate::store::{Loaded, References, ReplyUse, Writes};

/// What was carried over, as the server saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Reasoning and compaction items that the request carried, or state resolved, and whose payload verified.
    pub prior_protected: u32,
    /// Those that the model is shown.
    pub rendered: u32,
}

/// An answer before its first byte leaves, and what to keep.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What to send.
    pub plan: Plan,
    /// What to keep, before the last byte leaves.
    pub writes: Writes,
    /// What was carried over.
    pub carried: Carried,
}

/// The API as a state machine without I/O. Cheap to share; it holds no state of a session.
pub struct Fake {
    pub(crate) config: FakeConfig,
    pub(crate) world: Key,
    pub(crate) ids: Ids,
    pub(crate) sealer: Sealer,
    pub(crate) signer: Signer,
    pub(crate) seed: Key,
    others: Vec<Neighbour>,
}

/// Another account of the same session, with the keys by which it asks.
struct Neighbour {
    fake: Fake,
    keys: Vec<String>,
}

impl Neighbour {
    fn new(config: &FakeConfig, place: AccountPlace, accounts: usize, other: &OtherAccount) -> Self {
        let mut fake = Fake::of_one(FakeConfig {
            account: other.account.clone(),
            ..config.clone()
        });
        fake.ids = fake.ids.of_account(place, accounts);
        // Two accounts that ask the same get different ids.
        fake.world = fake.world.purpose("account", &fake.config.account.name);
        Self {
            fake,
            keys: other.keys.clone(),
        }
    }
}

/// Everything that one answer may use.
pub(crate) struct Job<'a> {
    pub(crate) fake: &'a Fake,
    pub(crate) call: &'a Call,
    pub(crate) reading: &'a Reading,
    pub(crate) loaded: &'a Loaded,
    pub(crate) moment: &'a Moment,
    pub(crate) draw: Draw,
    pub(crate) reply: Option<&'a Reply>,
    /// What the endpoint of another provider makes of it, where it is one of the Responses API.
    pub(crate) look: Look,
}

impl Fake {
    /// A fake with these settings. A call belongs to the account whose key it bears, else to the one that
    /// `OpenAI-Organization` names, else to the first.
    pub fn new(mut config: FakeConfig) -> Self {
        let others = std::mem::take(&mut config.others);
        let accounts = others.len() + 1;
        let neighbours = (1..)
            .zip(&others)
            .map(|(place, other)| Neighbour::new(&config, AccountPlace(place), accounts, other))
            .collect();
        let mut fake = Self::of_one(FakeConfig { others, ..config });
        fake.ids = fake.ids.of_account(AccountPlace(0), accounts);
        Self {
            others: neighbours,
            ..fake
        }
    }

    /// The fake of one account.
    fn of_one(config: FakeConfig) -> Self {
        let seed = Key::of_seed(config.seed);
        Self {
            world: seed.purpose("world", &config.world),
            signer: Signer::new(&seed, &config.account.organisation, &config.account.region),
            seed,
            ids: Ids::new(&seed, config.id_shape),
            sealer: Sealer::new(
                &seed,
                &config.account.region,
                config.token_shape,
                config.token_size,
            ),
            config,
            others: Vec::new(),
        }
    }

    /// Which account a call belongs to.
    pub fn account_of(&self, call: &Call) -> AccountPlace {
        let bearer = call
            .header("authorization")
            .map(|value| value.trim_start_matches("Bearer ").trim());
        let organisation = call.header("openai-organization");
        let by_key = self.others.iter().position(|other| {
            let mut keys = other.keys.iter();
            keys.any(|key| Some(key.as_str()) == bearer)
        });
        let by_name = || {
            let mut others = self.others.iter();
            others.position(|other| Some(other.fake.config.account.organisation.as_str()) == organisation)
        };
        AccountPlace(by_key.or_else(by_name).map_or(0, |place| place + 1))
    }

    /// How many accounts there are.
    pub(crate) fn accounts(&self) -> usize {
        1 + self.others.len()
    }

    fn of(&self, place: AccountPlace) -> &Self {
        let other = place.0.checked_sub(1).and_then(|place| self.others.get(place));
        other.map_or(self, |other| &other.fake)
    }

    /// The settings.
    pub fn config(&self) -> &FakeConfig {
        &self.config
    }

    /// Looks at a call once: the part of the work that needs no state.
    pub fn read(&self, call: &Call) -> Reading {
        let account = self.account_of(call);
        let asked = self.of(account);
        reading::read(call, account, &asked.ids, &asked.sealer)
    }

    /// What a call needs from the store.
    pub fn references(&self, call: &Call) -> References {
        self.read(call).references
    }

    /// Hash of what a call asks for, without its volatile members; a token is read as its item.
    pub fn fingerprint(&self, call: &Call) -> Fingerprint {
        self.read(call).fingerprint
    }

    /// Answers a call. `reply` is said if it is a create call that is not refused.
    pub fn answer(&self, call: &Call, loaded: &Loaded, moment: &Moment, reply: Option<&Reply>) -> Answer {
        self.answer_read(call, &self.read(call), loaded, moment, reply)
    }

    /// Answers a call that was looked at before.
    pub fn answer_read(
        &self,
        call: &Call,
        reading: &Reading,
        loaded: &Loaded,
        moment: &Moment,
        reply: Option<&Reply>,
    ) -> Answer {
        let asked = self.of(reading.account);
        let job = Job {
            fake: asked,
            call,
            reading,
            loaded,
            moment,
            draw: Draw::new(&asked.world, reading.fingerprint, *moment),
            reply,
            look: match reading.route {
                Ok(Route::Create) => routes::provider::look(asked, call, reading),
                _ => Look::default(),
            },
        };
        let mut answer = job.answer();
        answer.writes.account = reading.account;
        // An answer that says its reply says so, also where the reply is a failure.
        answer.writes.reply = match (reply, std::mem::take(&mut answer.writes.reply)) {
            (None, _) => ReplyUse::None,
            (Some(_), ReplyUse::Used) => ReplyUse::Used,
            (Some(reply), ReplyUse::None | ReplyUse::Returned(_)) => {
                ReplyUse::Returned(Box::new(reply.clone()))
            }
        };
        answer
    }

    /// Why a call may not open a WebSocket: it bears no key (`tests/facts/streaming.md` section 11, Connect).
    pub fn refuses_socket(&self, call: &Call) -> Option<ApiError> {
        (!has_key(call)).then(refusal::missing_key)
    }

    /// Id of the reasoning item without which an output item may not be replayed, told from its id alone; `None` when
    /// there is none, or when another server made the id.
    pub fn partner_of(&self, id: &str) -> Option<String> {
        self.ids.head_of(&self.ids.read(id)?)
    }
}

fn has_key(call: &Call) -> bool {
    ["authorization", "api-key"]
        .iter()
        .any(|name| call.header(name).is_some_and(|value| !value.trim().is_empty()))
}

impl Job<'_> {
    fn answer(&self) -> Answer {
        let route = match &self.reading.route {
            Ok(route) => route,
            Err(error) => return self.refuse(error),
        };
        if let Route::Provider(wire) = route {
            // Each provider takes its key in a header of its own: nobody is refused for want of one.
            return routes::provider::answer(self, *wire).unwrap_or_else(|error| self.refuse(&error));
        }
        if !has_key(self.call) {
            return self.refuse(&refusal::missing_key());
        }
        if matches!(self.call.body, CallBody::Invalid(_)) {
            return self.refuse(&refusal::malformed_json());
        }
        let answer = match route {
            Route::Create => match &self.look.refused {
                Some(plan) => return routes::provider::silent(Plan::clone(plan)),
                None => routes::create::answer(self),
            },
            Route::Retrieve(id) => routes::background::retrieve(self, id),
            Route::Delete(id) => routes::retrieve::delete(self, id),
            Route::Cancel(id) => routes::background::cancel(self, id),
            Route::InputItems(id) => routes::retrieve::input_items(self, id),
            Route::Compact => routes::compact::compact(self),
            Route::InputTokens => routes::compact::input_tokens(self),
            Route::ConversationCreate => routes::conversations::create(self),
            Route::Conversation(id) => routes::conversations::one(self, id),
            Route::ConversationUpdate(id) => routes::conversations::update(self, id),
            Route::ConversationDelete(id) => routes::conversations::delete(self, id),
            Route::Items(id) => routes::conversations::items(self, id),
            Route::ItemsCreate(id) => routes::conversations::add(self, id),
            Route::Item(id, item) => routes::conversations::item(self, id, item),
            Route::ItemDelete(id, item) => routes::conversations::delete_item(self, id, item),
            Route::Models => Ok(routes::models::list(self)),
            Route::Model(name) => routes::models::one(self, name),
            Route::Embeddings => routes::stubs::embeddings(self),
            Route::Moderations => routes::stubs::moderations(self),
            Route::Provider(wire) => routes::provider::answer(self, *wire),
        };
        answer.unwrap_or_else(|error| self.refuse(&error))
    }

    /// The answer that refuses.
    pub(crate) fn refuse(&self, error: &ApiError) -> Answer {
        let error = tagged::spelled(error, self.fake.config.profile.switches.schema_errors);
        let mut headers = headers::json(self);
        headers::evicted(&self.loaded.evicted, &mut headers);
        let told = routes::provider::reworded(self, &error);
        Answer {
            plan: told.unwrap_or_else(|| Plan::refusal(&error, headers)),
            writes: Writes::default(),
            carried: Carried::default(),
        }
    }

    /// A plain JSON answer that writes nothing.
    pub(crate) fn plain(&self, body: serde_json::Value) -> Answer {
        Answer {
            plan: Plan::json(200, headers::json(self), body),
            writes: Writes::default(),
            carried: Carried::default(),
        }
    }
}
