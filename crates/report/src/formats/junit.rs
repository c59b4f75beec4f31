//! `junit.xml`: a test case for each scenario, twin or session, so that a CI shows them like any other test.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::case::{CaseEnd, CaseReport, Table};
use crate::clean::visible;
use crate::result::result_of;
use crate::run::Run;
use crate::text;

/// The file.
pub(crate) fn write(run: &Run) -> Vec<u8> {
    // Taken apart by member: a new one has to be decided about here.
    let Run {
        started: _,
        cases,
        notes,
    } = run;
    let mut report = Report::new("holdover");
    for (name, twin) in [("cases", false), ("twins", true)] {
        let mut suite = TestSuite::new(name);
        let own = cases.iter().filter(|case| case.twin == twin);
        suite.add_test_cases(own.map(|case| test_case(run, case)));
        if !twin && !notes.is_empty() {
            suite.set_system_out(visible(&notes.join("\n")));
        }
        if !suite.test_cases.is_empty() {
            report.add_test_suite(suite);
        }
    }
    let mut bytes = Vec::new();
    // Writing into memory cannot fail.
    let _ = report.serialize(&mut bytes);
    without_skipped_total(bytes)
}

/// The format that CI servers check against knows no `skipped` of all suites together, which the writer adds.
fn without_skipped_total(bytes: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8_lossy(&bytes);
    let Some((head, rest)) = text.split_once("<testsuites ") else {
        return bytes;
    };
    let Some((attributes, rest)) = rest.split_once('>') else {
        return bytes;
    };
    let kept: Vec<&str> = attributes
        .split(' ')
        .filter(|word| !word.starts_with("skipped="))
        .collect();
    format!("{head}<testsuites {}>{rest}", kept.join(" ")).into_bytes()
}

fn test_case(run: &Run, case: &CaseReport) -> TestCase {
    let name = case
        .test
        .as_ref()
        .map_or_else(|| case.name().as_str().to_owned(), |test| test.id.clone());
    let mut test = TestCase::new(visible(&name), status(run, case));
    // A test of a framework stands under its own file, so that both reports can be laid over each other.
    test.set_classname(match case.test.as_ref().and_then(|test| test.place.as_ref()) {
        Some(place) => visible(&place.file),
        None => format!("holdover.{}", case.table.map_or("session", Table::as_str)),
    });
    test.set_system_out(format!("result: {}", result_of(case)));
    test
}

fn status(run: &Run, case: &CaseReport) -> TestCaseStatus {
    match case.end(run.started.fail_on) {
        CaseEnd::Passed => TestCaseStatus::success(),
        CaseEnd::Failed => failure(run, case),
        CaseEnd::Unjudged => {
            let mut status = TestCaseStatus::skipped();
            status.set_description(visible(&format!("not judged: {}", missing(case))));
            status
        }
    }
}

/// What is missing to judge the case.
fn missing(case: &CaseReport) -> String {
    let named: Vec<_> = case
        .verdict
        .inconclusive
        .iter()
        .map(|open| open.missing.as_str())
        .collect();
    if named.is_empty() {
        "no request came back after reasoning was issued".to_owned()
    } else {
        named.join("; ")
    }
}

fn failure(run: &Run, case: &CaseReport) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let kind = crate::result::worst(case).map_or("unmet", |finding| finding.rule);
    let first = case
        .findings_from(run.started.fail_on)
        .next()
        .map(|finding| finding.message.as_str());
    let unmet = case.unmet.first().map(|unmet| unmet.message.as_str());
    status.set_type(kind);
    status.set_message(visible(
        unmet.or(first).unwrap_or("a finding that nobody planted"),
    ));
    status.set_description(text::case_text(case, text::Style::Plain));
    status
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Inconclusive, Outcome, Severity};

    use super::*;
    use crate::case::Unmet;
    use crate::testing::{HOSTILE, WITH_ID, case, finding, run, text as utf8};

    fn lost() -> CaseReport {
        let lost = finding("reasoning-dropped", Severity::Error, Class::Carry);
        case("lost", Table::CarryOver, WITH_ID, vec![lost])
    }

    fn open() -> CaseReport {
        let mut open = CaseReport {
            order: 2,
            ..case("open", Table::CarryOver, WITH_ID, vec![])
        };
        open.table = None;
        open.verdict.outcome = Outcome::Inconclusive;
        open.verdict.inconclusive = vec![Inconclusive {
            what: "the second turn".to_owned(),
            missing: "the first".to_owned(),
            exchange: None,
        }];
        open
    }

    #[test]
    fn the_whole_file() {
        let planted = CaseReport {
            order: 1,
            case: "planted".to_owned(),
            planted: true,
            ..lost()
        };
        let twin = CaseReport {
            twin: true,
            ..case("planted", Table::CarryOver, WITH_ID, vec![])
        };
        let bytes = write(&run(vec![lost(), planted, open(), twin]));
        assert_eq!(
            utf8(&bytes),
            r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="holdover" tests="4" failures="1" errors="0">
    <testsuite name="cases" tests="3" skipped="1" errors="0" failures="1">
        <testcase name="lost" classname="holdover.carry_over">
            <failure message="reasoning-dropped fired" type="reasoning-dropped">case: lost
error[reasoning-dropped]: reasoning-dropped fired
  at: exchange 2 (conversation 1)

judged: 2 turns in 1 conversation; reasoning items: 1 issued, 1 carried, 1 judged; 0 exports, 0 audit records
verdict: findings (1 error)
</failure>
            <system-out>result: lost</system-out>
        </testcase>
        <testcase name="planted" classname="holdover.carry_over">
            <system-out>result: lost</system-out>
        </testcase>
        <testcase name="open" classname="holdover.session">
            <skipped>not judged: the first</skipped>
            <system-out>result: inconclusive</system-out>
        </testcase>
    </testsuite>
    <testsuite name="twins" tests="1" skipped="0" errors="0" failures="0">
        <testcase name="planted.twin" classname="holdover.carry_over">
            <system-out>result: kept</system-out>
        </testcase>
    </testsuite>
</testsuites>
"#
        );
    }

    #[test]
    fn hostile_names_parse_back() {
        let hostile = CaseReport {
            case: HOSTILE.to_owned(),
            unmet: vec![Unmet {
                message: HOSTILE.to_owned(),
            }],
            ..lost()
        };
        let bytes = write(&run(vec![hostile]));
        let report = Report::deserialize_from_str(utf8(&bytes)).expect("JUnit");
        let test = &report.test_suites[0].test_cases[0];
        let shown = HOSTILE.replace('\u{1b}', "\\u{1b}");
        assert_eq!(test.name.as_str(), shown);
        let TestCaseStatus::NonSuccess {
            message, description, ..
        } = &test.status
        else {
            panic!("the case failed");
        };
        assert_eq!(
            message.as_ref().map(quick_junit::XmlString::as_str),
            Some(shown.as_str())
        );
        assert!(
            description
                .as_ref()
                .is_some_and(|text| text.as_str().contains("]]>"))
        );
        assert!(!utf8(&bytes).contains("<script>"));
    }
}
