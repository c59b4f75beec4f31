//! The rules of an endpoint over one history: what breaks them, and what the model is shown of past reasoning.

use holdover_wire::Object;
use holdover_wire::neutral::{AssistantTurn, Carrier, History, Message, Part, PartKind, Place};
use serde_json::Value;

use crate::provider::condition::Mind;
use crate::provider::endpoint::Endpoint;
use crate::provider::rule::{BreachKind, Replay, Rule};

/// What became of a signature, or of plain text that should be what was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// It is as it was issued.
    Right,
    /// It bears no signature, and the text tells nothing.
    Unsigned,
    /// It is not what was issued, or is bound to something else.
    Altered,
}

/// A part as its issuer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// What became of it.
    pub sealed: Sealed,
    /// Which answer it came with, where that can be told.
    pub origin: Option<u64>,
}

impl Seal {
    /// Nothing can be told.
    pub const UNSIGNED: Self = Self {
        sealed: Sealed::Unsigned,
        origin: None,
    };
}

/// One place at which a rule is broken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Place of the message in the list of the wire, from 0; `None` where the request itself breaks the rule.
    pub message: Option<usize>,
    /// Place of the block in the message, from 0.
    pub part: usize,
    /// Name of the first tool that the message calls.
    pub call: String,
    /// The reasoning that stands there.
    pub text: String,
}

/// A rule that is broken, with all places.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Places, in order; one at least.
    pub spots: Vec<Spot>,
}

/// Reasoning that came back.
#[derive(Clone, Debug, PartialEq)]
pub struct Carried<'a> {
    /// It.
    pub part: &'a Part,
    /// The rule that decides whether the model is shown it; `None` where no entry is about it.
    pub rule: Option<&'a Rule>,
    /// Whether it is as it was issued.
    pub sealed: Sealed,
    /// Whether the endpoint reads this carrier at all.
    pub read: Read,
}

/// Whether the endpoint reads a carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// It does.
    Yes,
    /// It takes it for an unknown member.
    No,
}

impl Carried<'_> {
    /// Whether the model is shown it, as far as that is known.
    pub fn is_shown(&self) -> bool {
        let wanted = self.rule.is_none_or(|rule| match rule.replay {
            Replay::Required | Replay::Optional | Replay::Unknown => SHOWN,
            Replay::Ignored | Replay::Forbidden => !SHOWN,
        });
        wanted && self.read == Read::Yes && self.sealed != Sealed::Altered
    }
}

const SHOWN: bool = true;

/// What the rules say of one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<'a> {
    /// What is broken, in the order of the rules.
    pub breaches: Vec<Breach<'a>>,
    /// Reasoning that came back, in order.
    pub carried: Vec<Carried<'a>>,
}

/// Goes through one request. `seal` says whether a part is as it was issued.
pub fn check<'a>(
    endpoint: &'a Endpoint,
    history: &'a History,
    body: &Object,
    seal: &dyn Fn(&Message, &Part) -> Seal,
) -> Outcome<'a> {
    let mind = endpoint.mind(body);
    let assistant = history.assistant();
    let rules = endpoint.rule.iter();
    let in_force: Vec<&Rule> = rules
        .filter(|rule| rule.when.holds(body, history, mind) && applies(rule, mind))
        .collect();
    let breaches = in_force.iter().filter_map(|rule| {
        let spots = spots(endpoint, rule, &assistant, seal);
        (!spots.is_empty()).then_some(Breach { rule, spots })
    });
    let carried = assistant.iter().flat_map(|(message, turn, place)| {
        let parts = turn
            .parts
            .iter()
            .filter(|part| carrier_of(endpoint, part).is_some());
        parts.map(|part| carried(endpoint, &in_force, *place, part, seal(message, part).sealed))
    });
    Outcome {
        breaches: breaches.collect(),
        carried: carried.collect(),
    }
}

/// Nothing can be missing where the model does not think.
fn applies(rule: &Rule, mind: Mind) -> bool {
    match (rule.breach, mind) {
        (BreachKind::Missing, Mind::Rests) => !SHOWN,
        _ => SHOWN,
    }
}

type Placed<'a> = (&'a Message, &'a AssistantTurn, Place);

fn spots(
    endpoint: &Endpoint,
    rule: &Rule,
    assistant: &[Placed<'_>],
    seal: &dyn Fn(&Message, &Part) -> Seal,
) -> Vec<Spot> {
    if rule.breach == BreachKind::Request {
        return vec![Spot::default()];
    }
    let in_scope = assistant
        .iter()
        .filter(|(_, _, place)| rule.scope().holds(*place));
    let broken = in_scope.filter_map(|(message, turn, _)| {
        let part = broken(endpoint, rule, message, turn, seal)?;
        let call = turn.calls().next();
        let text = turn.parts.get(part).map(|part| part.text.clone());
        Some(Spot {
            message: Some(message.at),
            part,
            call: call.map_or_else(String::new, |call| call.name.clone()),
            text: text.unwrap_or_default(),
        })
    });
    broken.collect()
}

/// The block at which a message breaks a rule.
fn broken(
    endpoint: &Endpoint,
    rule: &Rule,
    message: &Message,
    turn: &AssistantTurn,
    seal: &dyn Fn(&Message, &Part) -> Seal,
) -> Option<usize> {
    let meant = |part: &Part| match (carrier_of(endpoint, part), rule.carrier) {
        (Some(found), Some(carrier)) => found == carrier,
        (Some(found), None) => endpoint.speech.reads.contains(&found),
        (None, _) => !SHOWN,
    };
    let find = |breaks: &mut dyn FnMut(&Part) -> bool| turn.parts.iter().position(breaks);
    match rule.breach {
        BreachKind::None | BreachKind::Request => None,
        BreachKind::Missing => {
            let is_there = if rule.carrier == Some(Carrier::ToolSignature) {
                let first = turn.parts.iter().find(|part| part.call().is_some());
                first.is_none_or(|part| part.signature.is_some())
            } else {
                turn.parts.iter().any(meant)
            };
            (!is_there).then_some(0)
        }
        BreachKind::Present => find(&mut |part| meant(part)),
        BreachKind::Altered => find(&mut |part| meant(part) && seal(message, part).sealed == Sealed::Altered),
        BreachKind::Merged => {
            let mut first = None;
            find(&mut |part| {
                let origin = seal(message, part).origin.filter(|_| meant(part));
                let other = first.is_some() && origin.is_some() && origin != first;
                first = first.or(origin);
                other
            })
        }
        BreachKind::Value => find(&mut |part| meant(part) && part.text == rule.value),
        BreachKind::Part => {
            find(&mut |part| part.raw.get("type").and_then(Value::as_str) == Some(rule.value.as_str()))
        }
        BreachKind::Shape => {
            let is_list = turn.member("reasoning_details").is_none_or(Value::is_null);
            let mut odd = |part: &Part| {
                part.carrier() == Some(Carrier::ReasoningDetails) && part.raw.get("type").is_none()
            };
            if is_list { find(&mut odd) } else { Some(0) }
        }
    }
}

fn carried<'a>(
    endpoint: &Endpoint,
    rules: &[&'a Rule],
    place: Place,
    part: &'a Part,
    sealed: Sealed,
) -> Carried<'a> {
    let carrier = carrier_of(endpoint, part);
    let speaks_of = |rule: &&&Rule| {
        let about = rule.carrier.is_none() || rule.carrier == carrier;
        let positional = matches!(
            rule.breach,
            BreachKind::None | BreachKind::Missing | BreachKind::Present
        );
        let exact = rule.breach == BreachKind::Value && part.text == rule.value;
        about && (positional || exact) && rule.scope().holds(place)
    };
    let read = carrier.is_some_and(|carrier| endpoint.speech.reads.contains(&carrier));
    Carried {
        part,
        rule: rules.iter().find(speaks_of).copied(),
        sealed,
        read: if read { Read::Yes } else { Read::No },
    }
}

/// The carrier of a part: a call bears a signature where the endpoint puts it there.
fn carrier_of(endpoint: &Endpoint, part: &Part) -> Option<Carrier> {
    match (&part.kind, part.carrier()) {
        (PartKind::Call(_), _) => {
            let signed = part.signature.is_some() && endpoint.speech.reads.contains(&Carrier::ToolSignature);
            signed.then_some(Carrier::ToolSignature)
        }
        (_, carrier) => carrier,
    }
}
