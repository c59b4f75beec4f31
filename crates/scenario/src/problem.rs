//! Everything that can be wrong with a scenario file, as plain data.

mod code;
mod position;
mod render;

use std::ops::Range;

use serde::Serialize;

pub use code::Code;
pub use position::{Position, position};
pub(crate) use position::{ceiling, floor};
pub use render::{json, short};

/// Bytes of the file: start inclusive, end exclusive, both on character boundaries.
pub type Span = Range<usize>;

/// A value, and where the file says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Bytes of the file that hold it.
    pub span: Span,
}

impl<T> Located<T> {
    /// Puts a value and its place together.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// The same place with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Located<U> {
        Located {
            value: change(self.value),
            span: self.span,
        }
    }
}

/// A place in the file with a few words beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// Bytes of the file.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// One thing that is wrong with one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What kind of problem it is; stable.
    pub code: Code,
    /// The file as the caller named it.
    pub file: String,
    /// One sentence: lowercase, no full stop.
    pub message: String,
    /// Where it is.
    pub at: Label,
    /// The other half of a contradiction.
    pub other: Option<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A problem with its place and no hint yet.
    pub fn new(code: Code, file: &str, span: Span, message: impl Into<String>) -> Self {
        let at = Label {
            span,
            text: String::new(),
        };
        Self {
            code,
            file: file.to_owned(),
            message: message.into(),
            at,
            other: None,
            help: None,
        }
    }

    /// With words at its place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.at.text = text.into();
        self
    }

    /// With the other half of a contradiction.
    #[must_use]
    pub fn other(mut self, span: Span, text: impl Into<String>) -> Self {
        self.other = Some(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// With a hint.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
