//! What a run leaves for other programs: `cells.json`, and for each program its recording and what the adapter printed.

use serde::Serialize;
use serde_json::Value;

use crate::conformance::carried::{carried, refusals};
use crate::conformance::cell::{Cell, End};
use crate::conformance::expected::Comparison;

#[derive(Serialize)]
struct Row<'a> {
    program: &'a str,
    level: &'a str,
    client: &'a str,
    version: &'a str,
    /// `clean`, `findings`, `inconclusive`, `raised`, `crashed`, `hung`, `empty`, `not-applicable`.
    verdict: &'a str,
    /// `pass`, `not-applicable`, `expected-failure`, `failure`, `unexpected-pass`.
    comparison: &'a str,
    /// Why a program does not apply, or what ended it.
    why: Option<&'a str>,
    /// The sentence of the file of expected failures.
    sent: Option<&'a str>,
    exchanges: usize,
    coverage: Value,
    /// One text for each request.
    carried: Vec<String>,
    refusals: Vec<String>,
    findings: Value,
}

/// The files, by name.
pub fn files(cells: &[(Cell, Comparison)]) -> Vec<(String, Vec<u8>)> {
    let rows: Vec<Row<'_>> = cells
        .iter()
        .map(|(cell, comparison)| row(cell, comparison))
        .collect();
    // Rows are strings, numbers and values that were JSON before.
    let mut text = serde_json::to_vec_pretty(&rows).unwrap_or_default();
    text.push(b'\n');
    let recordings = cells.iter().filter_map(|(cell, _)| {
        let report = cell.report.as_ref()?;
        let name = format!("recordings/{}.jsonl", cell.program.id);
        Some((name, report.recording.to_lines().into_bytes()))
    });
    let printed = cells.iter().filter(|(cell, _)| !cell.printed.is_empty());
    let printed = printed.map(|(cell, _)| (format!("printed/{}.txt", cell.program.id), cell.printed.clone()));
    std::iter::once(("cells.json".to_owned(), text))
        .chain(recordings)
        .chain(printed)
        .collect()
}

fn row<'a>(cell: &'a Cell, comparison: &'a Comparison) -> Row<'a> {
    let report = cell.report.as_ref();
    let recording = report.map(|report| &report.recording);
    Row {
        program: cell.program.id,
        level: cell.program.level.as_str(),
        client: &cell.ready.client,
        version: &cell.ready.version,
        verdict: cell.verdict(),
        comparison: comparison.as_str(),
        why: why(&cell.end),
        sent: match comparison {
            Comparison::ExpectedFailure(sent) => Some(sent),
            _ => None,
        },
        exchanges: recording.map_or(0, |recording| recording.exchanges.len()),
        coverage: serde_json::json!(report.map(|report| &report.verdict.coverage)),
        carried: recording.map(carried).unwrap_or_default(),
        refusals: recording.map(refusals).unwrap_or_default(),
        findings: serde_json::json!(cell.findings()),
    }
}

/// Why a program does not apply, or what ended it.
pub fn why(end: &End) -> Option<&str> {
    match end {
        End::Played => None,
        End::NotApplicable(why) | End::Raised(why) | End::Crashed(why) | End::Hung(why) => Some(why),
    }
}
