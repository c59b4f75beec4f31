//! `findings.csv`: every finding of every case, notes included.

use holdover_judge::Finding;

use super::sheet::{number, optional, sheet, text};
use crate::case::CaseReport;
use crate::run::Run;

/// Columns, in order.
pub(crate) const COLUMNS: [&str; 7] = ["case", "exchange", "rule", "class", "severity", "item", "message"];

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes: _,
    } = run;
    let rows = cases.iter().flat_map(|case| {
        case.verdict
            .findings
            .iter()
            .map(move |finding| row(case, finding))
    });
    sheet(COLUMNS, rows)
}

fn row(case: &CaseReport, finding: &Finding) -> [String; 7] {
    [
        text(case.name().as_str()),
        number(finding.exchange),
        finding.rule.to_owned(),
        finding.class.as_str().to_owned(),
        finding.severity.as_str().to_owned(),
        optional(finding.item.as_deref()),
        text(&finding.message),
    ]
}
