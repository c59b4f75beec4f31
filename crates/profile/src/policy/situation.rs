//! Where a message stands when a policy decides about it: what R1 of `docs/mission.md` names.

use holdover_wire::Object;
use holdover_wire::neutral::{AssistantTurn, History, Place};
use serde::{Deserialize, Serialize};

use crate::provider::condition::Mind;
use crate::provider::{AccountScope, BreachKind, Endpoint, Mode, Replay, Rule};

/// Whether the model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinks {
    /// It does.
    On,
    /// It was told not to.
    Off,
}

/// Whether tools are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Declared {
    /// They are.
    Declared,
    /// They are not.
    Absent,
}

/// How the reasoning of a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// With a signature, or as what only its issuer can read.
    Signed,
    /// As text.
    Plain,
    /// Not at all.
    None,
}

/// How sure the entries of an endpoint are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sure {
    /// Reports agree.
    Sure,
    /// An entry about this place is disputed, inferred or second-hand.
    Unsure,
}

/// Where a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Where in a conversation.
    pub mode: Mode,
    /// Whether the model thinks.
    pub thinking: Thinks,
    /// Whether tools are declared.
    pub tools: Declared,
    /// How the reasoning came.
    pub shape: Shape,
    /// What the entries want; `None` where none is about this place.
    pub capability: Option<Replay>,
    /// How sure they are.
    pub evidence: Sure,
}

impl Situation {
    /// Of a message in a request that is about to be sent.
    pub fn of(
        endpoint: &Endpoint,
        history: &History,
        body: &Object,
        turn: &AssistantTurn,
        place: Place,
    ) -> Self {
        let mind = endpoint.mind(body);
        let rules = endpoint.rule.iter();
        let here: Vec<&Rule> = rules
            .filter(|rule| is_about_replay(rule) && rule.scope().holds(place))
            .filter(|rule| rule.when.holds(body, history, mind))
            .collect();
        Self {
            mode: super::apply::mode_of(place),
            thinking: match mind {
                Mind::Thinks => Thinks::On,
                Mind::Rests => Thinks::Off,
            },
            tools: if history.tools.is_empty() && !body.contains_key("tools") {
                Declared::Absent
            } else {
                Declared::Declared
            },
            shape: shape(turn),
            ..Self::wanted(&here, super::apply::mode_of(place))
        }
    }

    /// Of a place without traffic: the model thinks, tools are declared where they are used, and reasoning comes as the
    /// endpoint writes it.
    pub fn usual(endpoint: &Endpoint, mode: Mode) -> Self {
        let rules = endpoint.rule.iter();
        let here: Vec<&Rule> = rules
            .filter(|rule| is_about_replay(rule) && rule.mode == mode)
            .collect();
        Self {
            tools: match mode {
                Mode::Ordinary => Declared::Absent,
                Mode::ToolLoop | Mode::NewUserTurn => Declared::Declared,
            },
            shape: match (endpoint.speech.writes, endpoint.account_scope) {
                (None, _) => Shape::None,
                (Some(_), AccountScope::None) => Shape::Plain,
                (Some(_), AccountScope::Account | AccountScope::Backend | AccountScope::Resource) => {
                    Shape::Signed
                }
            },
            ..Self::wanted(&here, mode)
        }
    }

    /// The same, as one entry has it.
    #[must_use]
    pub fn by(self, entry: &Rule) -> Self {
        Self::wanted(&[entry], self.mode).with_rest_of(self)
    }

    fn with_rest_of(self, other: Self) -> Self {
        Self {
            capability: self.capability,
            evidence: self.evidence,
            ..other
        }
    }

    /// What is required goes before what is forbidden, and that before the rest; one unsure entry is enough.
    fn wanted(here: &[&Rule], mode: Mode) -> Self {
        let wants = |replay: Replay| here.iter().any(|rule| rule.replay == replay);
        let strict = [Replay::Required, Replay::Forbidden]
            .into_iter()
            .find(|replay| wants(*replay));
        let is_unsure = here.iter().any(|rule| rule.is_probe());
        Self {
            mode,
            thinking: Thinks::On,
            tools: Declared::Absent,
            shape: Shape::None,
            capability: strict.or_else(|| here.first().map(|rule| rule.replay)),
            evidence: if is_unsure { Sure::Unsure } else { Sure::Sure },
        }
    }
}

/// Whether an entry says whether reasoning goes back, and not what shape it must have.
fn is_about_replay(rule: &Rule) -> bool {
    matches!(
        rule.breach,
        BreachKind::None | BreachKind::Missing | BreachKind::Head | BreachKind::Present
    )
}

fn shape(turn: &AssistantTurn) -> Shape {
    let signed = turn.parts.iter().any(|part| part.signature.is_some());
    let plain = turn.parts.iter().any(|part| part.carrier().is_some());
    match (signed, plain) {
        (true, _) => Shape::Signed,
        (false, true) => Shape::Plain,
        (false, false) => Shape::None,
    }
}
