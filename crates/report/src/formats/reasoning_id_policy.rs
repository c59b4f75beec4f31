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

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::testing::{HOSTILE, WITH_ID, WITHOUT_ID, case, finding, records, run, text as utf8};

    fn audit(line: &str) -> AuditRecord {
        serde_json::from_str(line).expect("an audit record")
    }

    fn policy_case(name: &str, lines: &str, audit: Vec<AuditRecord>) -> CaseReport {
        CaseReport {
            audit,
            ..case(name, Table::ReasoningIdPolicy, lines, vec![])
        }
    }

    #[test]
    fn the_whole_file() {
        let preserve = audit(
            r#"{"run_id":"run_1","reasoning_item_id_policy":"preserve","exported":"no","resume_key_type":"run_state"}"#,
        );
        let earlier = audit(
            r#"{"reasoning_item_id_policy":"omit","exported":"redacted","callback_dedupe_key":"content"}"#,
        );
        let later =
            audit(r#"{"reasoning_item_id_policy":"omit","exported":"no","resume_key_type":"business_key"}"#);
        let without_policy = audit(r#"{"run_id":"run_3"}"#);
        let mut unauditable = policy_case("F3_no_policy_snapshot", WITH_ID, vec![without_policy]);
        unauditable.verdict =
            crate::testing::verdict(vec![finding("no-policy-snapshot", Severity::Error, Class::Audit)]);
        let bytes = write(&run(vec![
            CaseReport {
                order: 0,
                ..policy_case("baseline_None", WITH_ID, vec![])
            },
            CaseReport {
                order: 1,
                ..policy_case("preserve", WITH_ID, vec![preserve])
            },
            CaseReport {
                order: 2,
                ..policy_case("omit", WITHOUT_ID, vec![earlier, later])
            },
            CaseReport {
                order: 3,
                ..unauditable
            },
        ]));
        // The hash with the id is the test vector of the wire crate; the other is
        // printf '[{"type":"reasoning","summary":[]}]' | sha256sum
        assert_eq!(utf8(&bytes), EXPECTED);
    }

    const EXPECTED: &str = "\
case,policy,result,ids_present,frag_hash,exported,resume_key_type,callback_dedupe_key,policy_snapshot,run_id,note
baseline_None,,id_present,true,5ea18b8be77dd9fbfaf5855519d9e23028de733613698a7bafc11162a249711c,,,,,,
preserve,preserve,id_present,true,5ea18b8be77dd9fbfaf5855519d9e23028de733613698a7bafc11162a249711c,no,run_state,,true,run_1,
omit,omit,id_stripped,false,8b826ecb6b8f441e7988ee62db8703c697be6b8f92fedde52ee129535f470871,redacted,business_key,content,true,,
F3_no_policy_snapshot,,unauditable,true,5ea18b8be77dd9fbfaf5855519d9e23028de733613698a7bafc11162a249711c,,,,false,run_3,no-policy-snapshot
";

    #[test]
    fn hostile_names_come_back_and_are_no_formula() {
        let record = AuditRecord {
            run_id: Some("@SUM(A1)".to_owned()),
            ..AuditRecord::default()
        };
        let bytes = write(&run(vec![policy_case(HOSTILE, WITH_ID, vec![record])]));
        let row = &records(&bytes)[1];
        assert_eq!(row[0], format!("'{}", HOSTILE.replace('\u{1b}', "\\u{1b}")));
        assert_eq!(row[9], "'@SUM(A1)");
    }

    #[test]
    fn a_session_without_a_request_shows_nothing() {
        let bytes = write(&run(vec![policy_case("empty", "", vec![])]));
        assert_eq!(
            records(&bytes)[1],
            ["empty", "", "not_judged", "", "", "", "", "", "", "", ""]
        );
    }
}
