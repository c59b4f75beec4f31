//! What is known of one case when it is over.

use holdover_judge::{Finding, Outcome, Severity, Verdict};
use holdover_wire::audit::AuditRecord;
use std::sync::Arc;

use holdover_wire::recording::Recording;

use crate::event::CaseName;
use crate::place::{Look, TestPlace};

/// The table of `out/` that a case has a row in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// `reasoning_id_policy.csv`
    ReasoningIdPolicy,
    /// `carry_over.csv`
    CarryOver,
    /// `state_modes.csv`
    StateModes,
    /// `replay_policy.csv`
    ReplayPolicy,
    /// `wires.csv`
    Wires,
}

impl Table {
    /// Every table, in the order of `docs/architecture.md`.
    pub const ALL: [Self; 5] = [
        Self::ReasoningIdPolicy,
        Self::CarryOver,
        Self::StateModes,
        Self::ReplayPolicy,
        Self::Wires,
    ];

    /// The name in scenario files, which is also the file's stem.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReasoningIdPolicy => "reasoning_id_policy",
            Self::CarryOver => "carry_over",
            Self::StateModes => "state_modes",
            Self::ReplayPolicy => "replay_policy",
            Self::Wires => "wires",
        }
    }

    /// The table of a name in a scenario file.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.as_str() == name)
    }
}

/// What a client does with past reasoning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// Its name: a replay policy, or a mistake.
    pub name: String,
    /// What an answer must bring for it to show.
    pub treated: Treated,
}

/// What an answer must bring for a behaviour to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Treated {
    /// Reasoning of any kind.
    #[default]
    Reasoning,
    /// A signature, or an encrypted payload.
    Signatures,
}

/// What the client that Holdover plays says of its own memory; empty for a real client, which nobody can look into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientView {
    /// Whether a response before the last held protected data, as the client received it.
    pub has_protected_in_response: Option<bool>,
    /// Whether the client's history held protected data when the last turn began.
    pub has_protected_in_history: Option<bool>,
    /// Reasoning parts in the client's own message list, before parts of one item are joined.
    pub reasoning_parts: Option<usize>,
}

/// An expectation of the scenario that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    /// What was expected and what came, one fragment.
    pub message: String,
}

/// One case, or its twin, when it is over: a session with its recording and its verdict.
#[derive(Clone, Debug)]
pub struct CaseReport {
    /// Place of the case in the run's plan; a twin has its case's. Rows are sorted by it, so that it does not matter
    /// which of several jobs ended first.
    pub order: usize,
    /// Name of the case, without the twin's suffix.
    pub case: String,
    /// Whether this is the twin: the same scenario with its slip undone.
    pub twin: bool,
    /// Whether the scenario planted the mistake: its findings are expected and say nothing about anybody's code.
    pub planted: bool,
    /// The table it has a row in.
    pub table: Option<Table>,
    /// The scenario's file, as the user named it; shown on the terminal only.
    pub file: Option<String>,
    /// Session.
    pub session: String,
    /// `path` of the carry table: the way that history takes through the client.
    pub path: String,
    /// What the client does with past reasoning, for `wires.csv`.
    pub behaviour: Behaviour,
    /// The exchanges.
    pub recording: Arc<Recording>,
    /// What the judge says.
    pub verdict: Verdict,
    /// The client's audit records.
    pub audit: Vec<AuditRecord>,
    /// The client's own view.
    pub client: ClientView,
    /// Number of export files that were scanned.
    pub exports_scanned: usize,
    /// Expectations that were not met.
    pub unmet: Vec<Unmet>,
    /// The test that the session belongs to, where a test framework said so.
    pub test: Option<TestPlace>,
    /// Lines of the client's code whose form does what a rule of the findings says.
    pub looks: Vec<Look>,
    /// A word for the note column; when it is empty the column names the rules that fired.
    pub note: String,
}

/// How a case ended, for the exit code and for JUnit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// Everything as expected.
    Passed,
    /// An expectation was not met, or a finding at or above `--fail-on` that nobody planted.
    Failed,
    /// Evidence is missing, or there was nothing to judge.
    Unjudged,
}

impl CaseReport {
    /// A case of which nothing is known but its name, its exchanges and its verdict.
    pub fn new(case: &str, recording: impl Into<Arc<Recording>>, verdict: Verdict) -> Self {
        let recording = recording.into();
        Self {
            order: 0,
            case: case.to_owned(),
            twin: false,
            planted: false,
            table: None,
            file: None,
            session: recording.header.session.clone(),
            path: String::new(),
            behaviour: Behaviour::default(),
            recording,
            verdict,
            audit: Vec::new(),
            client: ClientView::default(),
            exports_scanned: 0,
            unmet: Vec::new(),
            test: None,
            looks: Vec::new(),
            note: String::new(),
        }
    }

    /// The name in tables.
    pub fn name(&self) -> CaseName {
        if self.twin {
            CaseName::of_twin(&self.case)
        } else {
            CaseName::of_case(&self.case)
        }
    }

    /// The findings at or above a severity, in the judge's order.
    pub fn findings_from(&self, lowest: Severity) -> impl Iterator<Item = &Finding> {
        self.verdict
            .findings
            .iter()
            .filter(move |finding| finding.severity >= lowest)
    }

    /// Whether there was nothing to judge (law 8: silence is not success). A scenario's own expectations are a
    /// judgement; of a real client only what the judge saw counts.
    pub fn judged_nothing(&self) -> bool {
        let silent = self.recording.exchanges.is_empty();
        let real_client = self.file.is_none();
        let unseen = silent || (real_client && self.verdict.coverage.judged == 0);
        unseen && self.exports_scanned == 0 && self.verdict.findings.is_empty()
    }

    /// How it ended. The findings of a planted case are its expectations' business: `unmet` says whether they came.
    pub fn end(&self, fail_on: Severity) -> CaseEnd {
        if !self.unmet.is_empty() {
            return CaseEnd::Failed;
        }
        if self.planted {
            return CaseEnd::Passed;
        }
        if self.findings_from(fail_on).next().is_some() {
            return CaseEnd::Failed;
        }
        match self.verdict.outcome {
            Outcome::Inconclusive => CaseEnd::Unjudged,
            Outcome::Clean | Outcome::Findings if self.judged_nothing() => CaseEnd::Unjudged,
            Outcome::Clean | Outcome::Findings => CaseEnd::Passed,
        }
    }
}
