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
