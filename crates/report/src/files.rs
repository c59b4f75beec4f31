//! The files of `out/`, all of them or the kinds that were asked for.

use crate::formats::{
    carry_over, findings, gitlab, html, junit, markdown, reasoning_id_policy, recordings, replay_policy,
    sarif, state_modes, summary, turns, wires,
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
    /// `holdover.sarif`; only when it is asked for
    Sarif,
    /// `gl-code-quality-report.json`; only when it is asked for
    Gitlab,
}

impl ReportKind {
    /// The kinds that are written unless others are asked for.
    pub const ALL: [Self; 5] = [Self::Csv, Self::Junit, Self::Markdown, Self::Json, Self::Html];
    /// What code hosts read, on top of these.
    pub const HOSTS: [Self; 2] = [Self::Sarif, Self::Gitlab];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Junit => "junit",
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Html => "html",
            Self::Sarif => "sarif",
            Self::Gitlab => "gitlab",
        }
    }

    /// The kind of a name on the command line.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .chain(Self::HOSTS)
            .find(|kind| kind.as_str() == name)
    }

    fn files(self, run: &Run) -> Vec<ReportFile> {
        match self {
            Self::Csv => vec![
                file("reasoning_id_policy.csv", reasoning_id_policy::write(run)),
                file("carry_over.csv", carry_over::write(run)),
                file("state_modes.csv", state_modes::write(run)),
                file("replay_policy.csv", replay_policy::write(run)),
                file("wires.csv", wires::write(run)),
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
            Self::Sarif => vec![file("holdover.sarif", sarif::write(run))],
            Self::Gitlab => vec![file("gl-code-quality-report.json", gitlab::write(run))],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Table;
    use crate::testing::{HOSTILE, WITH_ID, case, run};

    fn names(files: &[ReportFile]) -> Vec<&str> {
        files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn every_file_of_the_architecture_is_written() {
        let files = tables(&run(vec![case("a", Table::CarryOver, WITH_ID, vec![])]));
        assert_eq!(
            names(&files),
            [
                "reasoning_id_policy.csv",
                "carry_over.csv",
                "state_modes.csv",
                "replay_policy.csv",
                "wires.csv",
                "findings.csv",
                "junit.xml",
                "summary.md",
                "summary.json",
                "turns.jsonl",
                "recordings/a.jsonl",
                "report.html",
            ]
        );
    }

    #[test]
    fn columns_are_those_of_the_architecture() {
        let document = include_str!("../../../docs/architecture.md");
        for file in ReportKind::Csv.files(&Run::default()) {
            let start = format!("| `{}` | ", file.name);
            let row = document
                .lines()
                .find_map(|line| line.strip_prefix(&start))
                .expect("a row of the table");
            let mut columns = String::new();
            let mut depth = 0;
            for character in row.trim_end_matches(" |").chars() {
                depth += i32::from(character == '(') - i32::from(character == ')');
                if depth == 0 && !matches!(character, ' ' | ')') {
                    columns.push(character);
                }
            }
            assert_eq!(crate::testing::text(&file.bytes), format!("{columns}\n"));
        }
    }

    #[test]
    fn the_order_in_which_cases_end_changes_no_byte() {
        let cases = || {
            let first = case("b", Table::CarryOver, WITH_ID, vec![]);
            let mut second = case(HOSTILE, Table::StateModes, WITH_ID, vec![]);
            second.order = 1;
            let mut twin = first.clone();
            twin.twin = true;
            vec![first, second, twin]
        };
        let mut reversed = cases();
        reversed.reverse();
        assert_eq!(tables(&run(cases())), tables(&run(reversed)));
    }

    #[test]
    fn a_kind_writes_its_files_only() {
        let run = run(vec![]);
        assert_eq!(
            names(&tables_of(&run, &[ReportKind::Junit, ReportKind::Html])),
            ["junit.xml", "report.html"]
        );
        for kind in ReportKind::ALL {
            assert_eq!(ReportKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(ReportKind::parse("pdf"), None);
    }
}
