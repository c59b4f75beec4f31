//! Whether leaving reasoning out may become a default (R10 of `docs/mission.md`). Only live rows decide.

use std::collections::BTreeMap;

use holdover_profile::provider::Mode;

use crate::experiment::cell::Treatment;
use crate::experiment::measure::Row;

/// Repetitions of a cell that are the least to conclude from (R9).
const REPETITIONS_MIN: usize = 3;

/// What the live rows of an endpoint say of one place in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The endpoint.
    pub profile: String,
    /// Ordinary turns, tool loops and what follows them are apart.
    pub mode: Mode,
    /// What stands against leaving reasoning out; nothing does where it is empty.
    pub against: Vec<String>,
}

impl Decision {
    /// One line for a person.
    pub fn line(&self) -> String {
        let place = format!("{}, {}", self.profile, self.mode.as_str());
        if self.against.is_empty() {
            return format!(
                "{place}: `drop_reasoning` may become a default, behind a flag and with a way back, until the endpoint changes"
            );
        }
        format!("{place}: `drop_reasoning` stays off: {}", self.against.join("; "))
    }
}

/// What the rows decide, for each endpoint and place of which there are live rows.
pub fn decide(rows: &[Row]) -> Vec<Decision> {
    let mut places: BTreeMap<(String, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_live()) {
        let place = (row.cell.endpoint.name.clone(), row.cell.mode().as_str());
        places.entry(place).or_default().push(row);
    }
    let places = places.into_iter();
    places
        .filter_map(|((profile, _), rows)| {
            Some(Decision {
                profile,
                mode: rows.first()?.cell.mode(),
                against: against(&rows),
            })
        })
        .collect()
}

fn against(rows: &[&Row]) -> Vec<String> {
    let of = |treatment| rows.iter().filter(move |row| row.cell.treatment == treatment);
    let count = |is_so: &dyn Fn(&Row) -> bool| of(Treatment::Drop).filter(|row| is_so(row)).count();
    let problems = [
        (
            "was measured fewer than three times",
            count(&|row| row.runs.len() < REPETITIONS_MIN),
        ),
        (
            "was not accepted each time",
            count(&|row| row.runs.iter().any(|seen| seen.status != 200)),
        ),
        (
            "lost a call",
            count(&|row| row.runs.iter().any(|seen| !seen.called)),
        ),
        (
            "took one tool's output for another's",
            count(&|row| row.runs.iter().any(|seen| seen.confuses == Some(true))),
        ),
        ("varies", count(&|row| row.result == "varies")),
    ];
    let mut against: Vec<String> = problems
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(problem, count)| format!("{count} of its cells: {problem}"))
        .collect();
    let kept: Vec<&&Row> = of(Treatment::Replay).collect();
    let read = kept.iter().filter(|row| row.result == "effective").count();
    if read > 0 {
        against.push(format!(
            "the model read what came back in {read} of {} cells, and would lose it",
            kept.len()
        ));
    }
    let tokens = |treatment| -> u64 {
        of(treatment)
            .filter_map(|row| row.mean(|seen| seen.input_tokens))
            .sum()
    };
    if tokens(Treatment::Drop) >= tokens(Treatment::Replay) {
        against.push("it saves no input tokens".to_owned());
    }
    against
}
