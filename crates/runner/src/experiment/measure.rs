//! One cell, played and repeated, to one row.

use crate::experiment::Plan;
use crate::experiment::cell::{Cell, Thinking};
use crate::experiment::client::{Client, Seen};
use crate::experiment::server::Evidence;

/// A row of `replay_policy.csv`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured.
    pub cell: Cell,
    /// `effective`, `accepted_without_effect`, `accepted` where nothing tells whether it was read, `refused`, `no_answer`,
    /// or `varies` where repetitions differ.
    pub result: &'static str,
    /// What it rests on; simulated as soon as one repetition was.
    pub evidence: Evidence,
    /// The repetitions.
    pub runs: Vec<Seen>,
}

/// What becomes of one repetition.
fn fate(seen: &Seen) -> &'static str {
    match (seen.status, seen.recalls) {
        (200, Some(true)) => "effective",
        (200, Some(false)) => "accepted_without_effect",
        (200, None) => "accepted",
        (0, _) => "no_answer",
        _ => "refused",
    }
}

/// Plays a cell as often as the plan says, each time under another seed; failures are kept.
pub fn measure(cell: &Cell, plan: &Plan) -> Row {
    let runs: Vec<Seen> = (plan.seed..)
        .take(plan.repetitions)
        .map(|seed| Client::new(cell, plan.live.as_ref(), seed).work())
        .collect();
    let result = match runs.split_first() {
        Some((first, rest)) if rest.iter().all(|seen| fate(seen) == fate(first)) => fate(first),
        _ => "varies",
    };
    let is_live = !runs.is_empty() && runs.iter().all(|seen| seen.evidence == Evidence::Live);
    Row {
        cell: cell.clone(),
        result,
        evidence: if is_live {
            Evidence::Live
        } else {
            Evidence::Simulated
        },
        runs,
    }
}

impl Row {
    /// The cells in the order of the columns.
    pub fn cells(&self) -> [String; 25] {
        let Self {
            cell,
            result,
            evidence,
            runs,
        } = self;
        let accepted = one_of(runs, |seen| (seen.status == 200).to_string());
        let completed = if cell.task.has_tools() {
            one_of(runs, |seen| (seen.status == 200 && seen.called).to_string())
        } else {
            String::new()
        };
        let mut notes: Vec<String> = runs.iter().flat_map(|seen| seen.notes.clone()).collect();
        notes.sort();
        notes.dedup();
        let endpoint = &cell.endpoint;
        let word = str::to_owned;
        let told = |told: Option<bool>| told.map_or_else(String::new, |told| told.to_string());
        [
            endpoint.name.clone(),
            endpoint.as_of.to_string(),
            endpoint.wire.as_str().to_owned(),
            word(cell.mode().as_str()),
            word(match cell.thinking {
                Thinking::On => "on",
                Thinking::Off(_) => "off",
            }),
            word(cell.treatment.as_str()),
            word(cell.treatment.action()),
            word(cell.transport.as_str()),
            word("default"),
            word(cell.task.as_str()),
            one_of(runs, |seen| seen.status.to_string()),
            accepted.clone(),
            one_of(runs, |seen| match seen.status {
                200 => told(seen.recalls),
                _ => false.to_string(),
            }),
            accepted.clone(),
            completed,
            accepted,
            one_of(runs, |seen| told(seen.confuses)),
            self.mean(|seen| seen.input_tokens)
                .map_or_else(String::new, |mean| mean.to_string()),
            self.mean(|seen| seen.cached_tokens)
                .map_or_else(String::new, |mean| mean.to_string()),
            self.mean(|seen| u64::try_from(seen.latency?.as_millis()).ok())
                .map_or_else(String::new, |mean| mean.to_string()),
            // What a token costs is nobody's business here.
            String::new(),
            runs.len().to_string(),
            word(evidence.as_str()),
            word(result),
            notes.join(" "),
        ]
    }

    /// Whether somebody else's server answered: only then it is evidence.
    pub(crate) fn is_live(&self) -> bool {
        self.evidence == Evidence::Live && self.result != "no_answer"
    }

    /// Whether nobody answered, or everybody who did refused the key or knew no such path or model: nothing was measured.
    pub(crate) fn is_turned_away(&self) -> bool {
        let is_away = |status| matches!(status, 0 | 401 | 403 | 404 | 405);
        self.runs.iter().all(|seen| is_away(seen.status))
    }

    /// The mean of a number over the repetitions that have it.
    pub(crate) fn mean(&self, number: impl Fn(&Seen) -> Option<u64>) -> Option<u64> {
        let numbers: Vec<u64> = self.runs.iter().filter_map(number).collect();
        let sum: u64 = numbers.iter().sum();
        sum.checked_div(numbers.len() as u64)
    }
}

/// What all repetitions say, or all that they say, in order.
fn one_of(runs: &[Seen], say: impl Fn(&Seen) -> String) -> String {
    let mut said: Vec<String> = runs.iter().map(say).collect();
    said.sort();
    said.dedup();
    match said.as_slice() {
        [one] => one.clone(),
        _ => said.join("|"),
    }
}
