//! The files of `out/`, all of them or the kinds that were asked for.

use crate::formats::{
    carry_over, findings, html, junit, markdown, reasoning_id_policy, recordings, replay_policy, state_modes,
    summary, turns,
};
use crate::run::Run;

/// One file of `out/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportFile {
    /// Path under `out/`, with forward slashes.
    pub name: String,
    /// The whole file.
    pub bytes: Vec<u8>,
}

/// A kind of report that `--report` may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReportKind {
    /// The CSV tables.
    Csv,
    /// `junit.xml`
    Junit,
    /// `summary.md`
    Markdown,
    /// `summary.json`, `turns.jsonl` and the recordings.
    Json,
    /// `report.html`
    Html,
}

impl ReportKind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Csv, Self::Junit, Self::Markdown, Self::Json, Self::Html];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Junit => "junit",
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Html => "html",
        }
    }

    /// The kind of a name on the command line.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    fn files(self, run: &Run) -> Vec<ReportFile> {
        match self {
            Self::Csv => vec![
                file("reasoning_id_policy.csv", reasoning_id_policy::write(run)),
                file("carry_over.csv", carry_over::write(run)),
                file("state_modes.csv", state_modes::write(run)),
                file("replay_policy.csv", replay_policy::write(run)),
                file("findings.csv", findings::write(run)),
            ],
            Self::Junit => vec![file("junit.xml", junit::write(run))],
            Self::Markdown => vec![file("summary.md", markdown::write(run))],
            Self::Json => {
                let mut files = vec![
                    file("summary.json", summary::write(run)),
                    file("turns.jsonl", turns::write(run)),
                ];
                files.extend(recordings::write(run));
                files
            }
            Self::Html => vec![file("report.html", html::write(run))],
        }
    }
}

fn file(name: &str, bytes: Vec<u8>) -> ReportFile {
    ReportFile {
        name: name.to_owned(),
        bytes,
    }
}

/// Every file of `out/` (`docs/architecture.md`, Tables), the recordings among them.
pub fn tables(run: &Run) -> Vec<ReportFile> {
    tables_of(run, &ReportKind::ALL)
}

/// The files of these kinds only, in the order of the kinds.
pub fn tables_of(run: &Run, kinds: &[ReportKind]) -> Vec<ReportFile> {
    kinds.iter().flat_map(|kind| kind.files(run)).collect()
}
