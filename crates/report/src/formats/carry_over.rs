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

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::case::{ClientView, Unmet};
    use crate::testing::{WITH_ID, case, finding, run, text as utf8};

    fn carry_case(order: usize, name: &str, findings: Vec<holdover_judge::Finding>) -> CaseReport {
        CaseReport {
            order,
            path: "plain/json/memory".to_owned(),
            ..case(name, Table::CarryOver, WITH_ID, findings)
        }
    }

    #[test]
    fn the_whole_file() {
        let lost = finding("text-only-rebuild", Severity::Error, Class::Carry);
        let id_lost = finding("reasoning-id-lost", Severity::Note, Class::Carry);
        let leak = finding("protected-data-in-export", Severity::Error, Class::Leak);
        let client = ClientView {
            has_protected_in_response: Some(true),
            has_protected_in_history: Some(false),
            reasoning_parts: Some(2),
        };
        let unmet = vec![Unmet {
            message: "result `lost` was expected, but it is `kept`".to_owned(),
        }];
        let bytes = write(&run(vec![
            CaseReport {
                client,
                ..carry_case(0, "L1_text_only_append", vec![lost])
            },
            carry_case(1, "L3_store_id_type_changed", vec![id_lost]),
            CaseReport {
                exports_scanned: 1,
                ..carry_case(2, "L4_protected_in_log", vec![leak])
            },
            CaseReport {
                twin: true,
                ..carry_case(0, "L1_text_only_append", vec![])
            },
            CaseReport {
                twin: true,
                unmet,
                note: "seen before".to_owned(),
                ..carry_case(1, "L3_store_id_type_changed", vec![])
            },
            CaseReport {
                twin: true,
                exports_scanned: 1,
                ..carry_case(2, "L4_protected_in_log", vec![])
            },
        ]));
        assert_eq!(
            utf8(&bytes),
            "\
case,path,has_protected_in_response,has_protected_in_history,prior_protected,reasoning_parts,result,note
L1_text_only_append,plain/json/memory,true,false,1,2,lost,text-only-rebuild
L3_store_id_type_changed,plain/json/memory,,,1,,id_lost,reasoning-id-lost
L4_protected_in_log,plain/json/memory,,,1,,leak,protected-data-in-export
L1_text_only_append.twin,plain/json/memory,,,1,,kept,
L3_store_id_type_changed.twin,plain/json/memory,,,1,,kept,seen before
L4_protected_in_log.twin,plain/json/memory,,,1,,no_leak,
"
        );
    }
}
