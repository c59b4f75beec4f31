//! What was issued on other wires than the Responses API, for requests of that API that bring it, and where a session
//! moved from one provider to another.

use std::collections::BTreeMap;

use holdover_wire::ItemKind;
use holdover_wire::neutral::AssistantTurn;

use crate::hash::Hash;
use crate::provider::issued::{marks, reasoning, text_hash};
use crate::sent::Sent as Carried;

/// A move of history from one provider to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Handover {
    /// The exchange whose request shows it.
    pub(crate) exchange: u64,
    /// Provider that issued what is brought.
    pub(crate) from: String,
    /// Provider that is asked.
    pub(crate) to: String,
}

/// Who issued something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issuer {
    /// The exchange.
    pub(crate) exchange: u64,
    /// Name of the provider.
    pub(crate) provider: String,
}

/// The provider of the Responses API.
pub(crate) const OPENAI: &str = "openai";

/// What other wires issued so far.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    payloads: BTreeMap<Hash, Issuer>,
    calls: BTreeMap<String, Issuer>,
    texts: BTreeMap<Hash, Issuer>,
    /// The first move that the wires show.
    pub(crate) handover: Option<Handover>,
}

impl Elsewhere {
    /// Takes an answer of another wire.
    pub(crate) fn learn(&mut self, turn: &AssistantTurn, issuer: &Issuer) {
        for part in reasoning(turn) {
            self.payloads
                .extend(marks(part).map(|mark| (mark, issuer.clone())));
        }
        for call in turn.calls().filter(|call| !call.id.is_empty()) {
            self.calls.insert(call.id.clone(), issuer.clone());
        }
        let text = turn.text();
        if !text.trim().is_empty() {
            self.texts.insert(text_hash(&text), issuer.clone());
        }
    }

    /// Who issued a payload that stands in a request of the Responses API.
    pub(crate) fn issuer_of_token(&self, token: &str) -> Option<&Issuer> {
        self.payloads.get(&Hash::of(token.as_bytes()))
    }

    /// Whether some answer of another wire made this call.
    pub(crate) fn knows_call(&self, call_id: &str) -> bool {
        self.calls.contains_key(call_id)
    }

    /// Notes the first move.
    pub(crate) fn note(&mut self, exchange: u64, from: &str, to: &str) {
        if self.handover.is_none() && from != to {
            self.handover = Some(Handover {
                exchange,
                from: from.to_owned(),
                to: to.to_owned(),
            });
        }
    }

    /// The provider whose history a request of the Responses API brings, where it is another one.
    pub(crate) fn moved_from(&self, input: &[Carried<'_>]) -> Option<String> {
        if self.handover.is_some() || (self.calls.is_empty() && self.texts.is_empty()) {
            return None;
        }
        let issuer = input.iter().find_map(|sent| match sent.kind {
            ItemKind::FunctionCall => self.calls.get(sent.view.call_id()?),
            ItemKind::Reasoning => self.issuer_of_token(sent.view.encrypted_content()?),
            ItemKind::Message if sent.view.role() == Some("assistant") && sent.found.is_none() => {
                self.texts.get(&text_hash(&sent.view.text()))
            }
            _ => None,
        });
        issuer.map(|issuer| issuer.provider.clone())
    }
}
