//! What answers issued, and how a message of a request finds its answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdover_profile::provider::Endpoint;
use holdover_wire::neutral::{AssistantTurn, Part};

use crate::hash::Hash;

/// Place of an answer among those of its session.
pub(crate) type IssuedIx = usize;

/// One answer.
#[derive(Debug)]
pub(crate) struct Issued {
    /// Its exchange.
    pub(crate) exchange: u64,
    /// The id by which a request may continue it.
    pub(crate) id: Option<String>,
    /// Who answered.
    pub(crate) endpoint: Arc<Endpoint>,
    /// Its conversation, from 1.
    pub(crate) conversation: u32,
    /// What it said.
    pub(crate) turn: AssistantTurn,
    /// The messages of its request, as compact JSON; those that it shares with its parent are the parent's.
    pub(crate) request: Vec<Arc<str>>,
    /// Input tokens that were billed for it, where it says so.
    pub(crate) input_tokens: Option<u64>,
    /// Whether a later request showed what became of its reasoning.
    pub(crate) judged: bool,
    /// Whether a later request brought its reasoning back.
    pub(crate) carried: bool,
}

impl Issued {
    /// Its reasoning.
    pub(crate) fn reasoning(&self) -> impl Iterator<Item = &Part> {
        reasoning(&self.turn)
    }
}

/// The reasoning of a message: parts that hold some, and calls that bear a signature.
pub(crate) fn reasoning(turn: &AssistantTurn) -> impl Iterator<Item = &Part> {
    turn.parts
        .iter()
        .filter(|part| part.carrier().is_some() || part.signature.is_some())
}

/// The answer that a message was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// It.
    pub(crate) place: IssuedIx,
    /// Whether no other answer may be meant.
    pub(crate) sure: Sure,
}

/// Whether no other answer may be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sure {
    /// Its calls, its reasoning, or a text that was said once.
    Yes,
    /// A text that several answers said.
    No,
}

/// How many answers of the same text are told apart: a client that is told `Done.` a thousand times costs no more.
const SAME_TEXT_MAX: usize = 16;

/// All answers of a session.
#[derive(Debug, Default)]
pub(crate) struct Book {
    issued: Vec<Issued>,
    by_id: BTreeMap<String, IssuedIx>,
    by_call: BTreeMap<String, IssuedIx>,
    by_call_content: BTreeMap<Hash, IssuedIx>,
    by_text: BTreeMap<Hash, Vec<IssuedIx>>,
    by_reasoning: BTreeMap<Hash, IssuedIx>,
}

impl Book {
    pub(crate) fn get(&self, place: IssuedIx) -> &Issued {
        &self.issued[place]
    }

    pub(crate) fn get_mut(&mut self, place: IssuedIx) -> &mut Issued {
        &mut self.issued[place]
    }

    pub(crate) fn all(&self) -> &[Issued] {
        &self.issued
    }

    /// Takes an answer.
    pub(crate) fn add(&mut self, issued: Issued) {
        let place = self.issued.len();
        self.by_id.extend(issued.id.clone().map(|id| (id, place)));
        for call in issued.turn.calls() {
            if !call.id.is_empty() {
                self.by_call.insert(call.id.clone(), place);
            }
            let content = call_hash(&call.name, &call.arguments);
            self.by_call_content.insert(content, place);
        }
        let text = issued.turn.text();
        if !text.trim().is_empty() {
            let same = self.by_text.entry(text_hash(&text)).or_default();
            if same.len() == SAME_TEXT_MAX {
                same.remove(0);
            }
            same.push(place);
        }
        for part in issued.reasoning() {
            self.by_reasoning.extend(marks(part).map(|mark| (mark, place)));
        }
        self.issued.push(issued);
    }

    /// The answer that a message was: by its calls, then by its reasoning, then by its text. Several answers may have
    /// said the same: the one whose request stands at the head of this one (`lines`) is meant, else the latest.
    pub(crate) fn find(&self, turn: &AssistantTurn, lines: &[Arc<str>]) -> Option<Found> {
        let by_call = turn.calls().find_map(|call| self.by_call.get(&call.id));
        // Some providers want ids of their own shape, and clients write them anew.
        let by_content = || {
            turn.calls()
                .find_map(|call| self.by_call_content.get(&call_hash(&call.name, &call.arguments)))
        };
        let by_reasoning = || reasoning(turn).find_map(|part| self.issuer(part));
        let sure = by_call.or_else(by_content).copied().or_else(by_reasoning);
        sure.map(|place| Found {
            place,
            sure: Sure::Yes,
        })
        .or_else(|| self.by_text(&turn.text(), lines))
    }

    fn by_text(&self, text: &str, lines: &[Arc<str>]) -> Option<Found> {
        if text.trim().is_empty() {
            return None;
        }
        let places = self.by_text.get(&text_hash(text))?;
        let leads = |place: &&IssuedIx| lines.starts_with(&self.issued[**place].request);
        let leading = places.iter().rev().find(leads);
        let sure = if leading.is_some() || places.len() == 1 {
            Sure::Yes
        } else {
            Sure::No
        };
        let place = *leading.or_else(|| places.last())?;
        Some(Found { place, sure })
    }

    /// The answer of this id.
    pub(crate) fn named(&self, id: &str) -> Option<IssuedIx> {
        self.by_id.get(id).copied()
    }

    /// The answer that issued this very reasoning.
    pub(crate) fn issuer(&self, part: &Part) -> Option<IssuedIx> {
        marks(part).find_map(|mark| self.by_reasoning.get(&mark)).copied()
    }

    /// Whether some answer made a call like this.
    pub(crate) fn knows_call(&self, id: &str, name: &str, arguments: &str) -> bool {
        self.by_call.contains_key(id) || self.by_call_content.contains_key(&call_hash(name, arguments))
    }
}

/// By what reasoning is told: its signature, where there is one, and its text where it is long enough to be nobody
/// else's.
pub(crate) fn marks(part: &Part) -> impl Iterator<Item = Hash> {
    // Compatible servers sign with nothing.
    let signature = part.signature.as_deref().filter(|text| !text.is_empty());
    let signature = signature.map(|text| Hash::of(text.as_bytes()));
    let text = part.text.trim();
    let text = (text.len() >= TEXT_BYTES_MIN).then(|| Hash::of(text.as_bytes()));
    signature.into_iter().chain(text)
}

/// Reasoning of fewer bytes may be said twice.
const TEXT_BYTES_MIN: usize = 24;

pub(crate) fn text_hash(text: &str) -> Hash {
    Hash::of(text.trim().as_bytes())
}

/// Arguments as JSON, so that spaces and the order of members do not matter.
fn call_hash(name: &str, arguments: &str) -> Hash {
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into());
    Hash::of(name.as_bytes()).then(Hash::of(arguments.to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use holdover_profile::provider::Book as Endpoints;
    use holdover_wire::Wire;
    use holdover_wire::neutral::History;
    use serde_json::json;

    use super::*;

    /// An answer of nothing but text.
    fn said(text: &str) -> AssistantTurn {
        let body = json!({"messages": [{"role": "assistant", "content": text}]});
        let body = body.as_object().expect("an object");
        let history = History::read(Wire::ChatCompletions, "/v1/chat/completions", body).expect("a history");
        history.assistant()[0].1.clone()
    }

    #[test]
    fn an_answer_that_is_said_again_and_again_is_told_apart_sixteen_times() {
        let mut book = Book::default();
        for exchange in 1..=40 {
            book.add(Issued {
                exchange,
                id: None,
                endpoint: Arc::clone(&Endpoints::builtin().all()[0]),
                conversation: 1,
                turn: said("Done."),
                request: vec![Arc::from(format!("request {exchange}"))],
                input_tokens: None,
                judged: false,
                carried: false,
            });
        }
        assert_eq!(book.by_text.values().map(Vec::len).collect::<Vec<_>>(), [16]);
        let found = |request: &str| {
            book.find(&said("Done."), &[Arc::from(request)])
                .expect("an answer")
        };
        assert_eq!(book.get(found("request 30").place).exchange, 30);
        assert_eq!(found("request 30").sure, Sure::Yes);
        assert_eq!(book.get(found("request 3").place).exchange, 40);
        assert_eq!(found("request 3").sure, Sure::No);
    }
}
