//! `carry_over.csv`: whether reasoning reached the next turn, and whether it stayed out of the logs (D1-D6).

use super::sheet::{flag, note, number, rows_of, sheet, text};
use crate::case::{CaseReport, Table};
use crate::reading::exchange::{last_create, prior_protected};
use crate::result::result_of;
use crate::run::Run;

/// Columns, in order.
pub(crate) const COLUMNS: [&str; 8] = [
    "case",
    "path",
    "has_protected_in_response",
    "has_protected_in_history",
    "prior_protected",
    "reasoning_parts",
    "result",
    "note",
];

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    sheet(COLUMNS, rows_of(run, Table::CarryOver).map(row))
}

fn row(case: &CaseReport) -> [String; 8] {
    let last = last_create(&case.recording);
    [
        text(case.name().as_str()),
        text(&case.path),
        flag(case.client.has_protected_in_response),
        flag(case.client.has_protected_in_history),
        number(last.and_then(|(exchange, _)| prior_protected(exchange))),
        number(case.client.reasoning_parts),
        result_of(case).to_owned(),
        note(case),
    ]
}
