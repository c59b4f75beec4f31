//! The line that `run` closes with.

use crate::case::CaseEnd;
use crate::run::Run;
use crate::words::counted;

/// How many cases and twins there are, and how many ended as they should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases that planted a mistake.
    pub planted: usize,
    /// Of these, those whose mistake was found as the scenario expects.
    pub found: usize,
    /// Twins.
    pub twins: usize,
    /// Of these, those that are clean.
    pub twins_clean: usize,
    /// Cases that are neither: sessions of real clients, scenarios without a slip.
    pub others: usize,
    /// Cases and twins that failed.
    pub failed: usize,
    /// Cases and twins of which nothing, or not enough, could be judged.
    pub unjudged: usize,
}

/// Counts a run.
pub fn tally(run: &Run) -> Tally {
    let mut tally = Tally::default();
    for case in &run.cases {
        let end = case.end(run.started.fail_on);
        let passed = usize::from(end == CaseEnd::Passed);
        tally.failed += usize::from(end == CaseEnd::Failed);
        tally.unjudged += usize::from(end == CaseEnd::Unjudged);
        match (case.twin, case.planted) {
            (true, _) => {
                tally.twins += 1;
                tally.twins_clean += passed;
            }
            (false, true) => {
                tally.planted += 1;
                tally.found += passed;
            }
            (false, false) => tally.others += 1,
        }
    }
    tally
}

/// The closing line. What was not found, or is not clean, is said as `n of m`. Where nothing was planted, the line
/// counts sessions instead: those do say something about somebody's code.
pub fn closing(run: &Run) -> String {
    let tally = tally(run);
    if tally.planted + tally.twins == 0 {
        let sessions = counted(tally.others, "session");
        return format!(
            "{sessions}: {} failed, {} not judged",
            tally.failed, tally.unjudged
        );
    }
    let unjudged = match tally.unjudged {
        0 => String::new(),
        count => format!(", {count} not judged"),
    };
    format!(
        "{} found, {} clean{unjudged}; this says nothing about your code: holdover test -- CMD does",
        part_of(tally.found, tally.planted, "planted mistake"),
        part_of(tally.twins_clean, tally.twins, "twin"),
    )
}

fn part_of(good: usize, all: usize, noun: &str) -> String {
    if good == all {
        counted(all, noun)
    } else {
        format!("{good} of {}", counted(all, noun))
    }
}

#[cfg(test)]
mod tests {
    use holdover_judge::{Class, Severity};

    use super::*;
    use crate::case::{CaseReport, Table, Unmet};
    use crate::testing::{WITH_ID, case, finding, run};

    fn planted(order: usize) -> CaseReport {
        let lost = finding("reasoning-dropped", Severity::Error, Class::Carry);
        CaseReport {
            order,
            planted: true,
            ..case("p", Table::CarryOver, WITH_ID, vec![lost])
        }
    }

    fn twin(order: usize) -> CaseReport {
        CaseReport {
            twin: true,
            ..CaseReport {
                order,
                ..case("p", Table::CarryOver, WITH_ID, vec![])
            }
        }
    }

    #[test]
    fn all_as_expected() {
        assert_eq!(
            closing(&run(vec![planted(0), planted(1), twin(0)])),
            "2 planted mistakes found, 1 twin clean; this says nothing about your code: holdover test -- CMD does"
        );
    }

    #[test]
    fn sessions_of_a_real_client_are_counted() {
        let planted_nothing = CaseReport {
            planted: false,
            ..planted(0)
        };
        let silent = case("s", Table::CarryOver, "", vec![]);
        assert_eq!(
            closing(&run(vec![planted_nothing, silent])),
            "2 sessions: 1 failed, 1 not judged"
        );
    }

    #[test]
    fn what_could_not_be_judged_is_said() {
        let silent = case("s", Table::CarryOver, "", vec![]);
        assert_eq!(
            closing(&run(vec![planted(0), twin(0), silent])),
            "1 planted mistake found, 1 twin clean, 1 not judged; this says nothing about your code: \
             holdover test -- CMD does"
        );
    }

    #[test]
    fn what_was_missed_is_said() {
        let missed = CaseReport {
            unmet: vec![Unmet {
                message: "x".to_owned(),
            }],
            ..planted(1)
        };
        let dirty = CaseReport {
            twin: true,
            planted: false,
            ..planted(0)
        };
        let run = run(vec![planted(0), missed, dirty, twin(1)]);
        assert_eq!(
            closing(&run),
            "1 of 2 planted mistakes found, 1 of 2 twins clean; this says nothing about your code: \
             holdover test -- CMD does"
        );
        let expected = Tally {
            planted: 2,
            found: 1,
            twins: 2,
            twins_clean: 1,
            others: 0,
            failed: 2,
            unjudged: 0,
        };
        assert_eq!(tally(&run), expected);
    }
}
