//! One request, matched and held against its endpoint: what the rules look at.

use std::sync::Arc;

use holdover_profile::provider::engine::Seal;
use holdover_profile::provider::{Breach, BreachKind, Endpoint, Replay, Rule, check};
use holdover_wire::neutral::{AssistantTurn, Carrier, History, Message, Part};
use holdover_wire::{Object, Wire};
use serde_json::Value;

use crate::finding::Severity;
use crate::hash::Hash;
use crate::provider::issued::{Book, Found, Issued, IssuedIx, Sure, heads, is_telling, reasoning};
use crate::world::World;

/// A message of the assistant that a request brought back.
pub(crate) struct Brought<'a> {
    /// It.
    pub(crate) message: &'a Message,
    /// Its parts.
    pub(crate) turn: &'a AssistantTurn,
    /// The member of the request that lists it.
    list: &'static str,
    /// The answer that it was.
    pub(crate) found: Option<Found>,
}

impl Brought<'_> {
    /// The answer that it was, as far as that can be told.
    pub(crate) fn issued(&self) -> Option<IssuedIx> {
        self.found.map(|found| found.place)
    }

    /// JSON pointer of the message in the request.
    pub(crate) fn pointer(&self) -> String {
        format!("/{}/{}", self.list, self.message.at)
    }
}

/// One request.
pub(crate) struct Sent<'a> {
    /// What its endpoint wants.
    pub(crate) endpoint: &'a Endpoint,
    /// What answers issued before it.
    pub(crate) book: &'a Book,
    /// What the judge knows besides: what the Responses API issued before it, and who serves that.
    pub(crate) world: &'a World,
    /// Messages of the assistant, in order.
    pub(crate) brought: Vec<Brought<'a>>,
    /// What breaks the rules of the endpoint.
    pub(crate) breaches: Vec<Breach<'a>>,
    /// Its messages, as compact JSON.
    pub(crate) lines: Vec<Arc<str>>,
    /// Hash of each head of them, shortest first.
    pub(crate) heads: Vec<Hash>,
    /// Status of its answer.
    pub(crate) status: u16,
}

impl<'a> Sent<'a> {
    pub(crate) fn new(
        endpoint: &'a Endpoint,
        history: &'a History,
        body: &'a Object,
        book: &'a Book,
        world: &'a World,
        status: u16,
    ) -> Self {
        // Whether a signature is right is told by comparing it with what was issued, not by opening it.
        let outcome = check(endpoint, history, body, &|_, _| Seal::UNSIGNED);
        let lines = lines(body);
        let heads = heads(&lines);
        let brought = history.assistant().into_iter();
        let brought: Vec<Brought<'a>> = brought
            .map(|(message, turn, _)| Brought {
                message,
                turn,
                list: list(endpoint),
                found: book.find(turn, &heads, message.at, &endpoint.provider),
            })
            .collect();
        Self {
            endpoint,
            book,
            world,
            brought,
            breaches: outcome.breaches,
            lines,
            heads,
            status,
        }
    }

    /// JSON pointer of a message in the request.
    pub(crate) fn pointer(&self, at: usize) -> String {
        format!("/{}/{at}", list(self.endpoint))
    }

    /// The provider whose history the request brings, where that is another one than is asked.
    pub(crate) fn moved_from(&self) -> Option<&'a str> {
        let ledger = &self.world.ledger;
        let others = self.book.has_others_than(&self.endpoint.provider) || !ledger.groups().is_empty();
        if self.world.elsewhere.handover.is_some() || !others {
            return None;
        }
        let mut brought = self.brought.iter();
        brought.find_map(|brought| self.stranger(brought.turn))
    }

    /// The provider that issued a call, a thought or a telling text of a message, where the one that is asked issued
    /// nothing like it: of two that issued the same, either may be meant.
    fn stranger(&self, turn: &AssistantTurn) -> Option<&'a str> {
        let ledger = &self.world.ledger;
        let by_call = turn.calls().map(|call| {
            let own = ledger.knows_call(&call.id, &call.name);
            self.other(self.book.callers(call).chain(self.book.makers(call)), own)
        });
        let by_reasoning = reasoning(turn).map(|part| {
            let token = part.signature.as_deref();
            let own = token.is_some_and(|token| ledger.by_token(token).is_some());
            self.other(self.book.issuers(part), own)
        });
        let text = turn.text();
        let by_text = is_telling(&text).then(|| {
            let own = !ledger.by_text(&text).is_empty();
            self.other(self.book.speakers(&text), own)
        });
        by_call.chain(by_reasoning).chain(by_text).flatten().next()
    }

    /// The newest of these issuers, the Responses API among them where it `answered` so, if none is the one that is
    /// asked.
    fn other(&self, issuers: impl Iterator<Item = &'a Issued>, answered: bool) -> Option<&'a str> {
        let responses = answered.then(|| self.world.responses_provider());
        let issuers = issuers.map(|issued| issued.endpoint.provider.as_str());
        let providers: Vec<&'a str> = responses.into_iter().chain(issuers).collect();
        let is_own = providers.contains(&self.endpoint.provider.as_str());
        providers.last().copied().filter(|_| !is_own)
    }

    /// The latest answer that the request continues.
    pub(crate) fn parent(&self) -> Option<&'a Issued> {
        let latest = self.brought.iter().rev().find_map(Brought::issued)?;
        Some(self.book.get(latest))
    }

    /// The same, where no other answer may be meant.
    pub(crate) fn sure_parent(&self) -> Option<&'a Issued> {
        let latest = self.brought.iter().rev().find_map(|brought| brought.found)?;
        (latest.sure == Sure::Yes).then(|| self.book.get(latest.place))
    }

    /// Messages whose answer is known, with it.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&Brought<'a>, &'a Issued)> {
        let known = self.brought.iter();
        known.filter_map(|brought| Some((brought, self.book.get(brought.issued()?))))
    }

    /// The breach of this kind at a message.
    pub(crate) fn breach_at(&self, kind: BreachKind, message: &Message) -> Option<&'a Rule> {
        let breaches = self.breaches.iter().filter(|breach| breach.rule.breach == kind);
        let mut at = breaches.filter(|breach| {
            let mut spots = breach.spots.iter();
            spots.any(|spot| spot.message == Some(message.at))
        });
        at.next().map(|breach| breach.rule)
    }

    /// The carriers that this endpoint reads.
    pub(crate) fn reads(&self, part: &Part) -> bool {
        let read = |carrier| self.endpoint.speech.reads.contains(&carrier);
        part.carrier().map_or_else(
            || part.signature.is_some() && (read(Carrier::ToolSignature) || read(Carrier::ThoughtSignature)),
            read,
        )
    }
}

/// How bad a breach of an entry is: nothing that is unsure makes an error (law 3).
pub(crate) fn severity_of(rule: &Rule) -> Severity {
    match rule.replay {
        _ if rule.is_probe() => Severity::Note,
        Replay::Required | Replay::Forbidden => Severity::Error,
        Replay::Optional | Replay::Ignored | Replay::Unknown => Severity::Note,
    }
}

/// The member of a request that lists its messages.
fn list(endpoint: &Endpoint) -> &'static str {
    match endpoint.wire {
        Wire::GeminiGenerate => "contents",
        Wire::GeminiInteractions => "input",
        _ => "messages",
    }
}

/// What stands before the messages, then each of them.
fn lines(body: &Object) -> Vec<Arc<str>> {
    let head: Vec<&Value> = [
        "system",
        "systemInstruction",
        "system_instruction",
        "tools",
        "toolConfig",
    ]
    .iter()
    .filter_map(|name| body.get(*name))
    .collect();
    let mut lists = ["messages", "contents", "input"].iter();
    let messages = lists.find_map(|name| body.get(*name));
    let messages = messages.and_then(Value::as_array);
    let head = std::iter::once(serde_json::to_string(&head).unwrap_or_default());
    let messages = messages.into_iter().flatten();
    head.chain(messages.map(ToString::to_string))
        .map(Arc::from)
        .collect()
}
