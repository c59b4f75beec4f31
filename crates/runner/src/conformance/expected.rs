//! The file of expected failures: what a client is known not to pass, and what it sends there.
//!
//! A failure that is not in the file fails the run, and so does an entry that no longer fails: a list that only grows
//! hides what was mended.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::conformance::catalogue;
use crate::conformance::cell::Cell;

/// The verdicts that may be expected; an adapter that crashes or hangs never is.
const VERDICTS: [&str; 3] = ["findings", "inconclusive", "raised"];

/// The entries of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    expected: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    programs: Vec<String>,
    #[serde(default = "findings")]
    verdict: String,
    #[serde(default)]
    findings: BTreeSet<String>,
    sent: String,
}

fn findings() -> String {
    "findings".to_owned()
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpectedError {
    /// It is not TOML of this form.
    #[error("{0}")]
    Form(String),
    /// A program does not exist.
    #[error("there is no program `{0}`")]
    UnknownProgram(String),
    /// A program stands in two entries.
    #[error("program `{0}` stands in two entries")]
    Twice(String),
    /// A verdict cannot be expected.
    #[error("`{0}` cannot be expected; what can is `findings`, `inconclusive`, `raised`")]
    Verdict(String),
}

/// A cell against the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Clean, as nothing else was expected.
    Pass,
    /// The client has nothing of the kind.
    NotApplicable,
    /// It fails as expected; what the client sends.
    ExpectedFailure(String),
    /// It fails, and not as expected.
    Failure(String),
    /// It is clean although a failure was expected.
    UnexpectedPass,
}

impl Comparison {
    /// The word in tables.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NotApplicable => "not-applicable",
            Self::ExpectedFailure(_) => "expected-failure",
            Self::Failure(_) => "failure",
            Self::UnexpectedPass => "unexpected-pass",
        }
    }
}

impl Expected {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Self, ExpectedError> {
        let file: File = toml::from_str(text).map_err(|error| ExpectedError::Form(error.to_string()))?;
        let mut seen = BTreeSet::new();
        for entry in &file.expected {
            if !VERDICTS.contains(&entry.verdict.as_str()) {
                return Err(ExpectedError::Verdict(entry.verdict.clone()));
            }
            for program in &entry.programs {
                if catalogue::find(program).is_none() {
                    return Err(ExpectedError::UnknownProgram(program.clone()));
                }
                if !seen.insert(program) {
                    return Err(ExpectedError::Twice(program.clone()));
                }
            }
        }
        Ok(Self(file.expected))
    }

    /// Compares a cell with its entry.
    pub fn compare(&self, cell: &Cell) -> Comparison {
        let rules = cell.rules().into_iter().map(str::to_owned).collect();
        self.judge(cell.program.id, cell.verdict(), &rules)
    }

    fn judge(&self, program: &str, verdict: &str, rules: &BTreeSet<String>) -> Comparison {
        let names = |entry: &&Entry| entry.programs.iter().any(|name| name == program);
        let entry = self.0.iter().find(names);
        match (verdict, entry) {
            ("clean", None) => Comparison::Pass,
            ("clean", Some(_)) => Comparison::UnexpectedPass,
            ("not-applicable", None) => Comparison::NotApplicable,
            (_, None) => Comparison::Failure(format!("{verdict}: nothing was expected")),
            (_, Some(entry)) if entry.verdict != verdict => {
                Comparison::Failure(format!("{verdict}: `{}` was expected", entry.verdict))
            }
            (_, Some(entry)) if &entry.findings != rules => Comparison::Failure(format!(
                "other findings than expected ({})",
                list(&entry.findings)
            )),
            (_, Some(entry)) => Comparison::ExpectedFailure(entry.sent.clone()),
        }
    }
}

fn list(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [[expected]]
        programs = ["three-turns", "tool-loop"]
        findings = ["text-only-rebuild"]
        sent = "the text alone"

        [[expected]]
        programs = ["conversation"]
        verdict = "raised"
        sent = "both keys of state"
    "#;

    fn judge(program: &str, verdict: &str, rules: &[&str]) -> Comparison {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        Expected::parse(FILE).unwrap().judge(program, verdict, &rules)
    }

    #[test]
    fn a_failure_passes_only_as_it_was_expected() {
        let sent = Comparison::ExpectedFailure("the text alone".into());
        assert_eq!(judge("three-turns", "findings", &["text-only-rebuild"]), sent);
        let other = judge("three-turns", "findings", &["text-only-rebuild", "phase-lost"]);
        assert!(matches!(other, Comparison::Failure(_)));
        assert!(matches!(
            judge("three-turns", "raised", &[]),
            Comparison::Failure(_)
        ));
        assert!(matches!(
            judge("commentary", "findings", &["phase-lost"]),
            Comparison::Failure(_)
        ));
        assert_eq!(judge("conversation", "raised", &[]).as_str(), "expected-failure");
    }

    #[test]
    fn what_passes_although_it_was_not_to_is_no_pass() {
        assert_eq!(judge("tool-loop", "clean", &[]), Comparison::UnexpectedPass);
        assert_eq!(judge("commentary", "clean", &[]), Comparison::Pass);
        assert!(matches!(
            judge("tool-loop", "not-applicable", &[]),
            Comparison::Failure(_)
        ));
    }

    #[test]
    fn a_client_that_crashes_or_hangs_or_shows_nothing_fails() {
        for verdict in ["crashed", "hung", "empty"] {
            assert!(
                matches!(judge("commentary", verdict, &[]), Comparison::Failure(_)),
                "{verdict}"
            );
            let file = FILE.replace("\"raised\"", &format!("\"{verdict}\""));
            assert_eq!(
                Expected::parse(&file),
                Err(ExpectedError::Verdict(verdict.into()))
            );
        }
    }

    #[test]
    fn a_program_stands_in_one_entry_and_exists() {
        let twice = FILE.replace("conversation", "tool-loop");
        assert_eq!(
            Expected::parse(&twice),
            Err(ExpectedError::Twice("tool-loop".into()))
        );
        let unknown = FILE.replace("conversation", "nothing");
        assert_eq!(
            Expected::parse(&unknown),
            Err(ExpectedError::UnknownProgram("nothing".into()))
        );
    }
}
