//! `reasoning_id_policy.csv`: what an id policy did to a run, side by side (P3, P6-P8).

use holdover_wire::audit::{AuditRecord, Exported, IdPolicy, ResumeKey};
use holdover_wire::fragment::{frag_hash, ids_present};

use super::sheet::{flag, note, optional, rows_of, sheet, text};
use crate::case::{CaseReport, Table};
use crate::reading::exchange::last_create;
use crate::result::result_of;
use crate::run::Run;

/// Columns, in order.
pub(crate) const COLUMNS: [&str; 11] = [
    "case",
    "policy",
    "result",
    "ids_present",
    "frag_hash",
    "exported",
    "resume_key_type",
    "callback_dedupe_key",
    "policy_snapshot",
    "run_id",
    "note",
];

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    sheet(COLUMNS, rows_of(run, Table::ReasoningIdPolicy).map(row))
}

fn row(case: &CaseReport) -> [String; 11] {
    let last = last_create(&case.recording).map(|(_, request)| request);
    let hash = last.and_then(frag_hash);
    [
        text(case.name().as_str()),
        optional(newest(case, |record| record.reasoning_item_id_policy).map(IdPolicy::as_str)),
        result_of(case).to_owned(),
        flag(last.and_then(ids_present)),
        optional(hash.as_deref()),
        optional(furthest(&case.audit).map(exported_word)),
        optional(newest(case, |record| record.resume_key_type).map(resume_word)),
        optional(newest(case, |record| record.callback_dedupe_key.as_deref())),
        flag(has_snapshots(&case.audit)),
        optional(newest(case, |record| record.run_id.as_deref())),
        note(case),
    ]
}

/// The value of the newest audit record that has one.
fn newest<'a, T>(case: &'a CaseReport, member: impl Fn(&'a AuditRecord) -> Option<T>) -> Option<T> {
    case.audit.iter().rev().find_map(member)
}

/// How far any fragment of the session went: what went out once is out.
fn furthest(audit: &[AuditRecord]) -> Option<Exported> {
    let distance = |exported: &Exported| match exported {
        Exported::No => 0,
        Exported::Redacted => 1,
        Exported::Raw => 2,
    };
    audit
        .iter()
        .filter_map(|record| record.exported)
        .max_by_key(distance)
}

/// Whether every audit record has its policy; nothing where there is no record.
fn has_snapshots(audit: &[AuditRecord]) -> Option<bool> {
    let all = audit
        .iter()
        .all(|record| record.reasoning_item_id_policy.is_some());
    (!audit.is_empty()).then_some(all)
}

fn exported_word(exported: Exported) -> &'static str {
    match exported {
        Exported::No => "no",
        Exported::Redacted => "redacted",
        Exported::Raw => "raw",
    }
}

fn resume_word(key: ResumeKey) -> &'static str {
    match key {
        ResumeKey::RunState => "run_state",
        ResumeKey::BusinessKey => "business_key",
        ResumeKey::ReasoningId => "reasoning_id",
    }
}
