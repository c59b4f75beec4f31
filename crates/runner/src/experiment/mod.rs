//! The replay experiment (R8, R9 of `docs/mission.md`): each endpoint, each task, reasoning replayed, dropped and
//! modified, whole and streamed, thinking and not; several times, in an order that the seed shuffles, failures kept.
//!
//! `accepted` is what the server answered; `effective` is what the recall probe proves: whether the model could name the
//! nonce of reasoning that came back. Against our own fake a row says `simulated`; against a server of somebody else, `live`,
//! and only such rows decide anything.
//!
//! | module | what is there |
//! |---|---|
//! | [`cell`] | the axes |
//! | [`task`] | what user, tools and model do in each task |
//! | [`words`] | what the user says, and how an answer shows what the model read |
//! | [`server`] | who answers: our own fake, or a live endpoint |
//! | [`client`] | the client of chat completions that is measured |
//! | [`measure`] | one cell, played and repeated, to one row |
//! | [`decision`] | whether leaving reasoning out may become a default |

pub mod cell;
pub mod client;
pub mod decision;
pub mod measure;
pub mod server;
pub mod task;
pub mod words;

use std::sync::Arc;

use holdover_profile::provider::Endpoint;
use holdover_wire::Wire;

use crate::experiment::cell::Cell;
use crate::experiment::measure::Row;
use crate::experiment::server::Live;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Endpoints.
    pub endpoints: Vec<Arc<Endpoint>>,
    /// How often each cell is played.
    pub repetitions: usize,
    /// Seed of the order and of the first repetition.
    pub seed: u64,
    /// The server that answers, where it is not our own fake.
    pub live: Option<Live>,
}

/// How many conversations a plan comes to.
pub fn conversations(plan: &Plan) -> usize {
    cells(plan).len() * plan.repetitions
}

/// Whether an endpoint can be measured: the client speaks chat completions only.
pub fn measures(endpoint: &Endpoint) -> bool {
    endpoint.wire == Wire::ChatCompletions
}

fn cells(plan: &Plan) -> Vec<Cell> {
    let endpoints = plan.endpoints.iter();
    let measured = endpoints.filter(|endpoint| measures(endpoint));
    measured.flat_map(cell::cells).collect()
}

/// Plays every cell in an order that the seed shuffles, and gives the rows in the order of the axes. A live server
/// that turns the first row away (no answer, no such path or model, another key) is asked no further.
pub fn run(plan: &Plan) -> Vec<Row> {
    let cells = cells(plan);
    let mut measured: Vec<(usize, Row)> = Vec::new();
    let mut is_reached = plan.live.is_none();
    for place in cell::shuffled(cells.len(), plan.seed) {
        let row = measure::measure(&cells[place], plan);
        let is_away = !is_reached && row.is_turned_away();
        is_reached |= row.is_live();
        measured.push((place, row));
        if is_away {
            break;
        }
    }
    measured.sort_by_key(|(place, _)| *place);
    measured.into_iter().map(|(_, row)| row).collect()
}

/// Why no row says anything, where none does: the server turned every one away.
pub fn turned_away(rows: &[Row]) -> Option<String> {
    let first = rows.first()?;
    let notes = first.runs.iter().flat_map(|seen| seen.notes.iter());
    rows.iter()
        .all(Row::is_turned_away)
        .then(|| notes.last().cloned().unwrap_or_default())
}

/// The rows as `replay_policy.csv`.
pub fn table(rows: &[Row]) -> Vec<u8> {
    holdover_report::replay_policy(rows.iter().map(Row::cells))
}

/// What a user is told: how many rows there are, and what is not decided (R10).
pub fn summary(rows: &[Row]) -> Vec<String> {
    let count = |result: &str| rows.iter().filter(|row| row.result == result).count();
    let results = [
        "effective",
        "accepted_without_effect",
        "accepted",
        "refused",
        "no_answer",
        "varies",
    ];
    let counts: Vec<String> = results
        .iter()
        .map(|result| format!("{result}: {}", count(result)))
        .collect();
    let live = rows.iter().filter(|row| row.is_live()).count();
    let mut lines = vec![format!("{} rows, {live} live: {}", rows.len(), counts.join(", "))];
    if live == 0 {
        lines.push(
            "no default is decided: a decision about `drop_reasoning` takes live rows only (R10)".to_owned(),
        );
    }
    lines.extend(decision::decide(rows).iter().map(decision::Decision::line));
    lines
}
