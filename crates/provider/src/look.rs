//! What an endpoint of the Responses API of another provider makes of a call, before the API itself looks.
//!
//! Such an endpoint keeps state and tokens as the API does; what it does otherwise stands in its entries.

use std::collections::BTreeMap;

use holdover_profile::provider::engine::Carried;
use holdover_profile::provider::{BreachKind, Endpoint, Seal, check};
use holdover_wire::neutral::{Carrier, History};
use holdover_wire::{Call, Plan, Wire};

use crate::ask::Desk;

/// What becomes of the token of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The model is shown what it holds, whoever it was given to.
    Read,
    /// Nobody looks at it.
    Unread,
}

/// Whether what a request continues keeps its reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stored {
    /// It does.
    #[default]
    Kept,
    /// The model is not shown it.
    Forgotten,
}

/// Whether reasoning travels as text in the content of its item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texts {
    /// It does not: an item has a token.
    #[default]
    Absent,
    /// It does, and the text is read.
    Read,
}

/// What an endpoint makes of a call.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The refusal, where an entry forbids something.
    pub refused: Option<Box<Plan>>,
    /// Tokens about which an entry has a say, by the place of their item in the input.
    pub fates: BTreeMap<usize, Fate>,
    /// Whether what the request continues keeps its reasoning.
    pub stored: Stored,
    /// Whether reasoning travels as text.
    pub texts: Texts,
    /// Entries about which nobody is sure and that had a say, with what became of them.
    pub probes: Vec<String>,
}

impl Desk<'_> {
    /// Looks at a call of the Responses API. `seal` says what became of the token of an item by its place in the input.
    pub fn look(&self, endpoint: &Endpoint, call: &Call, seal: &dyn Fn(usize) -> Seal) -> Look {
        let body = call.body.object();
        let history = body.and_then(|body| History::read(Wire::Responses, &call.path, body));
        let (Some(body), Some(history)) = (body, history) else {
            return Look::default();
        };
        let outcome = check(endpoint, &history, body, &|message, _| seal(message.at));
        let mut probes = Vec::new();
        let refused = self.refused(endpoint, &outcome, &mut probes).map(Box::new);
        let fates = outcome
            .carried
            .iter()
            .filter_map(|carried| Some((carried.message, self.fate(endpoint, carried, &mut probes)?)));
        let fates = fates.collect();
        let mut entries = endpoint.rule.iter();
        let forgets = entries.any(|rule| rule.breach == BreachKind::Stored);
        Look {
            refused,
            fates,
            stored: if forgets { Stored::Forgotten } else { Stored::Kept },
            texts: if endpoint.speech.writes == Some(Carrier::ReasoningText) {
                Texts::Read
            } else {
                Texts::Absent
            },
            probes,
        }
    }

    /// What an entry says of a token; `None` where the API itself decides.
    fn fate(&self, endpoint: &Endpoint, carried: &Carried<'_>, probes: &mut Vec<String>) -> Option<Fate> {
        let rule = carried.rule?;
        if self.shows(endpoint, carried, probes) {
            (rule.breach == BreachKind::Account).then_some(Fate::Read)
        } else {
            Some(Fate::Unread)
        }
    }
}
