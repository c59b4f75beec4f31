//! Colour or none.

use holdover_judge::Severity;

/// Whether a text may hold ANSI colour codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// No codes.
    #[default]
    Plain,
    /// Codes for bold and the eight basic colours.
    Ansi,
}

impl Style {
    /// A word in the colour of its severity.
    pub(crate) fn severity(self, severity: Severity, word: &str) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Note => "1;36",
        };
        self.paint(code, word)
    }

    /// Something that went well.
    pub(crate) fn good(self, word: &str) -> String {
        self.paint("1;32", word)
    }

    /// Something that did not.
    pub(crate) fn bad(self, word: &str) -> String {
        self.paint("1;31", word)
    }

    /// Something that is open.
    pub(crate) fn open(self, word: &str) -> String {
        self.paint("1;33", word)
    }

    fn paint(self, code: &str, word: &str) -> String {
        match self {
            Self::Plain => word.to_owned(),
            Self::Ansi => format!("\u{1b}[{code}m{word}\u{1b}[0m"),
        }
    }
}
