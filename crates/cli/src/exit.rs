//! Exit codes: one for each kind of ending (`docs/architecture.md`, Command line).

/// How the process ends. When several hold, the first in the order 1, 2, 3 (port, command, timeout), 4, 6,
/// 3 (no traffic), 5 wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// As expected.
    Expected,
    /// Holdover itself failed.
    Internal,
    /// Bad arguments or a bad file.
    Usage,
    /// It could not be run: port, missing command, no traffic, timeout.
    NotRun,
    /// Findings at or above `--fail-on`, or unmet expectations.
    Findings,
    /// Nothing selected, or nothing judged.
    Nothing,
    /// The client's own command failed, and there is no finding.
    ClientFailed,
}

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Expected => 0,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::NotRun => 3,
            Self::Findings => 4,
            Self::Nothing => 5,
            Self::ClientFailed => 6,
        }
    }
}

/// A mistake of the user's: what is wrong, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct UserError {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl UserError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn not_run(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::NotRun,
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
