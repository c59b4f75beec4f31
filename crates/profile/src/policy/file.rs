//! The file of a policy.

use std::collections::BTreeMap;

use holdover_wire::Wire;
use serde::Deserialize;

use crate::provider::{Action, Day, Endpoint, Mode};

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
    /// Where in a conversation.
    pub mode: Option<Mode>,
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

    /// What it does at a place of an endpoint.
    pub fn decide(&self, endpoint: &Endpoint, mode: Mode) -> Decision<'_> {
        let fits = self
            .rule
            .iter()
            .position(|rule| rule.conditions.hold(endpoint, mode));
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
    fn hold(&self, endpoint: &Endpoint, mode: Mode) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        is(&self.provider, &endpoint.provider)
            && is(&self.profile, &endpoint.name)
            && is(&self.model_family, &endpoint.model_family)
            && self.wire.is_none_or(|wire| wire == endpoint.wire)
            && self.mode.is_none_or(|wanted| wanted == mode)
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
        let decided = |name, mode| policy.decide(endpoint(name), mode).action;
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
    fn what_is_unknown_in_a_file_is_said() {
        let error =
            Policy::parse("policy_id = 'x'\nfallback_on_unknown = 'guess'").expect_err("no such action");
        assert!(error.to_string().contains("`stop_and_probe`"), "{error}");
        assert!(Policy::parse("policy_id = 'x'").is_err());
    }
}
