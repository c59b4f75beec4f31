//! A line an event, while a run is under way.

use holdover_judge::Severity;

use super::style::Style;
use crate::case::{CaseEnd, CaseReport};
use crate::clean::one_line;
use crate::event::RunEvent;
use crate::result::result_of;
use crate::words::counted;

/// The line of an event, with its line feed; `None` for an event that is not shown. `fail_on` is the run's.
pub fn progress_line(event: &RunEvent, fail_on: Severity, style: Style) -> Option<String> {
    match event {
        RunEvent::RunStarted(started) => Some(format!(
            "{}, seed {}, profile {}\n",
            counted(started.cases, "case"),
            started.seed,
            one_line(&started.profile)
        )),
        RunEvent::CaseStarted(_) | RunEvent::RunFinished => None,
        RunEvent::CaseFinished(case) => Some(case_line(case, fail_on, style)),
        RunEvent::Note(text) => Some(format!("note: {}\n", one_line(text))),
    }
}

fn case_line(case: &CaseReport, fail_on: Severity, style: Style) -> String {
    let word = match case.end(fail_on) {
        CaseEnd::Passed => style.good("  ok"),
        CaseEnd::Failed => style.bad("FAIL"),
        CaseEnd::Unjudged => style.open("open"),
    };
    format!("{word} {} {}\n", one_line(case.name().as_str()), result_of(case))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Table, Unmet};
    use crate::event::{CaseName, RunStarted};
    use crate::testing::{WITH_ID, case};

    #[test]
    fn a_line_an_event() {
        let clean = case("a", Table::CarryOver, WITH_ID, vec![]);
        let mut failed = case("b\u{1b}", Table::CarryOver, WITH_ID, vec![]);
        failed.twin = true;
        failed.unmet = vec![Unmet {
            message: "x".to_owned(),
        }];
        let events = [
            RunEvent::RunStarted(RunStarted {
                cases: 2,
                ..RunStarted::default()
            }),
            RunEvent::CaseStarted(CaseName::of_case("a")),
            RunEvent::CaseFinished(Box::new(clean)),
            RunEvent::CaseFinished(Box::new(failed)),
            RunEvent::Note("one\ntwo".to_owned()),
            RunEvent::RunFinished,
        ];
        let lines = events
            .iter()
            .filter_map(|event| progress_line(event, Severity::Error, Style::Plain));
        assert_eq!(
            lines.collect::<String>(),
            "2 cases, seed 7, profile openai\n  ok a kept\nFAIL b\\u{1b}.twin kept\nnote: one\\ntwo\n"
        );
    }
}
