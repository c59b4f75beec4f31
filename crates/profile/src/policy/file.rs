//! The file of a policy.

use std::collections::BTreeMap;

use holdover_wire::Wire;
use serde::Deserialize;

use crate::policy::situation::{Declared, Shape, Situation, Sure, Thinks};
use crate::provider::{Action, Day, Endpoint, Mode, Replay};

/// Policies that are part of the binary: whoever wants another one writes a file.
const BUILTIN: [(&str, &str); 4] = [
    ("replay-all", include_str!("../../data/policies/replay-all.toml")),
    ("drop-all", include_str!("../../data/policies/drop-all.toml")),
    (
        "tool-loop-only",
        include_str!("../../data/policies/tool-loop-only.toml"),
    ),
    ("as-known", include_str!("../../data/policies/as-known.toml")),
];

/// A versioned policy.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its name and version.
    pub policy_id: String,
    /// The capability versions that it was written for: profile -> `as-of` of its entries, or one day for all.
    #[serde(default)]
    pub endpoint_capability_version: Versions,
    /// What is done where no rule fits, and where nobody is sure.
    pub fallback_on_unknown: Action,
    /// Its rules; the first that fits decides.
    #[serde(default)]
    pub rule: Vec<PolicyRule>,
}

/// The capability versions that a policy was written for.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Versions {
    /// None is named.
    #[default]
    None,
    /// One day for all.
    One(Day),
    /// A day for each profile.
    Each(BTreeMap<String, Day>),
}

impl Versions {
    /// The day for a profile.
    pub fn of(&self, profile: &str) -> Option<&Day> {
        match self {
            Self::None => None,
            Self::One(day) => Some(day),
            Self::Each(days) => days.get(profile),
        }
    }
}

/// One rule of a policy.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyRule {
    /// When it holds; everything that is said must.
    #[serde(default)]
    pub conditions: Conditions,
    /// What is done.
    pub action: Action,
    /// Members that go back under `replay_required_fields`; all that hold reasoning where none is named.
    #[serde(default)]
    pub fields: Vec<String>,
}

/// When a rule of a policy holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Conditions {
    /// The provider.
    pub provider: Option<String>,
    /// The profile.
    pub profile: Option<String>,
    /// The wire.
    pub wire: Option<Wire>,
    /// The family of the model.
    pub model_family: Option<String>,
    /// Where in a conversation: with `tools`, the tool state.
    pub mode: Option<Mode>,
    /// Whether the model thinks in this request.
    pub thinking: Option<Thinks>,
    /// Whether the request declares tools.
    pub tools: Option<Declared>,
    /// How the reasoning came that stands there.
    pub shape: Option<Shape>,
    /// What the entries of the endpoint want there.
    pub capability: Option<Replay>,
    /// How sure these entries are.
    pub evidence: Option<Sure>,
}

/// A file that is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PolicyError(String);

/// What a policy does at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<'a> {
    /// The action.
    pub action: Action,
    /// Fields of `replay_required_fields`; all where it is empty.
    pub fields: &'a [String],
    /// Place of the rule that decided, from 0; `None` for the fallback.
    pub rule: Option<usize>,
}

impl Policy {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        toml::from_str(text).map_err(|error| PolicyError(error.to_string()))
    }

    /// The policy of a name that is part of the binary.
    pub fn builtin(name: &str) -> Option<Self> {
        let mut all = BUILTIN.iter();
        let (_, text) = all.find(|(known, _)| *known == name)?;
        Self::parse(text).ok()
    }

    /// The names of those, in the order of the documents.
    pub fn names() -> Vec<&'static str> {
        BUILTIN.iter().map(|(name, _)| *name).collect()
    }

    /// What it does at a place of an endpoint.
    pub fn decide(&self, endpoint: &Endpoint, situation: Situation) -> Decision<'_> {
        let fits = self
            .rule
            .iter()
            .position(|rule| rule.conditions.hold(endpoint, situation));
        match fits {
            Some(place) => Decision {
                action: self.rule[place].action,
                fields: &self.rule[place].fields,
                rule: Some(place),
            },
            None => Decision {
                action: self.fallback_on_unknown,
                fields: &[],
                rule: None,
            },
        }
    }
}

impl Conditions {
    fn hold(&self, endpoint: &Endpoint, now: Situation) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        is(&self.provider, &endpoint.provider)
            && is(&self.profile, &endpoint.name)
            && is(&self.model_family, &endpoint.model_family)
            && self.wire.is_none_or(|wire| wire == endpoint.wire)
            && self.mode.is_none_or(|wanted| wanted == now.mode)
            && self.thinking.is_none_or(|wanted| wanted == now.thinking)
            && self.tools.is_none_or(|wanted| wanted == now.tools)
            && self.shape.is_none_or(|wanted| wanted == now.shape)
            && self
                .capability
                .is_none_or(|wanted| now.capability == Some(wanted))
            && self.evidence.is_none_or(|wanted| wanted == now.evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Book;

    const FILE: &str = r#"
        policy_id = "safe-3"
        endpoint_capability_version = { deepseek-v4 = "2026-08-25" }
        fallback_on_unknown = "stop_and_probe"
        [[rule]]
        conditions = { provider = "deepseek", mode = "tool_loop" }
        action = "replay_required_fields"
        fields = ["reasoning_content"]
        [[rule]]
        conditions = { wire = "chat-completions", mode = "ordinary" }
        action = "drop_reasoning"
    "#;

    #[test]
    fn the_first_rule_that_fits_decides_and_else_the_fallback() {
        let policy = Policy::parse(FILE).expect("a policy");
        let endpoint = |name| Book::builtin().find(name).expect("an endpoint");
        let decided = |name, mode| {
            let endpoint = endpoint(name);
            policy.decide(endpoint, Situation::usual(endpoint, mode)).action
        };
        assert_eq!(
            decided("deepseek-v4", Mode::ToolLoop),
            Action::ReplayRequiredFields
        );
        assert_eq!(decided("mistral", Mode::Ordinary), Action::DropReasoning);
        assert_eq!(decided("mistral", Mode::ToolLoop), Action::StopAndProbe);
        let version = policy.endpoint_capability_version.of("deepseek-v4");
        assert_eq!(version.map(Day::as_str), Some("2026-08-25"));
        assert_eq!(policy.endpoint_capability_version.of("mistral"), None);
    }

    #[test]
    fn the_names_of_the_binary_are_policies_of_that_id() {
        for name in Policy::names() {
            assert_eq!(Policy::builtin(name).expect("a policy").policy_id, name);
        }
        assert_eq!(Policy::builtin("drop-everything"), None);
    }

    #[test]
    fn every_condition_of_r1_can_be_asked() {
        let endpoint = Book::builtin().find("deepseek-v4").expect("an endpoint");
        let usual = Situation::usual(endpoint, Mode::ToolLoop);
        for (condition, other) in [
            (
                "thinking = 'on'",
                Situation {
                    thinking: Thinks::Off,
                    ..usual
                },
            ),
            (
                "tools = 'declared'",
                Situation {
                    tools: Declared::Absent,
                    ..usual
                },
            ),
            (
                "shape = 'plain'",
                Situation {
                    shape: Shape::Signed,
                    ..usual
                },
            ),
            (
                "evidence = 'sure'",
                Situation {
                    evidence: Sure::Unsure,
                    ..usual
                },
            ),
            (
                "capability = 'required'",
                Situation {
                    capability: Some(Replay::Ignored),
                    ..usual
                },
            ),
        ] {
            let text = format!(
                "policy_id = 'p'\nfallback_on_unknown = 'stop_and_probe'\n[[rule]]\nconditions = {{ {condition} }}\naction = 'replay_exact'"
            );
            let policy = Policy::parse(&text).expect("a policy");
            let now = Situation {
                capability: Some(Replay::Required),
                ..usual
            };
            assert_eq!(policy.decide(endpoint, now).rule, Some(0), "{condition}");
            assert_eq!(policy.decide(endpoint, other).rule, None, "{condition}");
        }
    }

    #[test]
    fn what_is_unknown_in_a_file_is_said() {
        let error =
            Policy::parse("policy_id = 'x'\nfallback_on_unknown = 'guess'").expect_err("no such action");
        assert!(error.to_string().contains("`stop_and_probe`"), "{error}");
        assert!(Policy::parse("policy_id = 'x'").is_err());
    }
}
