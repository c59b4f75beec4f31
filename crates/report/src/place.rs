//! Where in a repository a finding belongs: the line to change, else the test, else the file that leaked.

use holdover_judge::Finding;

use crate::case::CaseReport;

/// A line of a file, as a path from the root of the repository with forward slashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodePlace {
    /// Path.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A line whose form does what a rule finds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Look {
    /// Rule.
    pub rule: String,
    /// Where.
    pub place: CodePlace,
}

/// The test that a session belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPlace {
    /// Its id, as its framework names it.
    pub id: String,
    /// Where it stands, where that is known.
    pub place: Option<CodePlace>,
}

/// The place of a finding.
pub(crate) fn place_of(case: &CaseReport, finding: &Finding) -> Option<CodePlace> {
    let look = case.looks.iter().find(|look| look.rule == finding.rule);
    let test = || case.test.as_ref().and_then(|test| test.place.clone());
    look.map(|look| look.place.clone())
        .or_else(test)
        .or_else(|| export(finding))
}

/// `file:line` of an export; a name in brackets is no file.
fn export(finding: &Finding) -> Option<CodePlace> {
    let (file, line) = finding.place.as_deref()?.rsplit_once(':')?;
    let line = line.parse().ok()?;
    (!file.starts_with('<') && !file.contains(' ')).then(|| CodePlace {
        file: file.to_owned(),
        line,
    })
}

/// What tells a finding from the others of its rule and session, from run to run.
pub(crate) fn fingerprint(case: &CaseReport, at: usize) -> String {
    let findings = &case.verdict.findings;
    let rule = findings[at].rule;
    let number = findings[..at]
        .iter()
        .filter(|finding| finding.rule == rule)
        .count()
        + 1;
    format!("{}/{rule}/{number}", case.session)
}
