//! When a fault happens.

use holdover_wire::CreateRequest;
use serde_json::Value;

use crate::card::{FaultCard, Lasts};
use crate::known;
use crate::place::{Place, Places};
use crate::problem::{FaultProblem, Part, did_you_mean};
use crate::session::Occasion;

/// One member of `on`, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerKey {
    /// Its key.
    pub name: &'static str,
    /// What it means: a lowercase fragment.
    pub about: &'static str,
}

const fn key(name: &'static str, about: &'static str) -> TriggerKey {
    TriggerKey { name, about }
}

/// Every member of `on`. No option of a fault has one of these names, so the flag form needs no sections.
pub const KEYS: [TriggerKey; 15] = [
    key("exchange", "the exchange of this number, whatever it calls"),
    key(
        "turn",
        "this turn; its first attempt, unless `times` or `until` say otherwise",
    ),
    key("call", "the create call of this number, retries counted"),
    key("model", "requests for this model"),
    key("header", "requests with this header: `name`, or `name: value`"),
    key(
        "path",
        "calls to this path instead of `/v1/responses`; a `*` at the end stands for the rest",
    ),
    key("probability", "with this chance, from the seed"),
    key("nth", "when the rest of the condition holds for the n-th time"),
    key("times", "so many times, then no more"),
    key("once", "`true`: one time"),
    key(
        "until",
        "`recovered`: until a request comes whose body is not the one that was hit",
    ),
    key("event", "at the first event of this type"),
    key(
        "item",
        "at events of items of this type; for a refusal, requests that carry such an item",
    ),
    key(
        "index",
        "at the event of this number, from 1, among those that fit",
    ),
    key("byte", "after so many bytes of the body"),
];

/// The names of all keys.
pub(crate) fn key_names() -> Vec<&'static str> {
    KEYS.iter().map(|key| key.name).collect()
}

/// One thing that must hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    Exchange(u64),
    Turn(u64),
    Call(u64),
    Nth(u64),
    Model(String),
    Header(String, Option<String>),
    Path(String),
    /// The request carries an item of this type.
    Carries(String),
}

/// How often it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    /// Whenever the conditions hold.
    Always,
    /// So many times.
    Times(u64),
    /// Until the client changes what it sends.
    Recovered,
}

/// When a fault happens, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trigger {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) probability: Option<f64>,
    pub(crate) limit: Limit,
    pub(crate) place: Place,
}

/// The numbers of an exchange that a session counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) turn: u64,
    pub(crate) call: u64,
    /// How often the other conditions held, this time included.
    pub(crate) nth: u64,
}

impl Trigger {
    /// Whether all conditions hold but for `nth` and chance, which depend on how often that was so.
    pub(crate) fn holds(&self, occasion: &Occasion<'_>, counts: Counts) -> bool {
        self.is_for(occasion)
            && self.conditions.iter().all(|condition| match condition {
                Condition::Exchange(number) => occasion.exchange == *number,
                Condition::Turn(number) => occasion.is_create() && counts.turn == *number,
                Condition::Call(number) => occasion.is_create() && counts.call == *number,
                Condition::Nth(_) | Condition::Path(_) => true,
                Condition::Model(name) => occasion.model() == Some(name),
                Condition::Header(name, value) => occasion.has_header(name, value.as_deref()),
                Condition::Carries(kind) => occasion.request().is_some_and(|request| carries(request, kind)),
            })
    }

    /// Whether this is the n-th time that was asked for.
    pub(crate) fn is_nth(&self, counts: Counts) -> bool {
        self.conditions.iter().all(|condition| match condition {
            Condition::Nth(number) => counts.nth == *number,
            _ => true,
        })
    }

    /// Without `path` and `exchange` a fault is about create calls.
    fn is_for(&self, occasion: &Occasion<'_>) -> bool {
        let path = self.conditions.iter().find_map(|condition| match condition {
            Condition::Path(path) => Some(path.as_str()),
            _ => None,
        });
        let any_path = self
            .conditions
            .iter()
            .any(|condition| matches!(condition, Condition::Exchange(_)));
        match path.map(|path| path.strip_suffix('*').ok_or(path)) {
            Some(Ok(prefix)) => occasion.call.path.starts_with(prefix),
            Some(Err(path)) => occasion.call.path == path,
            None => any_path || occasion.is_create(),
        }
    }

    /// Whether it holds for every occasion for which `other` holds, and goes on holding.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let same_place = !self.place_is_named() || self.place == other.place;
        self.limit == Limit::Always
            && self.probability.is_none()
            && same_place
            && self
                .conditions
                .iter()
                .all(|condition| other.conditions.contains(condition))
    }

    fn place_is_named(&self) -> bool {
        self.place != Place::default()
    }
}

fn carries(request: CreateRequest<'_>, kind: &str) -> bool {
    request.items().any(|(_, item)| item.type_name() == Some(kind))
}

/// What was read of `on` so far.
struct Reader<'a> {
    card: &'a FaultCard,
    trigger: Trigger,
    limits: Vec<&'a str>,
    problems: Vec<FaultProblem>,
}

/// Checks the members of `on`; every problem is listed.
pub(crate) fn parse(card: &FaultCard, on: &[(String, Value)]) -> (Trigger, Vec<FaultProblem>) {
    let mut reader = Reader {
        card,
        trigger: Trigger {
            conditions: Vec::new(),
            probability: None,
            limit: Limit::Always,
            place: Place::default(),
        },
        limits: Vec::new(),
        problems: Vec::new(),
    };
    for (key, value) in on {
        reader.member(key, value);
    }
    reader.contradictions();
    let mut trigger = reader.trigger;
    let names_turn = trigger
        .conditions
        .iter()
        .any(|condition| matches!(condition, Condition::Turn(_)));
    if names_turn && reader.limits.is_empty() && card.lasts == Lasts::Moment {
        // A turn is tried again after it went wrong: the second attempt is let through.
        trigger.limit = Limit::Times(1);
    }
    (trigger, reader.problems)
}

impl<'a> Reader<'a> {
    fn member(&mut self, key: &'a str, value: &Value) {
        match key {
            "exchange" | "turn" | "call" | "nth" => self.count(key, value),
            "model" | "header" | "path" => self.of_request(key, value),
            "probability" => self.probability(value),
            "times" | "once" | "until" => self.limit(key, value),
            "event" | "item" | "index" | "byte" => self.place(key, value),
            _ => self.problems.push(FaultProblem::new(
                Part::On(key.to_owned()),
                format!("a trigger has no `{key}`"),
                did_you_mean(key, &key_names(), "a trigger may have"),
            )),
        }
    }

    fn expected(&mut self, key: &str, expected: &str, value: &Value) {
        let part = Part::On(key.to_owned());
        self.problems.push(FaultProblem::value(part, expected, value));
    }

    fn whole(&mut self, key: &str, value: &Value, least: u64) -> Option<u64> {
        let number = value.as_u64().filter(|number| *number >= least);
        if number.is_none() {
            self.expected(key, &format!("a whole number from {least}"), value);
        }
        number
    }

    fn count(&mut self, key: &str, value: &Value) {
        let Some(number) = self.whole(key, value, 1) else {
            return;
        };
        self.trigger.conditions.push(match key {
            "exchange" => Condition::Exchange(number),
            "turn" => Condition::Turn(number),
            "call" => Condition::Call(number),
            _ => Condition::Nth(number),
        });
    }

    fn of_request(&mut self, key: &str, value: &Value) {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
            return self.expected(key, "a text", value);
        };
        self.trigger.conditions.push(match key {
            "model" => Condition::Model(text.to_owned()),
            "header" => match text.split_once(':') {
                Some((name, value)) => {
                    Condition::Header(name.trim().to_ascii_lowercase(), Some(value.trim().to_owned()))
                }
                None => Condition::Header(text.trim().to_ascii_lowercase(), None),
            },
            _ => Condition::Path(text.to_owned()),
        });
    }

    fn probability(&mut self, value: &Value) {
        match value.as_f64().filter(|chance| *chance > 0.0 && *chance <= 1.0) {
            Some(chance) => self.trigger.probability = Some(chance),
            None => self.expected("probability", "a number above 0 and up to 1", value),
        }
    }

    fn limit(&mut self, key: &'a str, value: &Value) {
        self.limits.push(key);
        self.trigger.limit = match (key, value) {
            ("times", _) => match self.whole(key, value, 1) {
                Some(number) => Limit::Times(number),
                None => return,
            },
            ("once", Value::Bool(true)) => Limit::Times(1),
            ("once", Value::Bool(false)) => Limit::Always,
            ("until", Value::String(word)) if word == "recovered" => Limit::Recovered,
            ("once", _) => return self.expected(key, "`true` or `false`", value),
            _ => return self.expected(key, "`recovered`", value),
        };
    }

    fn place(&mut self, key: &str, value: &Value) {
        if key == "item" && self.card.places == Places::Whole {
            if let Some(kind) = self.name(key, value, &known::ITEMS) {
                self.trigger.conditions.push(Condition::Carries(kind));
            }
            return;
        }
        if !self.takes(key) {
            return self.impossible(key);
        }
        let place = match key {
            "event" => {
                self.trigger.place.event = self.name(key, value, &known::EVENTS);
                return;
            }
            "item" => {
                self.trigger.place.item = self.name(key, value, &known::ITEMS);
                return;
            }
            "index" => self.whole(key, value, 1).map(|number| (true, number)),
            _ => self.whole(key, value, 0).map(|number| (false, number)),
        };
        match place {
            Some((true, number)) => self.trigger.place.index = Some(number),
            Some((false, number)) => self.trigger.place.byte = Some(number),
            None => {}
        }
    }

    fn takes(&self, key: &str) -> bool {
        match self.card.places {
            Places::Whole => false,
            Places::Items => key == "item",
            Places::OneEvent(_) | Places::EveryEvent => key != "byte",
            Places::EventOrByte(_) => true,
        }
    }

    fn impossible(&mut self, key: &str) {
        let name = self.card.name;
        let (message, help) = match self.card.places {
            Places::Whole if self.card.act.refuse.is_some() => (
                format!("`{name}` answers before any event leaves, so it cannot wait for `{key}`"),
                "take `turn`, `call`, `exchange`, `item` or another condition on the request",
            ),
            Places::Whole => (
                format!("`{name}` concerns the whole answer, so it has no `{key}`"),
                "take `turn`, `call`, `exchange` or another condition on the request",
            ),
            Places::Items => (
                format!("`{name}` concerns whole items, so it has no `{key}`"),
                "name the type of item: `item = \"reasoning\"`",
            ),
            Places::OneEvent(_) | Places::EveryEvent | Places::EventOrByte(_) => (
                format!("`{name}` happens at an event, not at a byte"),
                "name the event: `event`, `item`, `index`",
            ),
        };
        let part = Part::On(key.to_owned());
        self.problems.push(FaultProblem::new(part, message, help));
    }

    fn name(&mut self, key: &str, value: &Value, known: &[&str]) -> Option<String> {
        let Some(name) = value.as_str() else {
            self.expected(key, "a name", value);
            return None;
        };
        if known.contains(&name) {
            return Some(name.to_owned());
        }
        let (what, title) = match key {
            "event" => ("event of a stream", "the events are"),
            _ => ("type of item", "the types are"),
        };
        self.problems.push(FaultProblem::new(
            Part::On(key.to_owned()),
            format!("there is no {what} `{name}`"),
            did_you_mean(name, known, title),
        ));
        None
    }

    fn contradictions(&mut self) {
        if let [first, second, ..] = self.limits.as_slice() {
            self.problems.push(FaultProblem::new(
                Part::On((*second).to_owned()),
                format!("`{second}` and `{first}` both say how often"),
                "keep one of them",
            ));
        }
        let place = &self.trigger.place;
        if place.byte.is_some() && place.names_event() {
            self.problems.push(FaultProblem::new(
                Part::On("byte".to_owned()),
                "a place is an event or a byte, not both",
                "keep `byte`, or keep `event`, `item` and `index`",
            ));
        }
    }
}
