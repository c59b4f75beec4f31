//! `state_modes.csv`: how a session kept state, and what of it reached the last turn (M1, M2, M6-M8, M11).

use super::sheet::{flag, note, number, optional, rows_of, sheet, text};
use crate::case::{CaseReport, Table};
use crate::reading::state::columns;
use crate::result::result_of;
use crate::run::Run;

/// Columns, in order.
pub(crate) const COLUMNS: [&str; 12] = [
    "case",
    "mode",
    "store",
    "transport",
    "marker_recalled",
    "nonce_recalled",
    "tool_state",
    "instructions_seen",
    "retrieve_status",
    "compacted",
    "result",
    "note",
];

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    sheet(COLUMNS, rows_of(run, Table::StateModes).map(row))
}

fn row(case: &CaseReport) -> [String; 12] {
    let read = columns(&case.recording);
    [
        text(case.name().as_str()),
        optional(read.mode),
        flag(read.store),
        read.transport,
        flag(read.marker_recalled),
        flag(read.nonce_recalled),
        optional(read.tool_state),
        flag(read.instructions_seen),
        number(read.retrieve_status),
        flag(read.compacted),
        result_of(case).to_owned(),
        note(case),
    ]
}
