//! One place where a rule fired, and how bad that is.

use serde::Serialize;

/// How bad a finding is; a profile may change a rule's default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; a recording with notes only is clean.
    Note,
    /// Probably wrong, or wrong on another model or endpoint.
    Warning,
    /// The client lost, altered or leaked something.
    Error,
}

impl Severity {
    /// The word in tables, options and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The severity of its word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Note, Self::Warning, Self::Error]
            .into_iter()
            .find(|severity| severity.as_str() == word)
    }
}

/// Group of a rule, as `docs/architecture.md` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Reasoning and its followers from turn to turn.
    Carry,
    /// Reasoning, ids and keys that get out.
    Leak,
    /// Calls and their outputs.
    Tools,
    /// State modes, anchors, what a request must repeat.
    State,
    /// The audit record, alone and against the wire.
    Audit,
    /// The shape of a replayed item.
    Shape,
    /// Ends of streams, refusals and retries.
    Transport,
    /// The wires of other providers.
    Provider,
}

impl Class {
    /// The word in tables and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Carry => "carry",
            Self::Leak => "leak",
            Self::Tools => "tools",
            Self::State => "state",
            Self::Audit => "audit",
            Self::Shape => "shape",
            Self::Transport => "transport",
            Self::Provider => "provider",
        }
    }
}

/// One place where a rule fired (`docs/architecture.md`, law 7).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Name of the rule.
    pub rule: &'static str,
    /// How bad it is here.
    pub severity: Severity,
    /// The rule's group.
    pub class: Class,
    /// Exchange whose request shows it; none for exports and audit records.
    pub exchange: Option<u64>,
    /// Conversation it belongs to, from 1.
    pub lineage: Option<u32>,
    /// Id of the item it is about.
    pub item: Option<String>,
    /// JSON pointer into the request's body.
    pub pointer: Option<String>,
    /// What happened and why it matters.
    pub message: String,
    /// The fix, for the client seen where it is known.
    pub help: String,
    /// Names of the rules that fired on the same loss and rank behind this one.
    pub also: Vec<String>,
    /// What was sent, in few words; never a whole token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// What was expected, in few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// `file:line` of an export.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Why it fails nothing although its rule is worse than a note: the baseline, or a suppression with its reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_outranks_a_warning_and_a_note() {
        assert!(Severity::Error > Severity::Warning);
        assert!(Severity::Warning > Severity::Note);
    }

    #[test]
    fn words_round_trip() {
        assert_eq!(Severity::parse("warning"), Some(Severity::Warning));
        assert_eq!(Severity::parse("fatal"), None);
    }
}
