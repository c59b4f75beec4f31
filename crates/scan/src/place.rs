//! What was found.

/// One place in a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// The rule of the judge that the code risks.
    pub rule: &'static str,
    /// What the code does, one fragment.
    pub message: &'static str,
    /// What to write instead, one fragment.
    pub help: &'static str,
    /// The line as it stands, without the spaces around it.
    pub text: String,
}
