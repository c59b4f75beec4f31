//! `holdover.toml`: read, checked like a scenario file, and applied below the command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use holdover_judge::{AllowEntry, JudgeConfig, Severity, Suppression};
use holdover_profile::{ModelKind, Org};
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{Code, FailOn, Problem, Project as Spec, SuppressSpec, parse_project};

use crate::args::Common;
use crate::commands::check;
use crate::exit::UserError;
use crate::terminal::{Stream, Terminal};

/// Its name.
pub(crate) const FILE: &str = "holdover.toml";

/// What a repository says, and where it says it.
#[derive(Debug, Default)]
pub(crate) struct Project {
    spec: Spec,
    /// Folder of the file; paths in it are meant from there.
    folder: PathBuf,
}

/// Whether a file is one of these, and no scenario.
pub(crate) fn is_project(file: &str) -> bool {
    Path::new(file).file_name().is_some_and(|name| name == FILE)
}

/// Everything that is wrong with a text.
pub(crate) fn problems(file: &str, text: &str) -> Vec<Problem> {
    match read(file, text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems,
    }
}

fn read(file: &str, text: &str) -> Result<Spec, Vec<Problem>> {
    let spec = parse_project(file, text, &vocabulary(&Settings::default()))?;
    let patterns = spec.export.patterns.iter();
    let allowed = spec.export.allowlist.iter().map(|entry| &entry.pattern);
    let bad: Vec<Problem> = patterns
        .chain(allowed)
        .filter_map(|pattern| {
            let why = JudgeConfig::pattern_problem(&pattern.value)?;
            let message = "the text is not a regular expression";
            Some(Problem::new(Code::BadPattern, file, pattern.span.clone(), message).label(first_line(&why)))
        })
        .collect();
    if bad.is_empty() { Ok(spec) } else { Err(bad) }
}

fn first_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim().to_owned()
}

/// The file that was named, else that of this folder, else nothing said; `None` when it has problems, which were shown.
pub(crate) fn load(named: Option<&Path>, terminal: Terminal) -> Result<Option<Project>, UserError> {
    let path = named.unwrap_or(Path::new(FILE));
    if named.is_none() && !path.is_file() {
        return Ok(Some(Project::default()));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| UserError::usage(format!("cannot read `{}`: {error}", path.display())))?;
    match read(&path.to_string_lossy(), &text) {
        Ok(spec) => Ok(Some(Project {
            spec,
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        })),
        Err(problems) => {
            let problems: Vec<_> = problems
                .into_iter()
                .map(|problem| (problem, text.as_str()))
                .collect();
            check::show(&problems, terminal);
            Ok(None)
        }
    }
}

impl Project {
    /// Fills in what the command line left open.
    pub(crate) fn tell(&self, settings: &mut Settings, common: &Common, terminal: Terminal) {
        let spec = &self.spec;
        settings.profile = settings.profile.take().or_else(|| spec.profile.clone());
        settings.org = settings
            .org
            .or_else(|| spec.org.and_then(|org| Org::parse(org.as_str())));
        if let (Some(fail_on), None) = (spec.fail_on, common.fail_on) {
            settings.fail_on = severity(fail_on);
        }
        let named: Vec<String> = settings.models.iter().map(|(name, _)| name.clone()).collect();
        for (name, kind) in &spec.models {
            if let Some(kind) = ModelKind::parse(kind.as_str()).filter(|_| !named.contains(name)) {
                settings.models.push((name.clone(), kind));
            }
        }
        let repository = &mut settings.repository;
        repository.export_patterns = spec
            .export
            .patterns
            .iter()
            .map(|text| text.value.clone())
            .collect();
        repository.tenant_fragments = spec
            .export
            .tenant_table
            .iter()
            .map(|text| text.value.clone())
            .collect();
        repository.allowlist = spec
            .export
            .allowlist
            .iter()
            .map(|entry| AllowEntry {
                file: entry.file.value.clone(),
                pattern: entry.pattern.value.clone(),
            })
            .collect();
        let today = today();
        for entry in &spec.suppress {
            if has_ended(entry, &today) {
                let until = entry.until.as_deref().unwrap_or_default();
                let text = format!(
                    "note: the suppression of `{}` ended on {until} ({})",
                    entry.rule, entry.reason
                );
                terminal.say(Stream::Error, &text);
                continue;
            }
            repository.known.suppressions.push(Suppression {
                rule: entry.rule.clone(),
                session: entry.session.clone(),
                reason: entry.reason.clone(),
            });
        }
    }

    /// The globs of the command line, else those of the file.
    pub(crate) fn scan(&self, given: &[String]) -> Vec<String> {
        if given.is_empty() {
            self.spec.scan.clone()
        } else {
            given.to_vec()
        }
    }

    /// The baseline that the file names.
    pub(crate) fn baseline(&self) -> Option<PathBuf> {
        self.spec.baseline.as_ref().map(|path| self.folder.join(path))
    }
}

fn severity(fail_on: FailOn) -> Severity {
    match fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Note => Severity::Note,
    }
}

fn has_ended(entry: &SuppressSpec, today: &str) -> bool {
    entry.until.as_deref().is_some_and(|until| until < today)
}

/// This day in UTC, as `YYYY-MM-DD`.
fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    day(seconds / 86_400)
}

/// The date of a day since 1970-01-01, by the calendar of 400 years that begin in March.
fn day(since_1970: u64) -> String {
    let days = since_1970 + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        // Each from a calendar: days since the first of January 1970.
        for (since, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_454, "2026-01-01"),
            (20_787, "2026-11-30"),
        ] {
            assert_eq!(day(since), date);
        }
    }

    #[test]
    fn a_suppression_holds_through_its_last_day() {
        let entry = |until: &str| SuppressSpec {
            rule: String::new(),
            session: String::new(),
            reason: String::new(),
            until: Some(until.to_owned()),
        };
        assert!(!has_ended(&entry("2026-11-30"), "2026-11-30"));
        assert!(has_ended(&entry("2026-11-30"), "2026-12-01"));
    }
}
