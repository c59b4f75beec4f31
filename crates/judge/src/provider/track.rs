//! The books of a session about the wires of other providers.

use std::sync::Arc;

use holdover_profile::Profile;
use holdover_profile::provider::{AccountScope, Book as Endpoints, Endpoint};
use holdover_wire::neutral::{AssistantTurn, History, answered};
use holdover_wire::recording::{Exchange, ResponseRecord};
use holdover_wire::{Object, Wire};
use serde_json::Value;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::ledger::{Pieces, Secret};
use crate::provider::elsewhere::Issuer;
use crate::provider::issued::{Book, Issued, IssuedIx, reasoning};
use crate::provider::sent::Sent;
use crate::rules::PROVIDER_CHECKS;
use crate::verdict::Inconclusive;
use crate::world::World;

/// What is counted, for the coverage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) conversations: u32,
    pub(crate) turns: u32,
    pub(crate) issued: u32,
    pub(crate) carried: u32,
    pub(crate) judged: u32,
}

/// What one exchange showed.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) inconclusive: Option<Inconclusive>,
}

/// The books of a session.
#[derive(Debug, Default)]
pub(crate) struct Track {
    /// What it issued that may stand in no log: signatures, and reasoning in plain text.
    pub(crate) pieces: Pieces<IssuedIx>,
    book: Book,
    /// The endpoint of models that nobody here knows, as whoever serves this session serves it.
    anybodys: Option<Arc<Endpoint>>,
    conversations: u32,
    turns: u32,
}

impl Track {
    /// Takes the next exchange of a wire.
    pub(crate) fn observe(
        &mut self,
        wire: Wire,
        exchange: &Exchange,
        number: u64,
        world: &mut World,
    ) -> Shown {
        let Some(body) = exchange.request.body.as_object() else {
            return Shown::default();
        };
        let path = exchange.request.path_only();
        let read = History::read(wire, path, body);
        let (Some(history), Some(endpoint)) = (read, endpoint(wire, path, body, &world.profile)) else {
            return Shown::default();
        };
        let endpoint = self.served(endpoint, world.profile.responses_provider());
        self.turns += 1;
        let response = exchange.response.as_ref();
        let status = response.map_or(0, |response| response.status);
        let sent = Sent::new(&endpoint, &history, body, &self.book, world, status);
        let moved_from = sent.moved_from().map(str::to_owned);
        let drafts: Vec<Draft> = PROVIDER_CHECKS.iter().flat_map(|check| check(&sent)).collect();
        let inconclusive = unexplained(&sent, exchange, &drafts, number);
        let carried: Vec<(IssuedIx, Fate)> = sent
            .brought
            .iter()
            .filter_map(|brought| {
                Some((
                    brought.issued()?,
                    fate(reasoning(brought.turn).any(|part| sent.reads(part))),
                ))
            })
            .collect();
        // What is continued by its id is with the server, with its reasoning.
        let named = body.get("previous_interaction_id").and_then(Value::as_str);
        let named = named.and_then(|id| self.book.named(id));
        let carried = carried
            .into_iter()
            .chain(named.map(|place| (place, Fate::Carried)));
        let carried: Vec<(IssuedIx, Fate)> = carried.collect();
        let parent = sent.parent().or_else(|| Some(self.book.get(named?)));
        let conversation = parent.map(|parent| parent.conversation);
        let request = shared(sent.lines.clone(), parent);
        let head = sent.heads.last().copied().unwrap_or_default();
        if let Some(from) = moved_from {
            world.elsewhere.note(number, &from, &endpoint.provider);
        }
        for (place, fate) in carried {
            let issued = self.book.get_mut(place);
            issued.judged = true;
            issued.carried |= fate == Fate::Carried;
        }
        let conversation = conversation.unwrap_or_else(|| {
            self.conversations += 1;
            self.conversations
        });
        if let Some(turn) = response.and_then(|response| answered(wire, response)) {
            self.guard(&endpoint, &turn);
            let issuer = Issuer {
                exchange: number,
                provider: endpoint.provider.clone(),
            };
            world.elsewhere.learn(&turn, &issuer);
            self.book.add(Issued {
                exchange: number,
                id: id_of(wire, response),
                endpoint: Arc::clone(&endpoint),
                conversation,
                turn,
                request,
                head,
                input_tokens: input_tokens(exchange),
                judged: false,
                carried: false,
            });
        }
        Shown { drafts, inconclusive }
    }

    /// Chat completions of a model that nobody here knows are of whoever serves the Responses API beside them.
    fn served(&mut self, endpoint: Arc<Endpoint>, provider: &str) -> Arc<Endpoint> {
        if !endpoint.is_anybodys() || endpoint.provider == provider {
            return endpoint;
        }
        let own = || {
            Arc::new(Endpoint {
                provider: provider.to_owned(),
                ..Endpoint::clone(&endpoint)
            })
        };
        Arc::clone(self.anybodys.get_or_insert_with(own))
    }

    /// Takes the reasoning of the answer that comes next for what is to stay out of logs.
    fn guard(&mut self, endpoint: &Endpoint, turn: &AssistantTurn) {
        let place = self.book.all().len();
        let text = match endpoint.account_scope {
            AccountScope::None => Secret::Thought,
            // What comes beside a signature is a summary.
            AccountScope::Account | AccountScope::Backend | AccountScope::Resource => Secret::Summary,
        };
        for part in reasoning(turn) {
            if let Some(signature) = &part.signature {
                self.pieces.add(Secret::Token, place, signature.as_str());
            }
            if part.carrier().is_some() {
                self.pieces.add(text, place, part.text.as_str());
            }
        }
    }

    /// The exchange of an answer.
    pub(crate) fn exchange(&self, answer: IssuedIx) -> u64 {
        self.book.get(answer).exchange
    }

    /// What there was.
    pub(crate) fn counts(&self) -> Counts {
        let with = || {
            self.book
                .all()
                .iter()
                .filter(|issued| issued.reasoning().next().is_some())
        };
        let count = |amount: usize| u32::try_from(amount).unwrap_or(u32::MAX);
        Counts {
            conversations: self.conversations,
            turns: self.turns,
            issued: count(with().count()),
            carried: count(with().filter(|issued| issued.carried).count()),
            judged: count(with().filter(|issued| issued.judged).count()),
        }
    }
}

/// The id by which an answer may be continued, on the wire that has such ids.
fn id_of(wire: Wire, response: Option<&ResponseRecord>) -> Option<String> {
    if wire != Wire::GeminiInteractions {
        return None;
    }
    let response = response?;
    let in_body = response.body.as_ref().and_then(|body| body.get("id"));
    let mut events = response.events.iter().flatten();
    let in_events = || events.find_map(|event| event.object().get("interaction")?.get("id"));
    in_body.or_else(in_events)?.as_str().map(str::to_owned)
}

/// What became of the reasoning of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Carried,
    Gone,
}

fn fate(carried: bool) -> Fate {
    if carried { Fate::Carried } else { Fate::Gone }
}

/// The endpoint that a request means: as the fake chooses it.
fn endpoint(wire: Wire, path: &str, body: &Object, profile: &Profile) -> Option<Arc<Endpoint>> {
    let named = profile.endpoint.as_ref().filter(|endpoint| endpoint.wire == wire);
    let model = History::model(wire, path, body);
    let chosen = || Endpoints::builtin().choose(wire, path, model, body, profile.day.as_ref());
    named.or_else(chosen).cloned()
}

/// Messages that are the parent's are shared with it, so that a conversation keeps each once.
fn shared(mut lines: Vec<Arc<str>>, parent: Option<&Issued>) -> Vec<Arc<str>> {
    let before = parent.map(|parent| parent.request.as_slice()).unwrap_or_default();
    for (line, same) in lines.iter_mut().zip(before) {
        if line == same {
            *line = Arc::clone(same);
        }
    }
    lines
}

fn input_tokens(exchange: &Exchange) -> Option<u64> {
    let response = exchange.response.as_ref()?;
    let billed = |usage: &'_ Value| {
        let names = [
            "prompt_tokens",
            "input_tokens",
            "inputTokens",
            "total_input_tokens",
        ];
        names.iter().find_map(|name| usage.get(*name)).cloned()
    };
    let in_body = response.body.as_ref().and_then(|body| billed(body.get("usage")?));
    let in_events = || {
        let mut events = response.events.as_ref()?.iter().rev();
        events.find_map(|event| {
            let event = event.object();
            let mut inside = ["metadata", "interaction"].iter();
            let mut inside = || inside.find_map(|name| event.get(*name)?.get("usage"));
            billed(event.get("usage").or_else(&mut inside)?)
        })
    };
    in_body.or_else(in_events)?.as_u64()
}

/// A refusal of the history that no finding explains.
fn unexplained(sent: &Sent<'_>, exchange: &Exchange, drafts: &[Draft], number: u64) -> Option<Inconclusive> {
    let explained = drafts.iter().any(|draft| draft.severity > Severity::Note);
    if !matches!(sent.status, 400 | 422) || explained || sent.brought.is_empty() {
        return None;
    }
    let body = exchange.response.as_ref()?.body.as_ref()?;
    let words: String = body.to_string().chars().take(WORDS_MAX).collect();
    Some(Inconclusive {
        what: format!("why `{}` refused the request", sent.endpoint.name),
        missing: format!("a finding that explains it; it said {words}"),
        exchange: Some(number),
    })
}

/// Characters of a refusal that are repeated.
const WORDS_MAX: usize = 300;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Judge, JudgeConfig};

    /// An exchange of Interactions: what is asked, and the id and steps of the answer.
    fn exchange(request: &Value, id: &str, steps: &Value) -> Exchange {
        let body =
            json!({"id": id, "status": "completed", "steps": steps, "usage": {"total_input_tokens": 9}});
        let line = json!({"request": {"method": "POST", "path": "/v1beta/interactions", "body": request},
            "response": {"status": 200, "body": body}});
        serde_json::from_value(line).expect("an exchange")
    }

    #[test]
    fn what_is_continued_by_its_id_is_one_conversation_whose_reasoning_was_carried() {
        let thought = |signature: &str| {
            json!([{"type": "thought", "signature": signature},
                {"type": "model_output", "content": [{"type": "text", "text": "Done."}]}])
        };
        let mut judge = Judge::new(JudgeConfig::default()).expect("a judge");
        let mut observe = |request: Value, id: &str, number: u64| {
            let exchange = exchange(&request, id, &thought(id));
            let wire = Wire::GeminiInteractions;
            judge.foreign.observe(wire, &exchange, number, &mut judge.world)
        };
        let first = json!({"model": "gemini-3-pro", "input": "Hi"});
        let named =
            |id: &str| json!({"model": "gemini-3-pro", "input": "And?", "previous_interaction_id": id});
        for (request, id, number) in [
            (first, "v1_a", 1),
            (named("v1_a"), "v1_b", 2),
            (named("v1_x"), "v1_c", 3),
        ] {
            let shown = observe(request, id, number);
            assert!(
                shown.drafts.is_empty() && shown.inconclusive.is_none(),
                "{number}"
            );
        }
        let counts = judge.foreign.counts();
        assert_eq!((counts.conversations, counts.turns), (2, 3));
        assert_eq!((counts.issued, counts.carried, counts.judged), (3, 1, 1));
    }
}
