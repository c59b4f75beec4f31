//! What answers issued, and how a message of a request finds its answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use holdover_profile::provider::Endpoint;
use holdover_wire::neutral::{AssistantTurn, Part, ToolCall};

use crate::hash::Hash;
use crate::words::text_key;

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
    /// Hash of those messages, one after the other.
    pub(crate) head: Hash,
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

/// How many answers of the same text or call are told apart: a client that is told `Done.` a thousand times costs no
/// more.
const SAME_MAX: usize = 16;

/// All answers of a session.
#[derive(Debug, Default)]
pub(crate) struct Book {
    issued: Vec<Issued>,
    by_id: BTreeMap<String, IssuedIx>,
    /// By id and name: ids like `call_1` are given by many.
    by_call: BTreeMap<Hash, Vec<IssuedIx>>,
    by_call_content: BTreeMap<Hash, Vec<IssuedIx>>,
    by_text: BTreeMap<Hash, Vec<IssuedIx>>,
    /// The newest answer of each endpoint.
    by_reasoning: BTreeMap<Hash, Vec<IssuedIx>>,
    providers: BTreeSet<String>,
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
        if !self.providers.contains(&issued.endpoint.provider) {
            self.providers.insert(issued.endpoint.provider.clone());
        }
        self.issued.push(issued);
        let (all, issued) = (&self.issued, &self.issued[place]);
        for call in issued.turn.calls() {
            if !call.id.is_empty() {
                let same = self.by_call.entry(call_key(&call.id, &call.name)).or_default();
                remember(all, same, place);
            }
            let content = call_hash(&call.name, &call.arguments);
            remember(all, self.by_call_content.entry(content).or_default(), place);
        }
        let text = issued.turn.text();
        if !text.trim().is_empty() {
            remember(all, self.by_text.entry(text_key(&text)).or_default(), place);
        }
        for mark in issued.reasoning().flat_map(marks) {
            let same = self.by_reasoning.entry(mark).or_default();
            same.retain(|old| all[*old].endpoint.name != issued.endpoint.name);
            same.push(place);
        }
    }

    /// The answer that a message was: by its calls, then by its reasoning, then by its text. Several answers may have
    /// said the same: the one whose request is all that stands before this message is meant, then one whose request stands
    /// at the head of this one (`heads`), then one of the `provider` that is asked, else the latest. `at` is the place of
    /// the message.
    pub(crate) fn find(
        &self,
        turn: &AssistantTurn,
        heads: &[Hash],
        at: usize,
        provider: &str,
    ) -> Option<Found> {
        let meant = |places| self.meant(places, heads, at, provider);
        let by_call = turn
            .calls()
            .find_map(|call| self.by_call.get(&call_key(&call.id, &call.name)));
        // Some providers want ids of their own shape, and clients write them anew.
        let by_content = || {
            turn.calls()
                .find_map(|call| self.by_call_content.get(&call_hash(&call.name, &call.arguments)))
        };
        if let Some(places) = by_call.or_else(by_content) {
            let (place, leads) = meant(places)?;
            let conversation = |place: &IssuedIx| self.issued[*place].conversation;
            let is_one = places
                .iter()
                .all(|other| conversation(other) == conversation(&place));
            return Some(Found {
                place,
                sure: sure(leads || is_one),
            });
        }
        let by_reasoning = reasoning(turn).flat_map(marks);
        let mut by_reasoning = by_reasoning.filter_map(|mark| self.by_reasoning.get(&mark));
        if let Some(places) = by_reasoning.next() {
            let (place, _) = meant(places)?;
            return Some(Found {
                place,
                sure: Sure::Yes,
            });
        }
        let places = self.by_text(&turn.text());
        let (place, leads) = meant(places)?;
        Some(Found {
            place,
            sure: sure(leads || places.len() == 1),
        })
    }

    /// Which of several answers is meant, and whether its request stands at the head of this one, or no other may be
    /// meant.
    fn meant(
        &self,
        places: &[IssuedIx],
        heads: &[Hash],
        at: usize,
        provider: &str,
    ) -> Option<(IssuedIx, bool)> {
        if let [only] = places {
            return Some((*only, LEADS));
        }
        // The first of the lines is what stands before the messages.
        let ends = |place: &IssuedIx| self.issued[*place].request.len() == at + 1;
        let leads = |place: &IssuedIx| {
            let issued = &self.issued[*place];
            let last = issued.request.len().checked_sub(1);
            last.and_then(|last| heads.get(last)) == Some(&issued.head)
        };
        let is_own = |place: &IssuedIx| self.issued[*place].endpoint.provider == provider;
        let newest = || places.iter().rev().copied().filter(leads);
        let leading = newest()
            .find(|place| is_own(place) && ends(place))
            .or_else(|| newest().find(ends))
            .or_else(|| newest().find(is_own))
            .or_else(|| newest().next());
        let newest = || places.iter().rev().copied();
        let other = || newest().find(is_own).or_else(|| newest().next());
        leading
            .map(|place| (place, LEADS))
            .or_else(|| Some((other()?, !LEADS)))
    }

    /// The answers that said a text, oldest first.
    fn by_text(&self, text: &str) -> &[IssuedIx] {
        if text.trim().is_empty() {
            return &[];
        }
        self.by_text.get(&text_key(text)).map_or(&[], Vec::as_slice)
    }

    /// The answer of this id.
    pub(crate) fn named(&self, id: &str) -> Option<IssuedIx> {
        self.by_id.get(id).copied()
    }

    /// The newest answer that issued this very reasoning.
    pub(crate) fn issuer(&self, part: &Part) -> Option<IssuedIx> {
        let mut places = marks(part).filter_map(|mark| self.by_reasoning.get(&mark));
        places.next()?.last().copied()
    }

    /// The newest answer of each endpoint that issued this very reasoning.
    pub(crate) fn issuers(&self, part: &Part) -> impl Iterator<Item = &Issued> {
        let places = marks(part).filter_map(|mark| self.by_reasoning.get(&mark));
        places.flatten().map(|place| &self.issued[*place])
    }

    /// The answers that made a call of this id and this tool.
    pub(crate) fn callers(&self, call: &ToolCall) -> impl Iterator<Item = &Issued> {
        let places = self.by_call.get(&call_key(&call.id, &call.name));
        places.into_iter().flatten().map(|place| &self.issued[*place])
    }

    /// The answers that made a call of this tool with these arguments, where those tell it: ids are written anew on the
    /// way from one provider to another.
    pub(crate) fn makers(&self, call: &ToolCall) -> impl Iterator<Item = &Issued> {
        let is_told = is_telling(&call.arguments);
        let places = is_told.then(|| self.by_call_content.get(&call_hash(&call.name, &call.arguments)));
        let places = places.flatten().into_iter().flatten();
        places.map(|place| &self.issued[*place])
    }

    /// The answers that said this text.
    pub(crate) fn speakers(&self, text: &str) -> impl Iterator<Item = &Issued> {
        self.by_text(text).iter().map(|place| &self.issued[*place])
    }

    /// Whether a provider other than this one has answered.
    pub(crate) fn has_others_than(&self, provider: &str) -> bool {
        self.providers.iter().any(|other| other != provider)
    }

    /// Whether some answer made a call like this.
    pub(crate) fn knows_call(&self, call: &ToolCall) -> bool {
        self.by_call.contains_key(&call_key(&call.id, &call.name))
            || self
                .by_call_content
                .contains_key(&call_hash(&call.name, &call.arguments))
    }
}

const LEADS: bool = true;

fn sure(told: bool) -> Sure {
    if told { Sure::Yes } else { Sure::No }
}

/// Keeps the newest answers, and of each provider that is among them at least one.
fn remember(all: &[Issued], same: &mut Vec<IssuedIx>, place: IssuedIx) {
    if same.last() == Some(&place) {
        return;
    }
    if same.len() == SAME_MAX {
        let provider = |at: &IssuedIx| &all[*at].endpoint.provider;
        let newer = |at: usize| same[at + 1..].iter().chain([&place]);
        let stale = (0..same.len()).find(|at| newer(*at).any(|new| provider(new) == provider(&same[*at])));
        same.remove(stale.unwrap_or(0));
    }
    same.push(place);
}

/// By what a call is told: its id, and its tool where the id is short enough to be given twice. Tools are named anew on the
/// way from one provider to another.
pub(crate) fn call_key(id: &str, name: &str) -> Hash {
    let name = if is_telling(id) { "" } else { name };
    Hash::of(id.as_bytes()).then(Hash::of(name.as_bytes()))
}

/// The hash of each head of a list of messages, shortest first.
pub(crate) fn heads(lines: &[Arc<str>]) -> Vec<Hash> {
    let mut last = Hash::default();
    let heads = lines.iter().map(|line| {
        last = last.then(Hash::of(line.as_bytes()));
        last
    });
    heads.collect()
}

/// By what reasoning is told: its signature, where there is one, and its text where it is long enough to be nobody
/// else's.
pub(crate) fn marks(part: &Part) -> impl Iterator<Item = Hash> {
    // Compatible servers sign with nothing.
    let signature = part.signature.as_deref().filter(|text| !text.is_empty());
    let signature = signature.map(|text| Hash::of(text.as_bytes()));
    let text = part.text.trim();
    let text = is_telling(text).then(|| Hash::of(text.as_bytes()));
    signature.into_iter().chain(text)
}

/// Whether a text is long enough to be nobody else's.
pub(crate) fn is_telling(text: &str) -> bool {
    text.trim().len() >= TELLING_BYTES_MIN
}

/// What has fewer bytes may be said twice.
const TELLING_BYTES_MIN: usize = 24;

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
    use crate::testkit::chat::{Chat, call, output, thought};

    /// An answer of nothing but text.
    fn said(text: &str) -> AssistantTurn {
        let body = json!({"messages": [{"role": "assistant", "content": text}]});
        let body = body.as_object().expect("an object");
        let history = History::read(Wire::ChatCompletions, "/v1/chat/completions", body).expect("a history");
        history.assistant()[0].1.clone()
    }

    /// An answer like every other to a request like no other.
    fn done(exchange: u64, endpoint: &Arc<Endpoint>) -> Issued {
        let request: Vec<Arc<str>> = vec![Arc::from(format!("request {exchange}"))];
        Issued {
            exchange,
            id: None,
            endpoint: Arc::clone(endpoint),
            conversation: 1,
            turn: said("Done."),
            head: heads(&request)[0],
            request,
            input_tokens: None,
            judged: false,
            carried: false,
        }
    }

    #[test]
    fn an_answer_that_is_said_again_and_again_is_told_apart_sixteen_times() {
        let mut book = Book::default();
        for exchange in 1..=40 {
            book.add(done(exchange, &Endpoints::builtin().all()[0]));
        }
        assert_eq!(book.by_text.values().map(Vec::len).collect::<Vec<_>>(), [16]);
        let found = |request: &str| {
            book.find(&said("Done."), &heads(&[Arc::from(request)]), 0, "nobody")
                .expect("an answer")
        };
        assert_eq!(book.get(found("request 30").place).exchange, 30);
        assert_eq!(found("request 30").sure, Sure::Yes);
        assert_eq!(book.get(found("request 3").place).exchange, 40);
        assert_eq!(found("request 3").sure, Sure::No);
    }

    /// Two providers, each with a `call_1` of its own: what comes back to one is not held against the other's.
    #[test]
    fn a_call_whose_id_two_providers_gave_is_that_of_the_one_that_is_asked() {
        let first = call(&thought("Let me think about this, nonce one."), "call_1");
        let second = call(&thought("Something else entirely, nonce two."), "call_1");
        for there in ["look there", "look"] {
            let mut chat = Chat::of("glm-4.7");
            chat.says("look", &first);
            chat.forget();
            chat.moves("/v1/chat/completions", "deepseek-v4-pro");
            chat.says(there, &second);
            chat.forget();
            chat.moves("/v1/chat/completions", "glm-4.7");
            chat.asks("look");
            chat.keeps(&first);
            chat.keeps(&output("call_1"));
            chat.answers(&thought("Done thinking about it, nonce three."));
            assert_eq!(chat.found(), Vec::<String>::new(), "{there}");
        }
    }

    /// Each poll is the same call, under one id: what tells them apart is where they stand.
    #[test]
    fn calls_of_one_conversation_that_are_alike_are_told_by_what_stands_before_them() {
        let mut chat = Chat::of("deepseek-v4-pro");
        chat.asks("wait for it");
        for round in ["one", "two", "three"] {
            let made = call(
                &thought(&format!("Let me look once more, nonce {round}.")),
                "call_0",
            );
            let made = chat.answers(&made);
            chat.keeps(&made);
            chat.keeps(&output("call_0"));
        }
        chat.answers(&thought("It is there now, nonce four."));
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    #[test]
    fn of_many_that_said_the_same_each_provider_keeps_one() {
        let endpoints = Endpoints::builtin().all();
        let endpoint = |name: &str| {
            let mut named = endpoints.iter().filter(|endpoint| endpoint.name == name);
            Arc::clone(named.next().expect("an endpoint"))
        };
        let mut book = Book::default();
        for exchange in 1..=40 {
            let name = if exchange == 1 { "glm-4.7" } else { "deepseek-v4" };
            book.add(done(exchange, &endpoint(name)));
        }
        let speakers: Vec<u64> = book.speakers("Done.").map(|issued| issued.exchange).collect();
        let newest: Vec<u64> = std::iter::once(1).chain(26..=40).collect();
        assert_eq!(speakers, newest);
    }
}
