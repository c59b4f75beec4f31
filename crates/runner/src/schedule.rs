//! Many cases at a time; what they come to is told in the order of the plan, whatever ended first.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use holdover_agent::Slip;
use holdover_judge::PatternError;
use holdover_report::{Behaviour, CaseReport, RunEvent, RunStarted, Table, Treated};

use crate::expect::{self, Unmet};
use crate::lower::Case;
use crate::play::{self, Played};

/// A case that is over.
#[derive(Debug)]
pub struct Finished {
    /// For the tables.
    pub report: CaseReport,
    /// Expectations that were not met, with their places.
    pub unmet: Vec<Unmet>,
    /// Findings that the turns asked for at their own exchange, and that came there.
    pub reproduced: Vec<(String, u64)>,
    /// Index of the case in the plan.
    pub index: usize,
}

/// Plays every case on `jobs` threads. `tell` gets the events of the run but its end; cases are told in the order of
/// the plan.
pub fn run(
    cases: &[Case],
    jobs: NonZeroUsize,
    started: RunStarted,
    mut tell: impl FnMut(RunEvent),
) -> Result<Vec<Finished>, PatternError> {
    tell(RunEvent::RunStarted(started));
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let finished = thread::scope(|scope| {
        for _ in 0..jobs.get().min(cases.len()) {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || {
                while let Some((index, case)) = take(cases, next) {
                    // A closed channel means that the run was given up.
                    if sender.send((index, play::play(&case.setup))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        in_order(cases, receiver, &mut tell)
    })?;
    Ok(finished)
}

fn take<'a>(cases: &'a [Case], next: &AtomicUsize) -> Option<(usize, &'a Case)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, cases.get(index)?))
}

fn in_order(
    cases: &[Case],
    receiver: mpsc::Receiver<(usize, Result<Played, PatternError>)>,
    tell: &mut impl FnMut(RunEvent),
) -> Result<Vec<Finished>, PatternError> {
    let mut waiting = BTreeMap::new();
    let mut finished: Vec<Finished> = Vec::with_capacity(cases.len());
    for (index, played) in receiver {
        waiting.insert(index, played?);
        while let Some(played) = waiting.remove(&finished.len()) {
            let index = finished.len();
            let done = finish(index, &cases[index], played);
            tell(RunEvent::CaseFinished(Box::new(done.report.clone())));
            finished.push(done);
        }
    }
    Ok(finished)
}

fn finish(index: usize, case: &Case, played: Played) -> Finished {
    let scenario = &case.scenario;
    let mut report = CaseReport {
        order: index,
        twin: case.twin,
        planted: scenario.is_planted()
            || scenario
                .expect
                .findings
                .as_ref()
                .is_some_and(|rules| !rules.is_empty()),
        table: scenario.table.and_then(|table| Table::parse(table.as_str())),
        file: Some(scenario.file.clone()),
        path: path(case),
        behaviour: behaviour(case),
        audit: played.audit,
        client: played.client,
        exports_scanned: played.exports.len(),
        ..CaseReport::new(&case.name, played.recording, played.verdict)
    };
    let unmet = expect::unmet(case, &report, &played.turns);
    report.unmet = expect::messages(&unmet);
    let reproduced = if case.twin {
        Vec::new()
    } else {
        expect::reproduced(scenario, &played.turns)
    };
    Finished {
        report,
        unmet,
        reproduced,
        index,
    }
}

/// What the client does with past reasoning: its slips, else its policy. A slip of a stored token needs one.
fn behaviour(case: &Case) -> Behaviour {
    let agent = &case.setup.agent;
    let slips: Vec<&str> = agent.slips.iter().map(|slip| slip.name()).collect();
    let policy = agent
        .replay_policy
        .as_ref()
        .map(|policy| policy.policy_id.clone());
    let is_token = |slip: &Slip| matches!(slip, Slip::TokenTruncated | Slip::TokenReEncoded);
    Behaviour {
        name: match (slips.is_empty(), policy) {
            (false, _) => slips.join("+"),
            (true, Some(policy)) => policy,
            (true, None) => "replay-all".to_owned(),
        },
        treated: if agent.slips.iter().any(is_token) {
            Treated::Signatures
        } else {
            Treated::Reasoning
        },
    }
}

/// The way that history takes through the client: preset, transport, session store.
fn path(case: &Case) -> String {
    let agent = &case.setup.agent;
    [
        agent.preset.as_str(),
        agent.stream.as_str(),
        agent.session_store.as_str(),
    ]
    .join("/")
}
