//! What the judge says at the end of a session.

use serde::Serialize;

use crate::finding::{Finding, Severity};

/// The verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// No finding above `note`.
    Clean,
    /// At least one finding above `note`.
    Findings,
    /// No finding above `note`, but something that was needed to judge is missing.
    Inconclusive,
}

impl Outcome {
    /// The word in tables and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Findings => "findings",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// Whether the requests asked for no reasoning at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningOff {
    /// No request did.
    #[default]
    No,
    /// Some did.
    Sometimes,
    /// Every request did (`reasoning.effort` was `none`): there was nothing to carry.
    Always,
}

/// How much there was to judge (law 8: silence is not success).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Lineages seen.
    pub conversations: u32,
    /// Create exchanges, an exchange and its retries counted once.
    pub turns: u32,
    /// Reasoning items that responses issued.
    pub reasoning_issued: u32,
    /// Of these, how many a later request brought back, or the server held for it.
    pub reasoning_carried: u32,
    /// Groups with reasoning whose fate a later request showed.
    pub judged: u32,
    /// Export files scanned.
    pub exports_scanned: u32,
    /// Audit records read.
    pub audit_records: u32,
    /// Whether effort `none` was sent.
    pub reasoning_off: ReasoningOff,
}

/// One thing the judge could not decide, and what is missing to decide it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Inconclusive {
    /// What could not be judged.
    pub what: String,
    /// What is missing.
    pub missing: String,
    /// Exchange where it showed.
    pub exchange: Option<u64>,
}

/// The whole verdict; serialises as the JSON output of `docs/architecture.md`, Recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The verdict in one word.
    #[serde(rename = "verdict")]
    pub outcome: Outcome,
    /// How much there was to judge.
    pub coverage: Coverage,
    /// Findings in the order of their exchanges; those of exports and audit records last.
    pub findings: Vec<Finding>,
    /// What could not be decided.
    pub inconclusive: Vec<Inconclusive>,
}

impl Verdict {
    /// Draws the outcome from what was found.
    pub(crate) fn draw(coverage: Coverage, findings: Vec<Finding>, inconclusive: Vec<Inconclusive>) -> Self {
        let mut verdict = Self {
            outcome: Outcome::Clean,
            coverage,
            findings,
            inconclusive,
        };
        verdict.draw_again();
        verdict
    }

    /// Draws the outcome once more, after severities have changed.
    pub(crate) fn draw_again(&mut self) {
        let found = self
            .findings
            .iter()
            .any(|finding| finding.severity > Severity::Note);
        self.outcome = match (found, self.inconclusive.is_empty()) {
            (true, _) => Outcome::Findings,
            (false, false) => Outcome::Inconclusive,
            (false, true) => Outcome::Clean,
        };
    }
}
