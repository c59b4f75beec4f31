//! The rules of an endpoint over one history: what breaks them, and what the model is shown of past reasoning.

use holdover_wire::Object;
use holdover_wire::neutral::{AssistantTurn, Carrier, History, Message, Part, PartKind, Place};
use serde_json::Value;

use crate::provider::condition::Mind;
use crate::provider::endpoint::Endpoint;
use crate::provider::rule::{BreachKind, Replay, Rule, TransformationKind};

/// What became of a signature, or of plain text that should be what was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// It is as it was issued.
    Right,
    /// It bears no signature, and the text tells nothing.
    Unsigned,
    /// Its signature is right, and its text is not what was issued.
    Edited,
    /// It is not what was issued, or is bound to something else.
    Altered,
}

/// How reasoning that is right does not fit where it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Misfit {
    /// It fits.
    #[default]
    None,
    /// Another account made it.
    Account,
    /// The model that is asked may not read it.
    Model,
    /// What stands before it is not what stood there.
    Prefix,
    /// Reasoning before it is gone, or is there again.
    Gap,
}

/// A part as its issuer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// What became of it.
    pub sealed: Sealed,
    /// Which answer it came with, where that can be told.
    pub origin: Option<u64>,
    /// Its place among the reasoning of that answer.
    pub order: u16,
    /// How it does not fit where it stands.
    pub misfit: Misfit,
}

impl Seal {
    /// Nothing can be told.
    pub const UNSIGNED: Self = Self {
        sealed: Sealed::Unsigned,
        origin: None,
        order: 0,
        misfit: Misfit::None,
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
    /// Type of the block that stands there.
    pub found: String,
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
    /// Place of its message in the list of the wire.
    pub message: usize,
    /// Place of it in the message.
    pub at: usize,
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
            Replay::Required | Replay::Optional | Replay::Unknown => true,
            Replay::Ignored | Replay::Forbidden => false,
        });
        let right = match self.sealed {
            Sealed::Right | Sealed::Unsigned => true,
            Sealed::Edited => self.rule.is_some_and(|rule| rule.breach == BreachKind::Edited),
            Sealed::Altered => false,
        };
        let dropped = self.transformation() == Some(TransformationKind::ThinkingDropped);
        wanted && right && self.read == Read::Yes && !dropped
    }

    fn transformation(&self) -> Option<TransformationKind> {
        Some(self.rule?.transformation.as_ref()?.kind)
    }
}

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
    let in_force = &in_force;
    let carried = assistant.iter().flat_map(|(message, turn, place)| {
        let parts = turn.parts.iter().enumerate();
        let parts = parts.filter(|(_, part)| carrier_of(endpoint, part).is_some());
        let placed = (message.at, *place);
        parts.map(move |(at, part)| carried(endpoint, in_force, placed, (at, part), seal(message, part)))
    });
    Outcome {
        breaches: breaches.collect(),
        carried: carried.collect(),
    }
}

/// Nothing can be missing where the model does not think.
fn applies(rule: &Rule, mind: Mind) -> bool {
    rule.breach != BreachKind::Missing || mind != Mind::Rests
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
    // Of the calls of one step only the first is signed.
    let wants_first = rule.breach == BreachKind::Missing && rule.carrier.is_some_and(on_calls);
    let going_on = if wants_first {
        going_on(assistant)
    } else {
        Vec::new()
    };
    let is_excused = |at: usize| going_on.get(at) == Some(&GOES_ON);
    let in_scope = assistant
        .iter()
        .enumerate()
        .filter(|(at, (_, _, place))| rule.scope().holds(*place) && !is_excused(*at));
    let broken = in_scope.filter_map(|(_, (message, turn, _))| {
        let part = broken(endpoint, rule, message, turn, seal)?;
        let call = turn.calls().next();
        let there = turn.parts.get(part);
        let text = there.map(named);
        Some(Spot {
            found: there.map_or("text", kind).to_owned(),
            message: Some(message.at),
            part,
            call: call.map_or_else(String::new, |call| call.name.clone()),
            text: text.unwrap_or_default(),
        })
    });
    broken.collect()
}

/// The type of a block, as the provider's own wire calls it.
fn kind(part: &Part) -> &str {
    let named = part.raw.get("type").and_then(Value::as_str);
    named.unwrap_or(match part.kind {
        PartKind::Call(_) => "tool_use",
        PartKind::Reasoning(_) => "thinking",
        PartKind::Text | PartKind::Other => "text",
    })
}

/// What a refusal repeats of a part: its text, or the ends of its signature.
fn named(part: &Part) -> String {
    match &part.signature {
        Some(signature) if part.text.is_empty() => ends_of(signature),
        _ => part.text.clone(),
    }
}

/// The ends of a token, by which refusals name it.
pub fn ends_of(token: &str) -> String {
    let head: String = token.chars().take(4).collect();
    let length = token.chars().count();
    let tail: String = token.chars().skip(length.saturating_sub(4)).collect();
    format!("{head}...{tail}")
}

const GOES_ON: bool = true;

/// For each message, whether it goes on with the calls of the one before it: a step may be sent as several messages in a
/// row, one for each chunk of a stream (`tests/facts/providers.md` section 3.1).
fn going_on(assistant: &[Placed<'_>]) -> Vec<bool> {
    let mut is_in_step = !GOES_ON;
    let each = assistant.iter().map(|(_, turn, place)| {
        let goes_on = place.after_assistant && is_in_step;
        is_in_step = goes_on || turn.calls().next().is_some();
        goes_on
    });
    each.collect()
}

/// The block at which a message breaks a rule.
fn broken(
    endpoint: &Endpoint,
    rule: &Rule,
    message: &Message,
    turn: &AssistantTurn,
    seal: &dyn Fn(&Message, &Part) -> Seal,
) -> Option<usize> {
    let meant = |part: &Part| match carrier_of(endpoint, part) {
        Some(found) if rule.carrier.is_none() => {
            is_about(rule, found) && endpoint.speech.reads.contains(&found)
        }
        Some(found) => is_about(rule, found),
        None => !MEANT,
    };
    let find = |breaks: &mut dyn FnMut(&Part) -> bool| turn.parts.iter().position(breaks);
    let seals = |part: &Part| meant(part).then(|| seal(message, part));
    match rule.breach {
        BreachKind::None | BreachKind::Request | BreachKind::Elsewhere | BreachKind::Stored => None,
        BreachKind::Missing => {
            let is_there = if rule.carrier.is_some_and(on_calls) {
                let first = turn.parts.iter().find(|part| part.call().is_some());
                first.is_none_or(|part| part.signature.is_some())
            } else {
                turn.parts.iter().any(meant)
            };
            (!is_there).then_some(0)
        }
        BreachKind::Head => (!turn.parts.first().is_some_and(meant)).then_some(0),
        BreachKind::Tail => {
            let last = turn.parts.len().checked_sub(1)?;
            meant(&turn.parts[last]).then_some(last)
        }
        BreachKind::Alone => (!turn.parts.is_empty() && turn.parts.iter().all(meant)).then_some(0),
        BreachKind::Merged => {
            let mut first = None;
            find(&mut |part| {
                let origin = seals(part).and_then(|seal| seal.origin);
                let other = first.is_some() && origin.is_some() && origin != first;
                first = first.or(origin);
                other
            })
        }
        BreachKind::Reordered => {
            let mut next = 0;
            find(&mut |part| {
                let order = seals(part).filter(|seal| seal.origin.is_some());
                let Some(order) = order.map(|seal| seal.order) else {
                    return false;
                };
                let early = order < next;
                next = order;
                early
            })
        }
        BreachKind::Shape => {
            let is_list = turn.member("reasoning_details").is_none_or(Value::is_null);
            let mut odd = |part: &Part| {
                part.carrier() == Some(Carrier::ReasoningDetails) && part.raw.get("type").is_none()
            };
            if is_list { find(&mut odd) } else { Some(0) }
        }
        BreachKind::Present => find(&mut |part| meant(part)),
        BreachKind::Part => {
            find(&mut |part| part.raw.get("type").and_then(Value::as_str) == Some(rule.value.as_str()))
        }
        BreachKind::Text => {
            find(&mut |part| part.kind == PartKind::Text && part.text.contains(rule.value.as_str()))
        }
        BreachKind::Altered
        | BreachKind::Forged
        | BreachKind::Edited
        | BreachKind::Prefix
        | BreachKind::Gap
        | BreachKind::Account
        | BreachKind::Model
        | BreachKind::Value
        | BreachKind::Has
        | BreachKind::Lacks
        | BreachKind::Null => find(&mut |part| seals(part).is_some_and(|seal| is_broken(rule, part, seal))),
    }
}

/// Whether a part for itself breaks a rule.
fn is_broken(rule: &Rule, part: &Part, seal: Seal) -> bool {
    let member = || {
        if rule.value.starts_with('/') {
            part.raw.pointer(&rule.value)
        } else {
            part.raw.get(rule.value.as_str())
        }
    };
    match rule.breach {
        BreachKind::Altered => matches!(seal.sealed, Sealed::Altered | Sealed::Edited),
        BreachKind::Forged => seal.sealed == Sealed::Altered,
        BreachKind::Edited => seal.sealed == Sealed::Edited,
        BreachKind::Prefix => seal.misfit == Misfit::Prefix,
        BreachKind::Gap => seal.misfit == Misfit::Gap,
        BreachKind::Account => seal.misfit == Misfit::Account,
        BreachKind::Model => seal.misfit == Misfit::Model,
        BreachKind::Value => part.text == rule.value,
        BreachKind::Has => member().is_some_and(|value| !value.is_null()),
        BreachKind::Lacks => member().is_none(),
        BreachKind::Null => member().is_some_and(Value::is_null),
        BreachKind::None
        | BreachKind::Missing
        | BreachKind::Present
        | BreachKind::Merged
        | BreachKind::Reordered
        | BreachKind::Request
        | BreachKind::Elsewhere
        | BreachKind::Stored
        | BreachKind::Part
        | BreachKind::Shape
        | BreachKind::Head
        | BreachKind::Tail
        | BreachKind::Alone
        | BreachKind::Text => false,
    }
}

fn carried<'a>(
    endpoint: &Endpoint,
    rules: &[&'a Rule],
    (message, place): (usize, Place),
    (at, part): (usize, &'a Part),
    seal: Seal,
) -> Carried<'a> {
    let carrier = carrier_of(endpoint, part);
    let speaks_of = |rule: &&&Rule| {
        let about = carrier.is_none_or(|carrier| is_about(rule, carrier));
        let positional = matches!(
            rule.breach,
            BreachKind::None | BreachKind::Missing | BreachKind::Present
        );
        about && (positional || is_broken(rule, part, seal)) && rule.scope().holds(place)
    };
    let read = carrier.is_some_and(|carrier| endpoint.speech.reads.contains(&carrier));
    Carried {
        part,
        rule: rules.iter().find(speaks_of).copied(),
        sealed: seal.sealed,
        message,
        at,
        read: if read { Read::Yes } else { Read::No },
    }
}

/// Whether a rule is about a carrier. A summary is no thinking: only what names it is about it.
fn is_about(rule: &Rule, carrier: Carrier) -> bool {
    match rule.carrier {
        Some(named) => named == carrier,
        None => carrier != Carrier::CompactionBlock,
    }
}

const MEANT: bool = true;

/// Whether it is the first call that has to bear it.
fn on_calls(carrier: Carrier) -> bool {
    matches!(carrier, Carrier::ToolSignature | Carrier::ThoughtSignature)
}

/// The carrier of a part: a call bears a signature where the endpoint puts it there, and on some wires any part may.
fn carrier_of(endpoint: &Endpoint, part: &Part) -> Option<Carrier> {
    let signs_parts = endpoint.speech.reads.contains(&Carrier::ThoughtSignature);
    match (&part.kind, part.carrier()) {
        (_, None) if signs_parts => part.signature.is_some().then_some(Carrier::ThoughtSignature),
        (PartKind::Call(_), _) => {
            let signed = part.signature.is_some() && endpoint.speech.reads.contains(&Carrier::ToolSignature);
            signed.then_some(Carrier::ToolSignature)
        }
        (_, carrier) => carrier,
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::Wire;
    use serde_json::{Value, json};

    use super::*;
    use crate::provider::Book;

    /// Section 3.1 of `tests/facts/providers.md`: the chunks of a step are one step, however many they are. Only its first
    /// call has to be signed, and here it is not.
    #[test]
    fn a_step_of_very_many_chunks_is_one_step() {
        let call = json!({"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]});
        let mut contents = vec![json!({"role": "user", "parts": [{"text": "look"}]}), call.clone()];
        contents.extend((0..60_000).map(|_| json!({"role": "model", "parts": [{"text": "a"}]})));
        contents.push(call);
        let body: Object = [("contents".to_owned(), Value::Array(contents))]
            .into_iter()
            .collect();
        let path = "/v1beta/models/gemini-3-pro:generateContent";
        let history = History::read(Wire::GeminiGenerate, path, &body).expect("a history");
        let endpoint = Book::builtin().find("gemini-3").expect("an endpoint");
        let outcome = check(endpoint, &history, &body, &|_, _| Seal::UNSIGNED);
        let places: Vec<Option<usize>> = outcome.breaches[0]
            .spots
            .iter()
            .map(|spot| spot.message)
            .collect();
        assert_eq!(places, [Some(1)]);
    }
}
