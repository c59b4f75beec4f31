//! What a run tells: the only bridge between doing and telling (law 10 of `docs/architecture.md`).

use holdover_judge::Severity;

use crate::case::CaseReport;

/// One thing that happened in a run. Every consumer matches all of them, so that a new one breaks each at compile time.
#[derive(Clone, Debug)]
pub enum RunEvent {
    /// The run begins; comes once, first.
    RunStarted(RunStarted),
    /// A case begins. With several jobs, cases begin and end in any order.
    CaseStarted(CaseName),
    /// A case is over and judged.
    CaseFinished(Box<CaseReport>),
    /// Something a user should know that belongs to no case: a path that was called and is not served, for instance.
    Note(String),
    /// The run is over; comes once, last.
    RunFinished,
}

/// What holds for the whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStarted {
    /// Seed of the fake.
    pub seed: u64,
    /// Name of the server's profile.
    pub profile: String,
    /// The lowest severity that fails a case which planted nothing (`--fail-on`).
    pub fail_on: Severity,
    /// Number of cases and twins that were selected.
    pub cases: usize,
}

impl Default for RunStarted {
    fn default() -> Self {
        Self {
            seed: 7,
            profile: "openai".to_owned(),
            fail_on: Severity::Error,
            cases: 0,
        }
    }
}

/// The name of a case as tables show it: a twin has the suffix `.twin`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CaseName(String);

impl CaseName {
    /// The name of a case.
    pub fn of_case(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The name of the case's twin.
    pub fn of_twin(name: &str) -> Self {
        Self(format!("{name}.twin"))
    }

    /// The name in tables.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for CaseName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
