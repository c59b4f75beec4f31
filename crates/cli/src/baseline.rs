//! The baseline: findings that a team knows. Old ones fail nothing, new ones do, and one that is gone is said.
//!
//! A finding is known by its session, its rule and, for a leak, its file, and by how many there are: ids, exchanges and
//! lines change with the code.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use holdover_judge::{KnownFinding, Severity};
use holdover_report::CaseReport;
use holdover_runner::settings::Settings;
use serde_json::{Value, json};

use crate::args::Adoption;
use crate::exit::UserError;
use crate::project::Project;
use crate::terminal::{Stream, Terminal};

const FORMAT: &str = "holdover.baseline/1";
/// Entries that are named one by one; more are counted.
const NAMED: usize = 10;

/// A file of known findings that a run is compared with, or written into.
#[derive(Debug)]
pub(crate) struct Baseline {
    file: PathBuf,
    known: Vec<KnownFinding>,
    mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Compare,
    Update,
}

/// What became of a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// New and old findings were told apart.
    Compared,
    /// The file was written: everything found is known now.
    Written,
}

/// Session, rule and file.
type Key<'a> = (&'a str, &'a str, &'a str);

impl Baseline {
    /// The baseline that the command line or the repository names, if one does; the judge is told of it.
    pub(crate) fn open(
        adoption: &Adoption,
        project: &Project,
        settings: &mut Settings,
    ) -> Result<Option<Self>, UserError> {
        let Some(file) = adoption.baseline.clone().or_else(|| project.baseline()) else {
            return if adoption.update_baseline {
                Err(UserError::usage("`--update-baseline` has no file to write")
                    .help("add `--baseline FILE`, or `baseline = \"FILE\"` in `holdover.toml`"))
            } else {
                Ok(None)
            };
        };
        let known = read(&file)?;
        if adoption.update_baseline {
            return Ok(Some(Self {
                file,
                known: known.unwrap_or_default(),
                mode: Mode::Update,
            }));
        }
        let known = known.ok_or_else(|| {
            UserError::usage(format!("there is no baseline `{}`", file.display()))
                .help("run once with `--update-baseline`, and commit the file")
        })?;
        settings.repository.known.baseline.clone_from(&known);
        Ok(Some(Self {
            file,
            known,
            mode: Mode::Compare,
        }))
    }

    /// Writes the file, or says what is known, new and gone.
    pub(crate) fn settle(
        &self,
        cases: &[CaseReport],
        fail_on: Severity,
        terminal: Terminal,
        stream: Stream,
    ) -> Result<Settled, UserError> {
        match self.mode {
            Mode::Update => {
                terminal.say(stream, &self.write(cases, fail_on)?);
                Ok(Settled::Written)
            }
            Mode::Compare => {
                terminal.say(stream, &self.compare(cases, fail_on));
                Ok(Settled::Compared)
            }
        }
    }

    fn write(&self, cases: &[CaseReport], fail_on: Severity) -> Result<String, UserError> {
        let mut counts: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        // Sessions that did not run this time keep what is known of them.
        for known in self.known.iter().filter(|known| !ran(cases, &known.session)) {
            counts.insert((&known.session, &known.rule, &known.file), known.count);
        }
        let kept: usize = counts.values().sum();
        for case in cases {
            for finding in case
                .findings_from(fail_on)
                .filter(|finding| finding.known.is_none())
            {
                let key = (
                    case.session.as_str(),
                    finding.rule,
                    holdover_judge::known::file_of(finding),
                );
                *counts.entry(key).or_default() += 1;
            }
        }
        let total: usize = counts.values().sum();
        let entries: Vec<Value> = counts.iter().map(|(key, count)| entry(*key, *count)).collect();
        let text = serde_json::to_string_pretty(&json!({"baseline": FORMAT, "findings": entries}))
            .unwrap_or_default();
        fs::write(&self.file, text + "\n")
            .map_err(|error| UserError::usage(format!("cannot write `{}`: {error}", self.file.display())))?;
        let beside = match kept {
            0 => String::new(),
            kept => format!(" ({kept} of them of sessions that did not run)"),
        };
        Ok(format!(
            "baseline: {total} findings written to `{}`{beside}",
            self.file.display()
        ))
    }

    fn compare(&self, cases: &[CaseReport], fail_on: Severity) -> String {
        let mut used: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        let mut new = 0;
        for case in cases {
            new += case
                .findings_from(fail_on)
                .filter(|finding| finding.known.is_none())
                .count();
            for finding in case
                .verdict
                .findings
                .iter()
                .filter(|finding| finding.known.is_some())
            {
                let key = (
                    case.session.as_str(),
                    finding.rule,
                    holdover_judge::known::file_of(finding),
                );
                *used.entry(key).or_default() += 1;
            }
        }
        let ran = self.known.iter().filter(|known| ran(cases, &known.session));
        let gone: Vec<(&KnownFinding, usize)> = ran
            .filter_map(|known| {
                let still = used.get(&(known.session.as_str(), known.rule.as_str(), known.file.as_str()));
                let missing = known.count.saturating_sub(still.copied().unwrap_or(0));
                (missing > 0).then_some((known, missing))
            })
            .collect();
        let still: usize = used.values().sum();
        let missing: usize = gone.iter().map(|(_, missing)| missing).sum();
        let mut lines = vec![format!(
            "baseline: {still} known findings, {new} new, {missing} gone"
        )];
        for (known, missing) in gone.iter().take(NAMED) {
            let times = if *missing == 1 {
                String::new()
            } else {
                format!(" ({missing} times)")
            };
            lines.push(format!(
                "  gone: `{}` in session `{}`{times}",
                known.rule, known.session
            ));
        }
        if missing > 0 {
            lines.push(
                "  help: `--update-baseline` takes out what is gone, so that it cannot come back unseen"
                    .to_owned(),
            );
        }
        lines.join("\n")
    }
}

fn ran(cases: &[CaseReport], session: &str) -> bool {
    cases.iter().any(|case| case.session == session)
}

fn entry((session, rule, file): Key<'_>, count: usize) -> Value {
    if file.is_empty() {
        json!({"session": session, "rule": rule, "count": count})
    } else {
        json!({"session": session, "rule": rule, "file": file, "count": count})
    }
}

/// The entries of a file; none when there is no file. A file that is none of ours is left alone.
fn read(file: &Path) -> Result<Option<Vec<KnownFinding>>, UserError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(UserError::usage(format!(
                "cannot read `{}`: {error}",
                file.display()
            )));
        }
    };
    let foreign = || {
        UserError::usage(format!("`{}` is no baseline of holdover", file.display()))
            .help("name another file; a baseline is written with `--update-baseline`")
    };
    let value: Value = serde_json::from_str(&text).map_err(|_| foreign())?;
    if value["baseline"] != FORMAT {
        return Err(foreign());
    }
    let entries = value["findings"].as_array().ok_or_else(foreign)?;
    entries
        .iter()
        .map(|entry| {
            let text = |name: &str| entry[name].as_str().map(str::to_owned);
            Some(KnownFinding {
                session: text("session")?,
                rule: text("rule")?,
                file: text("file").unwrap_or_default(),
                count: usize::try_from(entry["count"].as_u64()?).ok()?,
            })
        })
        .collect::<Option<Vec<_>>>()
        .map(Some)
        .ok_or_else(foreign)
}
