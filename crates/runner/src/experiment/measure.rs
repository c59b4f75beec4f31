//! One cell, played and repeated, to one row.

use crate::experiment::Plan;
use crate::experiment::cell::{Cell, Thinking};
use crate::experiment::client::{Client, Seen};

/// A row of `replay_policy.csv`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// `effective`, `accepted_without_effect`, `refused`, or `varies` where repetitions differ.
    pub result: &'static str,
    cells: [String; 25],
}

impl Row {
    /// The cells in the order of the columns.
    pub fn cells(&self) -> [String; 25] {
        self.cells.clone()
    }
}

/// What becomes of one repetition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Effective,
    WithoutEffect,
    Refused,
}

impl Fate {
    fn of(seen: &Seen) -> Self {
        if seen.status != 200 {
            Self::Refused
        } else if seen.text.contains("nonce-") {
            Self::Effective
        } else {
            Self::WithoutEffect
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Effective => "effective",
            Self::WithoutEffect => "accepted_without_effect",
            Self::Refused => "refused",
        }
    }
}

/// Plays a cell as often as the plan says, each time under another seed; failures are kept.
pub fn measure(cell: &Cell, plan: &Plan) -> Row {
    let runs: Vec<Seen> = (plan.seed..)
        .take(plan.repetitions)
        .map(|seed| Client::new(cell, seed).work())
        .collect();
    let fates: Vec<Fate> = runs.iter().map(Fate::of).collect();
    let result = match fates.split_first() {
        Some((first, rest)) if rest.iter().all(|fate| fate == first) => first.as_str(),
        _ => "varies",
    };
    let accepted = one_of(&runs, |seen| (seen.status == 200).to_string());
    let completed = if cell.task.has_tools() {
        accepted.clone()
    } else {
        String::new()
    };
    let mean = |number: fn(&Seen) -> Option<u64>| {
        let numbers: Vec<u64> = runs.iter().filter_map(number).collect();
        let sum: u64 = numbers.iter().sum();
        let count = numbers.len() as u64;
        sum.checked_div(count)
            .map_or_else(String::new, |mean| mean.to_string())
    };
    let mut notes: Vec<String> = runs.iter().flat_map(|seen| seen.notes.clone()).collect();
    notes.sort();
    notes.dedup();
    let endpoint = &cell.endpoint;
    let word = str::to_owned;
    let cells = [
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
        one_of(&runs, |seen| seen.status.to_string()),
        accepted.clone(),
        one_of(&runs, |seen| (Fate::of(seen) == Fate::Effective).to_string()),
        accepted.clone(),
        completed,
        accepted,
        // Which output belongs to which call, latency and prices are not measured against a fake.
        String::new(),
        mean(|seen| seen.input_tokens),
        mean(|seen| seen.cached_tokens),
        String::new(),
        String::new(),
        runs.len().to_string(),
        word("simulated"),
        word(result),
        notes.join(" "),
    ];
    Row { result, cells }
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
