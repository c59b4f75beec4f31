//! `summary.json`: the run in one document, for programs.

use holdover_judge::Severity;
use serde_json::{Value, json};

use super::recordings;
use crate::case::{CaseEnd, CaseReport, Table};
use crate::closing::{closing, tally};
use crate::event::RunStarted;
use crate::gate::gate;
use crate::result::result_of;
use crate::run::Run;
use crate::words::of_severity;

/// Value of the first member.
pub(crate) const FORMAT: &str = "holdover.summary/1";

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started,
        cases,
        notes,
    } = run;
    let RunStarted {
        seed,
        profile,
        fail_on,
        cases: selected,
    } = started;
    let files = recordings::names(run);
    let listed: Vec<_> = cases
        .iter()
        .zip(files)
        .map(|(case, file)| case_value(case, *fail_on, &file))
        .collect();
    let document = json!({
        "summary": FORMAT,
        "seed": seed,
        "profile": profile,
        "fail_on": fail_on.as_str(),
        "selected": selected,
        "counts": counts(run),
        "closing": closing(run),
        "gate": gate(cases),
        "cases": listed,
        "notes": notes,
    });
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}

fn counts(run: &Run) -> Value {
    let tally = tally(run);
    json!({
        "planted": tally.planted,
        "planted_found": tally.found,
        "twins": tally.twins,
        "twins_clean": tally.twins_clean,
        "others": tally.others,
        "failed": tally.failed,
        "unjudged": tally.unjudged,
    })
}

fn case_value(case: &CaseReport, fail_on: Severity, recording: &str) -> Value {
    let unmet: Vec<_> = case.unmet.iter().map(|unmet| unmet.message.as_str()).collect();
    json!({
        "case": case.name().as_str(),
        "session": case.session,
        "table": case.table.map(Table::as_str),
        "planted": case.planted,
        "result": result_of(case),
        "end": end_word(case.end(fail_on)),
        "errors": of_severity(&case.verdict, Severity::Error),
        "warnings": of_severity(&case.verdict, Severity::Warning),
        "notes": of_severity(&case.verdict, Severity::Note),
        "unmet": unmet,
        "recording": recording,
        "judged": case.verdict,
    })
}

fn end_word(end: CaseEnd) -> &'static str {
    match end {
        CaseEnd::Passed => "passed",
        CaseEnd::Failed => "failed",
        CaseEnd::Unjudged => "unjudged",
    }
}
