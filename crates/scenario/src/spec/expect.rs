//! `[expect]`, `expect` of a turn, and `[export]`.

use crate::problem::{Located, Span};
use crate::words::{Word, words};

words! {
    /// The verdict of the judge.
    VerdictWord {
        /// No finding above `note`.
        Clean = "clean",
        /// At least one finding above `note`.
        Findings = "findings",
        /// Evidence is missing.
        Inconclusive = "inconclusive",
    }
}

words! {
    /// How a turn ends, as the client itself sees it.
    Outcome {
        /// The response was complete.
        Completed = "completed",
        /// The response was incomplete.
        Incomplete = "incomplete",
        /// The response failed after it had begun.
        Failed = "failed",
        /// The API refused the request.
        Refused = "refused",
        /// The answer broke off or could not be read.
        Broken = "broken",
        /// Nothing was sent.
        Skipped = "skipped",
        /// Nothing was sent: the replay policy says `stop_and_probe`.
        Stopped = "stopped",
    }
}

/// `[expect]`: what the run must show. Only what the file names is asserted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// Rules that fire, primary and above `note`, and no others. An empty list asks for a clean run; `None` asks for
    /// nothing when the scenario plants a mistake, and for a clean run when it does not.
    pub findings: Option<Vec<Located<String>>>,
    /// Rules that fire as a `note`, among others perhaps.
    pub notes: Vec<Located<String>>,
    /// Refusals that the server gives, by number, in the order of the exchanges; `None` asks for nothing.
    pub refusals: Option<Vec<Located<String>>>,
    /// Result in the table.
    pub result: Option<Located<String>>,
    /// Verdict of the judge.
    pub verdict: Option<Located<VerdictWord>>,
    /// Where `[expect]` stands; `None` when the file has none.
    pub span: Option<Span>,
    /// What some cases of the matrix must show instead.
    pub cases: Vec<ExpectCase>,
}

/// One `[[expect.case]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectCase {
    /// Settings with the values that they may have, as a case name shows them.
    pub when: Vec<(Located<String>, Vec<Located<String>>)>,
    /// What such a case must show.
    pub expect: Expect,
}

impl ExpectCase {
    /// Whether a case with these settings is meant.
    pub fn fits(&self, settings: &[(String, String)]) -> bool {
        self.when.iter().all(|(key, values)| {
            let mut set = settings.iter().filter(|(name, _)| *name == key.value);
            set.any(|(_, value)| values.iter().any(|wanted| wanted.value == *value))
        })
    }
}

/// `expect` of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnExpect {
    /// HTTP status of the turn's last answer.
    pub status: Option<Located<u16>>,
    /// Refusal by number.
    pub refusal: Option<Located<String>>,
    /// `x-holdover-prior-protected` of the turn's last answer.
    pub prior_protected: Option<Located<u32>>,
    /// How the turn ended for the client.
    pub outcome: Option<Located<Outcome>>,
    /// Rules that fire on the exchanges of this turn, notes among them.
    pub findings: Vec<Located<String>>,
}

impl TurnExpect {
    /// Whether the turn must be refused.
    pub fn is_refusal(&self) -> bool {
        self.refusal.is_some() || self.status.as_ref().is_some_and(|status| status.value >= 400)
    }
}

/// `[export]`: how exports are scanned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportSpec {
    /// Regular expressions of confirmed id shapes. The caller compiles them and reports a bad one at its span.
    pub patterns: Vec<Located<String>>,
    /// What may stand in which file.
    pub allowlist: Vec<AllowSpec>,
    /// Fragments that belong to a tenant.
    pub tenant_table: Vec<Located<String>>,
}

/// One entry of `allowlist`.
#[derive(Clone, Debug, PartialEq)]
pub struct AllowSpec {
    /// The export file.
    pub file: Located<String>,
    /// Regular expression of what may stand there.
    pub pattern: Located<String>,
}
