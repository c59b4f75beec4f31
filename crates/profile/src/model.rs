//! Models by the names that clients send (`data/models.toml`).

use std::sync::LazyLock;

use serde::Deserialize;

/// What past reasoning a model is shown (`tests/facts/state.md`, "What happens to reasoning between turns").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Context {
    /// Reasoning since the last user message.
    CurrentTurn,
    /// All reasoning that can be reached.
    AllTurns,
}

impl Context {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CurrentTurn => "current_turn",
            Self::AllTurns => "all_turns",
        }
    }
}

/// Which keys a response of the model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Keys of Aug 2026: `reasoning.context` and `mode`, `tool_usage`, `content: []` on reasoning items.
    Newest,
    /// Without those.
    Older,
}

/// How cached tokens are counted (`tests/facts/state.md`, Prompt caching).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheRule {
    /// In steps of 128 tokens, up to gpt-5.5.
    #[default]
    Steps,
    /// Exactly, with the tokens that were written, from gpt-5.6.
    Exact,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Model {
    /// Name that clients send.
    pub name: String,
    /// Name that the response carries.
    pub snapshot: String,
    /// Whether it reasons, and so takes reasoning items.
    pub reasoning: bool,
    /// Effort that is echoed when the request names none.
    #[serde(default)]
    pub default_effort: Option<String>,
    /// Efforts it takes.
    pub efforts: Vec<String>,
    /// `top_p` that is echoed when the request names none.
    pub top_p: f64,
    /// Whether its messages carry `phase`.
    pub phase: bool,
    /// Effective `reasoning.context` when the request names none.
    pub context: Context,
    /// `prompt_cache_retention` that is echoed when the request names none.
    #[serde(default)]
    pub prompt_cache_retention: Option<String>,
    /// Models of one family read one another's tokens.
    pub family: String,
    /// Which keys its responses have.
    pub shape: Shape,
    /// How its cached tokens are counted.
    #[serde(default)]
    pub cache: CacheRule,
    /// Tokens of its context window.
    #[serde(default = "default_window")]
    pub context_window: u64,
}

/// The window of the gpt-5 family.
fn default_window() -> u64 {
    400_000
}

/// What a user says of a model that the data does not know: `--model NAME=reasoning|plain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// It reasons, in the shape of the newest models.
    Reasoning,
    /// It does not reason.
    Plain,
}

impl ModelKind {
    /// The kind of this word.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "reasoning" => Some(Self::Reasoning),
            "plain" => Some(Self::Plain),
            _ => None,
        }
    }
}

/// All models that a server knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Models(Vec<Model>);

#[derive(Deserialize)]
struct File {
    model: Vec<Model>,
}

static BUILTIN: LazyLock<Models> = LazyLock::new(|| {
    #[expect(
        clippy::expect_used,
        reason = "the data file is compiled in, and a test reads it"
    )]
    let file: File =
        toml::from_str(include_str!("../data/models.toml")).expect("a model file that is part of the binary");
    Models(file.model)
});

impl Models {
    /// The models of the data file.
    pub fn builtin() -> Self {
        BUILTIN.clone()
    }

    /// The model of this name, or whose snapshot this is.
    pub fn find(&self, name: &str) -> Option<&Model> {
        let by_name = self.0.iter().find(|model| model.name == name);
        by_name.or_else(|| self.0.iter().find(|model| model.snapshot == name))
    }

    /// Names in the order of the data file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|model| model.name.as_str())
    }

    /// All models in the order of the data file.
    pub fn all(&self) -> &[Model] {
        &self.0
    }

    /// Adds a model that the data does not know, or changes one that it does.
    pub fn set(&mut self, name: &str, kind: ModelKind) {
        let pattern = match kind {
            ModelKind::Reasoning => "gpt-5.6",
            ModelKind::Plain => "gpt-4.1",
        };
        let Some(pattern) = self.find(pattern) else { return };
        let model = Model {
            name: name.to_owned(),
            snapshot: name.to_owned(),
            family: name.to_owned(),
            ..pattern.clone()
        };
        self.0.retain(|known| known.name != name);
        self.0.push(model);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_of_endpoints_md_are_in_the_data() {
        let models = Models::builtin();
        let snapshot = |name| models.find(name).map(|model| model.snapshot.as_str());
        assert_eq!(snapshot("gpt-5"), Some("gpt-5-2025-08-07"));
        assert_eq!(snapshot("gpt-5.6"), Some("gpt-5.6-sol"));
        let effort = |name| {
            models
                .find(name)
                .and_then(|model| model.default_effort.as_deref())
        };
        assert_eq!(effort("gpt-5"), Some("medium"));
        assert_eq!(effort("gpt-5.4"), Some("none"));
        assert_eq!(effort("gpt-5-pro"), Some("high"));
        let phase = |name| models.find(name).map(|model| model.phase);
        assert_eq!(phase("gpt-5.3-codex"), Some(true));
        assert_eq!(phase("gpt-5"), Some(false));
        assert_eq!(
            models.find("gpt-5.6").map(|model| model.context),
            Some(Context::AllTurns)
        );
        assert_eq!(
            models.find("gpt-5.5").map(|model| model.context),
            Some(Context::CurrentTurn)
        );
    }

    #[test]
    fn caches_and_windows_are_data() {
        let models = Models::builtin();
        let cache = |name| models.find(name).map(|model| model.cache);
        assert_eq!(cache("gpt-5.6"), Some(CacheRule::Exact));
        assert_eq!(cache("gpt-5.5"), Some(CacheRule::Steps));
        assert_eq!(
            models.find("gpt-4o").map(|model| model.context_window),
            Some(128_000)
        );
    }

    #[test]
    fn the_default_model_of_the_agents_sdk_is_known() {
        assert!(
            Models::builtin()
                .find("gpt-5.6-luna")
                .is_some_and(|model| model.reasoning)
        );
    }

    #[test]
    fn a_user_may_add_and_override() {
        let mut models = Models::builtin();
        models.set("my-model", ModelKind::Reasoning);
        assert!(models.find("my-model").is_some_and(|model| model.reasoning));
        models.set("gpt-5", ModelKind::Plain);
        assert!(models.find("gpt-5").is_some_and(|model| !model.reasoning));
    }
}
