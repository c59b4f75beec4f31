//! Everything that reaches a terminal: the only module of the only crate that prints.

mod diagnostic;
mod progress;

use std::io::{IsTerminal as _, Write as _};

use holdover_report::Style;

pub(crate) use diagnostic::graphical;
pub(crate) use progress::Progress;

use crate::args::ColorArg;
use crate::exit::UserError;

/// Where a text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Error,
}

/// The terminal of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    pub(crate) out: Style,
    pub(crate) error: Style,
    /// Whether a person watches standard error: progress is shown only then.
    pub(crate) watched: bool,
}

impl Terminal {
    /// Colours as `--color`, `NO_COLOR`, `CI` and the two streams say.
    pub(crate) fn new(color: ColorArg) -> Self {
        let wanted =
            color == ColorArg::Auto && !set("NO_COLOR") && std::env::var("TERM").as_deref() != Ok("dumb");
        let of = |is_terminal: bool| {
            if wanted && is_terminal {
                Style::Ansi
            } else {
                Style::Plain
            }
        };
        let watched = std::io::stderr().is_terminal() && !set("CI");
        Self {
            out: of(std::io::stdout().is_terminal()),
            error: of(std::io::stderr().is_terminal()),
            watched,
        }
    }

    /// Writes a text with its line feed; a reader that went away is no error of ours.
    #[expect(clippy::unused_self, reason = "only who holds the terminal may speak")]
    pub(crate) fn say(self, stream: Stream, text: &str) {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let _ = match stream {
            Stream::Out => write!(std::io::stdout().lock(), "{text}{newline}"),
            Stream::Error => write!(std::io::stderr().lock(), "{text}{newline}"),
        };
    }

    /// Writes a mistake of the user's with what to do.
    pub(crate) fn user_error(self, error: &UserError) {
        self.say(
            Stream::Error,
            &format!("{} {}", self.red("error:"), visible(&error.message)),
        );
        if let Some(help) = &error.help {
            self.say(Stream::Error, &format!("  help: {help}"));
        }
    }

    /// Writes a failure of our own with how to report it.
    pub(crate) fn internal_error(self, error: &anyhow::Error) {
        self.say(
            Stream::Error,
            &format!("{} holdover itself failed: {error:#}", self.red("error:")),
        );
        self.say(
            Stream::Error,
            "  help: this is a bug; report it with the command line and the lines above",
        );
    }

    fn red(self, word: &str) -> String {
        match self.error {
            Style::Plain => word.to_owned(),
            Style::Ansi => {
                let style = anstyle::AnsiColor::Red.on_default().bold();
                format!("{style}{word}{style:#}")
            }
        }
    }
}

/// A text with its control characters written out: what a user pasted must not move the cursor.
fn visible(text: &str) -> String {
    let shown = |c: char| {
        if c.is_control() && c != '\n' {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    text.chars().map(shown).collect()
}

fn set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}
