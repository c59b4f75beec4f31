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

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::case::Table;
    use crate::testing::{HOSTILE, WITH_ID, case, finding, records, run, text as utf8};

    #[test]
    fn the_whole_file() {
        let dropped = Finding {
            item: Some("rs_1".to_owned()),
            message: "the reasoning item `rs_1`, issued in exchange 1, is gone".to_owned(),
            ..finding("reasoning-dropped", Severity::Error, Class::Carry)
        };
        let export = Finding {
            exchange: None,
            ..finding("id-in-export", Severity::Warning, Class::Leak)
        };
        let bytes = write(&run(vec![case(
            "a",
            Table::CarryOver,
            WITH_ID,
            vec![dropped, export],
        )]));
        assert_eq!(
            utf8(&bytes),
            "case,exchange,rule,class,severity,item,message\n\
             a,2,reasoning-dropped,carry,error,rs_1,\"the reasoning item `rs_1`, issued in exchange 1, is gone\"\n\
             a,,id-in-export,leak,warning,,id-in-export fired\n"
        );
    }

    #[test]
    fn hostile_text_comes_back() {
        let hostile = Finding {
            item: Some(HOSTILE.to_owned()),
            message: format!("got {HOSTILE}"),
            ..finding("null-id", Severity::Warning, Class::Shape)
        };
        let bytes = write(&run(vec![case(
            HOSTILE,
            Table::CarryOver,
            WITH_ID,
            vec![hostile],
        )]));
        let row = &records(&bytes)[1];
        let shown = HOSTILE.replace('\u{1b}', "\\u{1b}");
        assert_eq!(row[0], format!("'{shown}"));
        assert_eq!(row[5], format!("'{shown}"));
        assert_eq!(row[6], format!("got {shown}"));
    }
}
