//! Why a fault cannot be planted. Whoever read the text knows where it stands; here is what is wrong with which part.

use std::fmt;

/// The part of a fault that a problem is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its name.
    Name,
    /// The option of this name.
    Option(String),
    /// The member of its trigger of this name.
    On(String),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => f.write_str("the name"),
            Self::Option(key) => write!(f, "`{key}`"),
            Self::On(key) => write!(f, "`on.{key}`"),
        }
    }
}

/// One thing that is wrong with one fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FaultProblem {
    /// What it is about.
    pub part: Part,
    /// One sentence: lowercase, no full stop.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl FaultProblem {
    pub(crate) fn new(part: Part, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            part,
            message: message.into(),
            help: help.into(),
        }
    }

    /// What is wrong and what to do about it, on one line.
    pub fn text(&self) -> String {
        format!("{} ({})", self.message, self.help)
    }

    /// A value that its key does not take.
    pub(crate) fn value(part: Part, expected: &str, got: &serde_json::Value) -> Self {
        let message = format!("{part} takes {expected}, not {got}");
        Self::new(part, message, format!("write {expected}"))
    }
}

/// The nearest of `known` if it is near enough to be meant: a third of the word, at least one change.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let distances = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), *name));
    let near = distances.filter(|(distance, _)| *distance <= limit);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// The nearest of `known`, else all of them.
pub(crate) fn did_you_mean(word: &str, known: &[&str], title: &str) -> String {
    match nearest(word, known) {
        Some(name) => format!("did you mean `{name}`?"),
        None if known.is_empty() => format!("{title}: none"),
        None => format!("{title}: `{}`", known.join("`, `")),
    }
}
