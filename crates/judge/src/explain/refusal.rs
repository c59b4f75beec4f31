//! Refusals by their wording.

/// What is known of one refusal (`tests/facts/errors.md`).
#[derive(Debug, PartialEq, Eq)]
pub struct RefusalPage {
    /// Entry of the facts: `E01`.
    pub code: &'static str,
    /// One line.
    pub title: &'static str,
    /// What usually causes it.
    pub cause: &'static str,
    /// What helps, and whether a retry does.
    pub recovery: &'static str,
    /// Rules of the judge that find the cause.
    pub rules: &'static [&'static str],
}

/// All refusals, in the order of the facts.
pub fn refusals() -> &'static [RefusalPage] {
    &[]
}

/// The refusal whose wording stands in this text; ids and values in it do not matter.
pub fn refusal(_text: &str) -> Option<&'static RefusalPage> {
    None
}
