//! What the CSV files have in common: one header line, cells of known kinds, no cell that a spreadsheet runs.

use csv::WriterBuilder;

use crate::case::{CaseReport, Table};
use crate::clean::visible;
use crate::run::Run;

/// The bytes of a table. A row that is not as wide as the header does not compile.
pub(crate) fn sheet<const WIDTH: usize>(
    columns: [&str; WIDTH],
    rows: impl Iterator<Item = [String; WIDTH]>,
) -> Vec<u8> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    // Writing into memory cannot fail, and all rows are equally wide.
    let _ = writer.write_record(columns);
    for row in rows {
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

/// Text that somebody else wrote. A spreadsheet takes a cell that begins with one of `= + - @` for a formula: such a
/// cell gets a `'` in front, which a spreadsheet hides. Control characters are written out.
pub(crate) fn text(text: &str) -> String {
    let shown = visible(text);
    match shown.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t') => format!("'{shown}"),
        _ => shown,
    }
}

/// A word, an id or a hash that may be absent.
pub(crate) fn optional(value: Option<&str>) -> String {
    value.map(text).unwrap_or_default()
}

/// `true`, `false`, or empty where it does not apply.
pub(crate) fn flag(value: Option<bool>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A number, or empty where it does not apply.
pub(crate) fn number<N: ToString>(value: Option<N>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The cases of a table, in the order of its rows.
pub(crate) fn rows_of(run: &Run, table: Table) -> impl Iterator<Item = &CaseReport> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes: _,
    } = run;
    cases.iter().filter(move |case| case.table == Some(table))
}

/// The note column: the case's own word; without one, what was expected and did not come, then the rules that fired.
pub(crate) fn note(case: &CaseReport) -> String {
    if !case.note.is_empty() {
        return text(&case.note);
    }
    let unmet = case.unmet.iter().map(|unmet| unmet.message.clone());
    let mut rules: Vec<_> = case
        .verdict
        .findings
        .iter()
        .map(|finding| finding.rule.to_owned())
        .collect();
    rules.dedup();
    text(&unmet.chain(rules).collect::<Vec<_>>().join("; "))
}
