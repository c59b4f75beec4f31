//! A run as its events told it: what every writer is a function of.

use crate::case::CaseReport;
use crate::event::{RunEvent, RunStarted};

/// The cases of a run in the order of its tables: all cases, then all twins in the same order.
///
/// Writers take it apart member by member, so that a new member breaks each of them at compile time.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What holds for the whole run.
    pub started: RunStarted,
    /// All cases, then all twins, each in the order of the plan.
    pub cases: Vec<CaseReport>,
    /// Notes in the order in which they came.
    pub notes: Vec<String>,
}

impl Run {
    /// The run of a vector of events.
    pub fn from_events(events: impl IntoIterator<Item = RunEvent>) -> Self {
        let mut run = Self::default();
        events.into_iter().for_each(|event| run.take(event));
        run
    }

    /// Takes one event in. Cases may come in any order.
    pub fn take(&mut self, event: RunEvent) {
        match event {
            RunEvent::RunStarted(started) => self.started = started,
            RunEvent::CaseFinished(case) => self.put(*case),
            RunEvent::Note(text) => self.notes.push(text),
            // Progress only: nothing is known yet, and nothing more.
            RunEvent::CaseStarted(_) | RunEvent::RunFinished => {}
        }
    }

    fn put(&mut self, case: CaseReport) {
        let place = self.cases.partition_point(|other| key(other) <= key(&case));
        self.cases.insert(place, case);
    }
}

/// Cases of equal order (several sessions of one client) stand by name.
fn key(case: &CaseReport) -> (bool, usize, &str) {
    (case.twin, case.order, &case.case)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::verdict;
    use holdover_wire::Recording;

    fn finished(order: usize, case: &str, twin: bool) -> RunEvent {
        RunEvent::CaseFinished(Box::new(CaseReport {
            order,
            twin,
            ..CaseReport::new(case, Recording::default(), verdict(vec![]))
        }))
    }

    #[test]
    fn all_cases_stand_before_all_twins_whatever_ended_first() {
        let run = Run::from_events([
            finished(1, "b", true),
            finished(0, "z", true),
            finished(1, "b", false),
            RunEvent::Note("`/v1/models` was called and is not served".to_owned()),
            finished(0, "z", false),
            RunEvent::RunFinished,
        ]);
        let names: Vec<_> = run.cases.iter().map(|case| case.name().to_string()).collect();
        assert_eq!(names, ["z", "b", "z.twin", "b.twin"]);
        assert_eq!(run.notes, ["`/v1/models` was called and is not served"]);
    }
}
