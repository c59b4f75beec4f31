//! A call, read and held against the rules of its endpoint.

use std::sync::Arc;

use holdover_profile::provider::condition::Mind;
use holdover_profile::provider::engine::Carried;
use holdover_profile::provider::{AccountScope, Book, Endpoint, Misfit, Outcome, Rule, Seal, Sealed, check};
use holdover_profile::{Probe, Profile};
use holdover_seal::Key;
use holdover_wire::neutral::{Carrier, Delivery, History, Message, Part};
use holdover_wire::{Call, Object, Plan, Wire};
use serde_json::Value;

use crate::betas;
use crate::bound::Bound;
use crate::form;
use crate::notes::Notes;
use crate::past::Past;
use crate::refusal;
use crate::said::marked;
use crate::sign::{Signer, Stamp};

/// Who reads: what an answer to a call depends on besides the call.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Endpoints among which path and model choose.
    pub book: &'a Book,
    /// The profile, which may name an endpoint and a day.
    pub profile: &'a Profile,
    /// Who signs.
    pub signer: &'a Signer,
    /// What decides where nobody is sure.
    pub seed: &'a Key,
}

/// What a call asks, and what the model is shown of past reasoning.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The endpoint that answers.
    pub endpoint: Arc<Endpoint>,
    /// The request.
    pub history: History,
    /// Whether the model thinks.
    pub mind: Mind,
    /// Effort that was asked for.
    pub effort: Option<String>,
    /// Whether a stream ends with its usage in a chunk of its own.
    pub usage_apart: bool,
    /// Reasoning that came back as it was issued.
    pub carried: u32,
    /// Reasoning that the model is shown.
    pub shown: u32,
    /// Recall nonce of the latest that it is shown.
    pub recall: Option<u64>,
    /// Texts of the input that are billed.
    pub billed: Vec<String>,
    /// Tokens of reasoning that the model is shown and whose text did not travel.
    pub billed_unseen: u64,
    /// Whether the text of thoughts is asked for, on wires that leave it out else.
    pub shows_thoughts: bool,
    /// What the server keeps of everything before the request.
    pub past: Past,
    /// Whether the answer may be continued by its id.
    pub keeps: Keeps,
    /// How a stream of documents travels.
    pub framing: Framing,
    /// What stands before the answer.
    pub bound: Bound,
    /// What the answer says about the request.
    pub notes: Notes,
    /// Entries about which nobody is sure and that had a say, with what became of them.
    pub probes: Vec<String>,
}

/// How a stream of documents travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// As events: `alt=sse`.
    Events,
    /// As one list.
    List,
}

/// Whether an answer may be continued by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// It may.
    Stored,
    /// `store` is false, or the wire has nothing of the kind.
    Nothing,
}

/// What became of a call.
#[derive(Clone, Debug)]
pub enum Reading {
    /// It asks something.
    Asks(Box<Ask>),
    /// It is refused.
    Refused(Box<Plan>),
    /// No endpoint speaks this wire.
    Unknown,
}

/// What the seed or the switch makes of an entry of which nobody is sure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fortune {
    Refused,
    Taken,
}

impl Desk<'_> {
    /// The endpoint that a call means: the one that the profile names, if it speaks this wire, else by path and model.
    pub fn endpoint(&self, wire: Wire, call: &Call) -> Option<Arc<Endpoint>> {
        let named = self.profile.endpoint.as_ref();
        if let Some(endpoint) = named.filter(|endpoint| endpoint.wire == wire) {
            return Some(Arc::clone(endpoint));
        }
        let empty = Object::new();
        let body = call.body.object().unwrap_or(&empty);
        let model = History::model(wire, &call.path, body);
        let day = self.profile.day.as_ref();
        self.book.choose(wire, &call.path, model, body, day).cloned()
    }

    /// Reads a call of a wire.
    pub fn read(&self, wire: Wire, call: &Call) -> Reading {
        let Some(endpoint) = self.endpoint(wire, call) else {
            return Reading::Unknown;
        };
        let body = call.body.object();
        let history = body.and_then(|body| History::read(wire, &call.path, body));
        let (Some(body), Some(mut history)) = (body, history) else {
            let problem = form::problem(wire, &call.body);
            return Reading::Refused(Box::new(refusal::form(&endpoint, &problem)));
        };
        let past = match self.past(wire, body) {
            Ok(past) => past,
            Err(problem) => return Reading::Refused(Box::new(refusal::form(&endpoint, problem))),
        };
        // What was asked before is billed with the past.
        let own_texts = texts(&history);
        history.follow(&past.asked);
        let betas = betas::of(call, body);
        let body = &*betas::inside(body, &betas);
        let bound = Bound::of(&history, body, self.signer);
        let asked = Asked {
            endpoint: &endpoint,
            model: &history.model,
            bound: &bound,
        };
        let signs = |message: &Message, part: &Part| self.seal(&asked, message, part);
        let outcome = check(&endpoint, &history, body, &signs);
        let mut probes = Vec::new();
        if let Some(plan) = self.refused(&endpoint, &outcome, &mut probes) {
            let listed = wire == Wire::GeminiGenerate
                && history.delivery == Delivery::Stream
                && framing(call) == Framing::List;
            let plan = if listed { refusal::in_list(plan) } else { plan };
            return Reading::Refused(Box::new(plan));
        }
        let mut shown: Vec<&Carried<'_>> = outcome
            .carried
            .iter()
            .filter(|carried| self.shows(&endpoint, carried, &mut probes))
            .collect();
        let tokens = |part: &Part| self.tokens(part);
        let notes = Notes::new(&endpoint, body, &betas, &outcome, (&history, &mut shown), &tokens);
        let told = |carried: &&Carried<'_>| self.recall(&endpoint, carried.part).is_some();
        let carried = outcome.carried.iter().filter(told).count();
        let mut latest = shown.iter().rev();
        let recall = latest.find_map(|carried| self.recall(&endpoint, carried.part));
        let reasoning = shown.iter().map(|carried| carried.part.text.clone());
        let billed = own_texts.into_iter().chain(reasoning).collect();
        let unseen = shown.iter().filter(|carried| carried.part.text.is_empty());
        let billed_unseen: u64 = unseen.map(|carried| self.tokens(carried.part)).sum();
        let shown = shown.iter().filter(|carried| told(carried)).count();
        Reading::Asks(Box::new(Ask {
            mind: endpoint.mind(body),
            effort: effort(body),
            usage_apart: body
                .get("stream_options")
                .and_then(|options| options.get("include_usage"))
                == Some(&Value::Bool(true)),
            carried: count(carried).saturating_add(past.thoughts),
            shown: count(shown).saturating_add(past.thoughts),
            recall: recall.or(past.recall),
            billed,
            billed_unseen: billed_unseen.saturating_add(past.tokens),
            shows_thoughts: shows_thoughts(body),
            keeps: keeps(wire, body),
            past,
            framing: framing(call),
            bound,
            notes,
            probes,
            history,
            endpoint,
        }))
    }

    /// What the server keeps of what a request continues. The words of the refusal are ours: none were recorded.
    fn past(&self, wire: Wire, body: &Object) -> Result<Past, &'static str> {
        let named = body.get("previous_interaction_id");
        let (Wire::GeminiInteractions, Some(Value::String(id))) = (wire, named) else {
            return Ok(Past::default());
        };
        let past = self.signer.past_of(id);
        past.ok_or("`previous_interaction_id` names no stored interaction of this account")
    }

    /// What became of the reasoning in a part.
    fn seal(&self, asked: &Asked<'_>, message: &Message, part: &Part) -> Seal {
        if asked.endpoint.account_scope == AccountScope::None {
            return Seal::UNSIGNED;
        }
        let dummies = &asked.endpoint.speech.dummies;
        let Some(signature) = part.signature.as_ref().filter(|text| !dummies.contains(text)) else {
            return Seal::UNSIGNED;
        };
        let stamp = self.signer.open(signature);
        let Some(stamp) = stamp.filter(|stamp| stamp.bound == self.signer.bound(asked.endpoint)) else {
            return Seal {
                sealed: Sealed::Altered,
                ..Seal::UNSIGNED
            };
        };
        let same_text = part.text.is_empty() || stamp.text == self.signer.hash(part.text.as_bytes());
        Seal {
            sealed: if same_text { Sealed::Right } else { Sealed::Edited },
            origin: Some(stamp.origin),
            order: stamp.order,
            misfit: self.misfit(asked, message, part, &stamp),
        }
    }

    /// How a part does not fit where it stands; the model comes before the prefix.
    fn misfit(&self, asked: &Asked<'_>, message: &Message, part: &Part, stamp: &Stamp) -> Misfit {
        // A summary stands where what it was made of no longer does.
        if part.carrier() == Some(Carrier::CompactionBlock) {
            return Misfit::None;
        }
        if !asked.endpoint.may_read(asked.model, &stamp.model) {
            return Misfit::Model;
        }
        if stamp.prefix != asked.bound.prefix_of(message.at) {
            return Misfit::Prefix;
        }
        match asked.bound.previous(message.at, part, self.signer) {
            Some(previous) if previous != stamp.previous => Misfit::Gap,
            _ => Misfit::None,
        }
    }

    /// The recall nonce of a part: in its signature, or in its text where nothing is signed.
    fn recall(&self, endpoint: &Endpoint, part: &Part) -> Option<u64> {
        match &part.signature {
            Some(signature) if endpoint.account_scope != AccountScope::None => {
                let stamp = self.signer.open(signature)?;
                // A summary of what holds no reasoning has none.
                (stamp.recall != 0).then_some(stamp.recall)
            }
            _ => marked(&part.text),
        }
    }

    /// Tokens of the reasoning of a part, as its signature says.
    fn tokens(&self, part: &Part) -> u64 {
        let stamp = part.signature.as_ref().and_then(|text| self.signer.open(text));
        stamp.map_or(0, |stamp| u64::from(stamp.tokens))
    }

    pub(crate) fn refused(
        &self,
        endpoint: &Endpoint,
        outcome: &Outcome<'_>,
        probes: &mut Vec<String>,
    ) -> Option<Plan> {
        for breach in &outcome.breaches {
            let Some(violation) = breach.rule.violation.as_ref().filter(|how| how.status >= 400) else {
                continue;
            };
            if breach.rule.is_probe() && self.probe(endpoint, breach.rule, probes) == Fortune::Taken {
                continue;
            }
            let mut plan = refusal::breach(endpoint, breach, violation);
            note_probes(probes, &mut plan);
            return Some(plan);
        }
        None
    }

    pub(crate) fn shows(&self, endpoint: &Endpoint, carried: &Carried<'_>, probes: &mut Vec<String>) -> bool {
        let silent = carried
            .rule
            .filter(|rule| rule.is_probe() && rule.violation.is_none());
        let taken = silent.is_none_or(|rule| self.probe(endpoint, rule, probes) == Fortune::Taken);
        taken && carried.is_shown()
    }

    fn probe(&self, endpoint: &Endpoint, rule: &Rule, probes: &mut Vec<String>) -> Fortune {
        let name = format!("{}/{}", endpoint.name, rule.name);
        let taken = match self.profile.switches.probe {
            Probe::Refuse => false,
            Probe::Accept => true,
            Probe::BySeed => self.seed.purpose("probe", "").hash(name.as_bytes())[0] & 1 == 0,
        };
        let fortune = if taken { Fortune::Taken } else { Fortune::Refused };
        let word = match fortune {
            Fortune::Refused => "refused",
            Fortune::Taken => "taken",
        };
        let line = format!("{name}={word}");
        if !probes.contains(&line) {
            probes.push(line);
        }
        fortune
    }
}

/// What a signature is held against.
struct Asked<'a> {
    endpoint: &'a Endpoint,
    model: &'a str,
    bound: &'a Bound,
}

/// Says which entries of which nobody is sure had a say.
pub(crate) fn note_probes(probes: &[String], plan: &mut Plan) {
    if !probes.is_empty() {
        plan.headers
            .push(("x-holdover-probe".to_owned(), probes.join(",")));
    }
}

fn shows_thoughts(body: &Object) -> bool {
    let config = body.get("generationConfig");
    let asked = config.and_then(|config| config.pointer("/thinkingConfig/includeThoughts"));
    let summaries = body
        .get("generation_config")
        .and_then(|config| config.get("thinking_summaries"));
    asked == Some(&Value::Bool(true)) || summaries.and_then(Value::as_str) == Some("auto")
}

fn keeps(wire: Wire, body: &Object) -> Keeps {
    let refused = body.get("store") == Some(&Value::Bool(false));
    match wire {
        Wire::GeminiInteractions if !refused => Keeps::Stored,
        _ => Keeps::Nothing,
    }
}

fn framing(call: &Call) -> Framing {
    match call.query("alt") {
        Some("sse") => Framing::Events,
        _ => Framing::List,
    }
}

fn effort(body: &Object) -> Option<String> {
    let flat = body.get("reasoning_effort");
    let nested = || {
        let apart = || body.get("additionalModelRequestFields")?.get("output_config");
        let nested = body.get("reasoning").or_else(|| body.get("output_config"));
        let level = || body.get("generation_config")?.get("thinking_level");
        nested
            .or_else(apart)
            .and_then(|effort| effort.get("effort"))
            .or_else(level)
    };
    flat.or_else(nested).and_then(Value::as_str).map(str::to_owned)
}

fn count(pieces: usize) -> u32 {
    u32::try_from(pieces).unwrap_or(u32::MAX)
}

/// What is visible in a request, and what its calls say.
fn texts(history: &History) -> Vec<String> {
    let texts = history.messages.iter().map(|message| message.text.clone());
    let turns = history
        .messages
        .iter()
        .filter_map(|message| message.turn.as_ref());
    let calls = turns.flat_map(|turn| {
        turn.calls()
            .map(|call| format!("{} {}", call.name, call.arguments))
    });
    texts.chain(calls).collect()
}
