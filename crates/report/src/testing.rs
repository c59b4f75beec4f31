//! What the tests of this crate build their events from.

use holdover_judge::{Class, Coverage, Finding, Outcome, Severity, Verdict};
use holdover_wire::recording::Recording;

use crate::case::{CaseReport, Table};
use crate::event::{RunEvent, RunStarted};
use crate::run::Run;

/// A name that tries everything: a formula, quotes, a comma, a line feed, markup, the end of a CDATA section, a
/// terminal's escape, Markdown.
pub(crate) const HOSTILE: &str = "=1+1,\"q\" 'a'\n<script>alert(1)</script>]]>\u{1b}[31m&|`*_[x](y)";

/// A request that carries one reasoning item with an id, and its answer.
pub(crate) const WITH_ID: &str = r#"{"request":{"body":{"model":"m","store":false,"input":[{"role":"user","content":"a"},{"id":"rs_1","type":"reasoning","summary":[]}]}},"response":{"headers":{"x-holdover-prior-protected":"1"},"body":{"id":"resp_2","store":false,"output":[]}}}"#;

/// [`WITH_ID`] without the id.
pub(crate) const WITHOUT_ID: &str = r#"{"request":{"body":{"model":"m","store":false,"input":[{"role":"user","content":"a"},{"type":"reasoning","summary":[]}]}},"response":{"headers":{"x-holdover-prior-protected":"1"},"body":{"id":"resp_2","store":false,"output":[]}}}"#;

/// A recording of JSON lines; a line that cannot be read is a mistake of the test.
pub(crate) fn recording(lines: &str) -> Recording {
    let (recording, errors) = Recording::parse(lines);
    assert_eq!(errors, vec![]);
    recording
}

/// A finding with nothing but what every finding has.
pub(crate) fn finding(rule: &'static str, severity: Severity, class: Class) -> Finding {
    Finding {
        rule,
        severity,
        class,
        exchange: Some(2),
        lineage: Some(1),
        item: None,
        pointer: None,
        message: format!("{rule} fired"),
        help: String::new(),
        also: Vec::new(),
        sent: None,
        expected: None,
        place: None,
        known: None,
    }
}

/// The verdict of these findings, over two turns with one reasoning item carried.
pub(crate) fn verdict(findings: Vec<Finding>) -> Verdict {
    let found = findings.iter().any(|finding| finding.severity > Severity::Note);
    Verdict {
        outcome: if found { Outcome::Findings } else { Outcome::Clean },
        coverage: Coverage {
            conversations: 1,
            turns: 2,
            reasoning_issued: 1,
            reasoning_carried: 1,
            judged: 1,
            ..Coverage::default()
        },
        findings,
        inconclusive: Vec::new(),
    }
}

/// A case of a table.
pub(crate) fn case(name: &str, table: Table, lines: &str, findings: Vec<Finding>) -> CaseReport {
    CaseReport {
        table: Some(table),
        ..CaseReport::new(name, recording(lines), verdict(findings))
    }
}

/// A run of cases in their plan's order, as its events tell it.
pub(crate) fn run(cases: Vec<CaseReport>) -> Run {
    let started = RunStarted {
        cases: cases.len(),
        ..RunStarted::default()
    };
    let finished = cases
        .into_iter()
        .map(|case| RunEvent::CaseFinished(Box::new(case)));
    let events = std::iter::once(RunEvent::RunStarted(started)).chain(finished);
    Run::from_events(events.chain([RunEvent::RunFinished]))
}

/// A file as text.
pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("reports are UTF-8")
}

/// The records of a CSV file, the header first.
pub(crate) fn records(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let records = reader.records().map(|record| record.expect("CSV"));
    records
        .map(|record| record.iter().map(str::to_owned).collect())
        .collect()
}
