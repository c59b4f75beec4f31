//! Whether leaving reasoning out may become a default (R10 of `docs/mission.md`). Only live rows decide.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdover_profile::provider::{Endpoint, Mode};

use crate::experiment::cell::{Cell, Thinking, Treatment, cells};
use crate::experiment::client::Seen;
use crate::experiment::measure::Row;
use crate::experiment::server::Evidence;

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

/// What the rows decide, for each endpoint that answered and each place in a conversation. A row that nobody answered
/// stays, because it shows nothing.
pub fn decide(rows: &[Row]) -> Vec<Decision> {
    let mut endpoints: BTreeMap<&str, &Arc<Endpoint>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_live()) {
        endpoints.insert(&row.cell.endpoint.name, &row.cell.endpoint);
    }
    let of = |endpoint: &Arc<Endpoint>| {
        let mut places: BTreeMap<Mode, Vec<Pair<'_>>> = BTreeMap::new();
        for pair in pairs(endpoint, rows) {
            places.entry(pair.mode).or_default().push(pair);
        }
        let decision = |(mode, pairs): (Mode, Vec<Pair<'_>>)| Decision {
            profile: endpoint.name.clone(),
            mode,
            against: against(&pairs),
        };
        places.into_iter().map(decision).collect::<Vec<_>>()
    };
    endpoints.into_values().flat_map(of).collect()
}

/// The rows of one task, transport and way of thinking: what was measured with reasoning sent back, and without.
struct Pair<'a> {
    mode: Mode,
    thinks: bool,
    replay: Option<&'a Row>,
    drop: Option<&'a Row>,
}

impl Pair<'_> {
    /// Both rows, where they are there.
    fn rows(&self) -> impl Iterator<Item = Option<&Row>> {
        [self.replay, self.drop].into_iter()
    }

    /// Whether leaving reasoning out was cheaper. Where the model does not think, there is nothing to leave out.
    fn saves(&self) -> bool {
        let tokens = |row: Option<&Row>| row?.mean(|seen| seen.input_tokens);
        match (tokens(self.replay), tokens(self.drop)) {
            (Some(replay), Some(drop)) => drop < replay,
            _ => false,
        }
    }
}

/// The pairs that an endpoint has, measured or not.
fn pairs<'a>(endpoint: &Arc<Endpoint>, rows: &'a [Row]) -> Vec<Pair<'a>> {
    let all = cells(endpoint);
    let replayed = all.iter().filter(|cell| cell.treatment == Treatment::Replay);
    let row = |cell: &Cell, treatment| {
        let is_it = |row: &&Row| {
            let own = &row.cell;
            let is_place = own.task == cell.task && own.transport == cell.transport;
            let is_asked = own.endpoint.name == endpoint.name && own.thinking == cell.thinking;
            is_place && is_asked && own.treatment == treatment && row.evidence == Evidence::Live
        };
        rows.iter().find(is_it)
    };
    let pair = |cell: &Cell| Pair {
        mode: cell.mode(),
        thinks: cell.thinking == Thinking::On,
        replay: row(cell, Treatment::Replay),
        drop: row(cell, Treatment::Drop),
    };
    replayed.map(pair).collect()
}

fn against(pairs: &[Pair<'_>]) -> Vec<String> {
    let mut against = measured(pairs);
    against.extend(suffered(pairs));
    against.extend(read(pairs));
    let thinking = pairs.iter().filter(|pair| pair.thinks);
    let cheaper = thinking.clone().filter(|pair| pair.saves()).count();
    let thinking = thinking.count();
    if cheaper < thinking {
        against.push(format!(
            "it was not shown to save input tokens in {} of {thinking} pairs of cells",
            thinking - cheaper
        ));
    }
    against
}

/// A problem of so many cells, where there are some.
fn told(problem: &str, count: usize) -> Option<String> {
    (count > 0).then(|| format!("{count} of its cells: {problem}"))
}

/// What was not measured, with reasoning or without: nothing is concluded from it.
fn measured(pairs: &[Pair<'_>]) -> Vec<String> {
    let count = |is_so: &dyn Fn(Option<&Row>) -> bool| {
        let rows = pairs.iter().flat_map(Pair::rows);
        rows.filter(|row| is_so(*row)).count()
    };
    let silent = |row: &Row| row.runs.iter().any(|seen| seen.status == 0);
    let problems = [
        ("no live answer was measured", count(&|row| row.is_none())),
        ("did not answer each time", count(&|row| row.is_some_and(silent))),
        (
            "was measured fewer than three times",
            count(&|row| row.is_some_and(|row| row.runs.len() < REPETITIONS_MIN)),
        ),
    ];
    let told = problems
        .into_iter()
        .filter_map(|(problem, count)| told(problem, count));
    told.collect()
}

/// What went wrong without reasoning.
fn suffered(pairs: &[Pair<'_>]) -> Vec<String> {
    let count = |is_so: &dyn Fn(&Row) -> bool| {
        let rows = pairs.iter().filter_map(|pair| pair.drop);
        rows.filter(|row| is_so(row)).count()
    };
    let any = |row: &Row, is_so: &dyn Fn(&Seen) -> bool| row.runs.iter().any(is_so);
    let problems = [
        (
            "was not accepted each time",
            count(&|row| any(row, &|seen| !matches!(seen.status, 0 | 200))),
        ),
        ("lost a call", count(&|row| any(row, &|seen| !seen.called))),
        (
            "took one tool's output for another's",
            count(&|row| any(row, &|seen| seen.confuses == Some(true))),
        ),
        ("varies", count(&|row| row.result == "varies")),
    ];
    let told = problems
        .into_iter()
        .filter_map(|(problem, count)| told(problem, count));
    told.collect()
}

/// Whether the model read what came back. One answer that shows it is enough; where no answer shows either, nobody knows.
fn read(pairs: &[Pair<'_>]) -> Option<String> {
    let kept = || pairs.iter().filter_map(|pair| pair.replay);
    let is_read = |row: &&Row| row.runs.iter().any(|seen| seen.recalls == Some(true));
    let read = kept().filter(is_read).count();
    if read > 0 {
        return Some(format!(
            "the model read what came back in {read} of {} cells, and would lose it",
            kept().count()
        ));
    }
    let is_unread = |seen: &Seen| seen.status == 200 && seen.recalls == Some(false);
    let known = kept().any(|row| row.runs.iter().any(is_unread));
    (!known).then(|| "no cell tells whether the model read what came back".to_owned())
}

#[cfg(test)]
mod tests {
    use holdover_profile::provider::Book;

    use super::*;

    /// Live rows of every cell: all is accepted, nothing read, and what is left out saves ten tokens.
    fn rows() -> Vec<Row> {
        let endpoint = Book::builtin().find("kimi-k2").expect("an endpoint");
        let row = |cell: Cell| {
            let seen = Seen {
                status: 200,
                recalls: Some(false),
                called: true,
                input_tokens: Some(match cell.treatment {
                    Treatment::Drop => 90,
                    Treatment::Replay | Treatment::Modified => 100,
                }),
                evidence: Evidence::Live,
                ..Seen::default()
            };
            Row {
                cell,
                result: "accepted_without_effect",
                evidence: Evidence::Live,
                runs: vec![seen; 3],
            }
        };
        cells(endpoint).into_iter().map(row).collect()
    }

    /// What stands against it in a place, after a row of that place and treatment was changed.
    fn changed(treatment: Treatment, change: impl Fn(&mut Row)) -> Vec<String> {
        let mut rows = rows();
        let row = rows.iter_mut().find(|row| {
            row.cell.treatment == treatment
                && row.cell.mode() == Mode::NewUserTurn
                && row.cell.thinking == Thinking::On
        });
        change(row.expect("a row"));
        place(&rows, Mode::NewUserTurn)
    }

    fn place(rows: &[Row], mode: Mode) -> Vec<String> {
        let decided = decide(rows);
        assert_eq!(decided.len(), 3, "{decided:?}");
        let place = decided.into_iter().find(|decision| decision.mode == mode);
        place.expect("the place").against
    }

    #[test]
    fn nothing_stands_against_it_where_all_was_measured_and_nothing_is_lost() {
        for decision in decide(&rows()) {
            assert_eq!(decision.against, [""; 0], "{decision:?}");
            assert!(decision.line().contains("may become a default"));
        }
    }

    #[test]
    fn one_answer_that_shows_reading_is_enough() {
        let against = changed(Treatment::Replay, |row| {
            row.runs[1].recalls = Some(true);
            row.result = "varies";
        });
        assert_eq!(
            against,
            ["the model read what came back in 1 of 4 cells, and would lose it"]
        );
    }

    #[test]
    fn where_nothing_tells_whether_it_was_read_nobody_knows() {
        let mut rows = rows();
        for row in &mut rows {
            row.result = "accepted";
            row.runs.iter_mut().for_each(|seen| seen.recalls = None);
        }
        let against = place(&rows, Mode::Ordinary);
        assert_eq!(against, ["no cell tells whether the model read what came back"]);
    }

    #[test]
    fn a_cell_that_nobody_answered_shows_nothing() {
        for treatment in [Treatment::Replay, Treatment::Drop] {
            let against = changed(treatment, |row| {
                row.result = "no_answer";
                for seen in &mut row.runs {
                    seen.status = 0;
                    seen.recalls = None;
                    seen.input_tokens = None;
                }
            });
            let tokens = "it was not shown to save input tokens in 1 of 2 pairs of cells";
            assert_eq!(
                against,
                ["1 of its cells: did not answer each time", tokens],
                "{treatment:?}"
            );
        }
    }

    #[test]
    fn a_cell_that_is_missing_or_is_our_own_fakes_shows_nothing() {
        let expected = [
            "1 of its cells: no live answer was measured",
            "it was not shown to save input tokens in 1 of 2 pairs of cells",
        ];
        let simulated = changed(Treatment::Replay, |row| row.evidence = Evidence::Simulated);
        assert_eq!(simulated, expected);
        let mut rows = rows();
        let gone = rows
            .iter()
            .position(|row| row.cell.treatment == Treatment::Drop && row.cell.mode() == Mode::NewUserTurn);
        rows.remove(gone.expect("a row"));
        assert_eq!(place(&rows, Mode::NewUserTurn), expected);
    }

    #[test]
    fn a_place_that_nobody_answered_is_told_and_an_endpoint_that_is_silent_is_not() {
        let mut rows = rows();
        let silence = |row: &mut Row| {
            row.result = "no_answer";
            row.runs.iter_mut().for_each(|seen| seen.status = 0);
        };
        for row in rows.iter_mut().filter(|row| row.cell.mode() == Mode::ToolLoop) {
            silence(row);
        }
        let against = place(&rows, Mode::ToolLoop);
        assert_eq!(against[0], "24 of its cells: did not answer each time");
        rows.iter_mut().for_each(silence);
        assert_eq!(decide(&rows), []);
    }

    #[test]
    fn tokens_are_compared_in_pairs() {
        // The other pairs save far more than this one loses.
        let dearer = changed(Treatment::Drop, |row| {
            row.runs.iter_mut().for_each(|seen| seen.input_tokens = Some(101));
        });
        let expected = ["it was not shown to save input tokens in 1 of 2 pairs of cells"];
        assert_eq!(dearer, expected);
        // A side without a count is no saving, however much the sums differ.
        let uncounted = changed(Treatment::Drop, |row| {
            row.runs.iter_mut().for_each(|seen| seen.input_tokens = None);
        });
        assert_eq!(uncounted, expected);
    }

    #[test]
    fn a_model_that_does_not_think_has_nothing_to_save() {
        let mut rows = rows();
        for row in &mut rows {
            if row.cell.thinking != Thinking::On {
                row.runs.iter_mut().for_each(|seen| seen.input_tokens = Some(50));
            }
        }
        assert_eq!(place(&rows, Mode::ToolLoop), [""; 0]);
    }

    #[test]
    fn what_goes_wrong_without_reasoning_stands_against_leaving_it_out() {
        let told = |change: &dyn Fn(&mut Seen)| changed(Treatment::Drop, |row| change(&mut row.runs[2]));
        assert_eq!(
            told(&|seen| seen.status = 400),
            ["1 of its cells: was not accepted each time"]
        );
        assert_eq!(told(&|seen| seen.called = false), ["1 of its cells: lost a call"]);
        assert_eq!(
            told(&|seen| seen.confuses = Some(true)),
            ["1 of its cells: took one tool's output for another's"]
        );
        let varies = changed(Treatment::Drop, |row| row.result = "varies");
        assert_eq!(varies, ["1 of its cells: varies"]);
        for treatment in [Treatment::Replay, Treatment::Drop] {
            let few = changed(treatment, |row| row.runs.truncate(2));
            assert_eq!(few, ["1 of its cells: was measured fewer than three times"]);
        }
    }
}
