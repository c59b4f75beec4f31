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
    bytes
}

fn test_case(run: &Run, case: &CaseReport) -> TestCase {
    let mut test = TestCase::new(visible(case.name().as_str()), status(run, case));
    test.set_classname(format!(
        "holdover.{}",
        case.table.map_or("session", Table::as_str)
    ));
    test.add_property(("result", result_of(case)));
    test
}

fn status(run: &Run, case: &CaseReport) -> TestCaseStatus {
    match case.end(run.started.fail_on) {
        CaseEnd::Passed => TestCaseStatus::success(),
        CaseEnd::Failed => failure(run, case),
        CaseEnd::Unjudged => {
            let mut status = TestCaseStatus::skipped();
            let missing = case.verdict.inconclusive.iter().map(|open| open.missing.clone());
            status.set_message(visible(&format!(
                "not judged: {}",
                missing.collect::<Vec<_>>().join("; ")
            )));
            status
        }
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
