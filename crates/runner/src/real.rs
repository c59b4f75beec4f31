//! Plays a scenario whose client is a real command (`[client]`): the scenario's server, the command, the judge.

use std::ffi::OsString;
use std::time::Duration;

use holdover_report::{CaseReport, Table};
use holdover_server::{ServerConfig, World};
use holdover_wire::Recording;

use crate::client::{ClientCommand, ClientEnd, Output};
use crate::expect::{self, Unmet};
use crate::lower::{Case, Setup};
use crate::schedule::Finished;
use crate::session::{self, Trial, TrialError, Tried};

/// When a command is stopped whose scenario does not say.
const TIMEOUT_S: u32 = 300;

/// What came of the command, with what a user should know.
#[derive(Debug)]
pub struct Played {
    /// The case. A command that spoke in several sessions gives one for each.
    pub finished: Vec<Finished>,
    /// Paths that are not served, files that were not scanned, bad audit lines.
    pub notes: Vec<String>,
}

/// The server of a setup.
pub fn server(setup: Setup) -> ServerConfig {
    ServerConfig {
        fake: setup.fake,
        world: World::OfTemplate,
        judge: setup.judge,
        replies: setup.script,
        faults: setup.faults,
        ..ServerConfig::default()
    }
}

/// Runs the command of the case to its end and judges what it sent; `None` for a case without a command.
pub async fn play(case: &Case, index: usize) -> Result<Option<Played>, TrialError> {
    let Some(client) = &case.scenario.client else {
        return Ok(None);
    };
    let trial = Trial {
        server: server(case.setup.clone()),
        command: ClientCommand {
            argv: client.command.value.iter().map(OsString::from).collect(),
            env: client
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            timeout: Duration::from_secs(u64::from(client.timeout_s.unwrap_or(TIMEOUT_S))),
            output: Output::Inherited,
        },
        session: case.setup.agent.session.clone(),
        scan: Vec::new(),
        audit: None,
    };
    let Tried { cases, end, notes } = session::run(trial).await?;
    let mut finished: Vec<Finished> = cases
        .into_iter()
        .map(|report| finish(case, index, report))
        .collect();
    match finished.first_mut() {
        Some(first) => first.unmet.extend(ended(case, end)),
        None => finished.push(silent(case, index, end)),
    }
    for done in &mut finished {
        done.report.unmet = expect::messages(&done.unmet);
    }
    Ok(Some(Played { finished, notes }))
}

fn finish(case: &Case, index: usize, report: CaseReport) -> Finished {
    let own = report.session == case.setup.agent.session;
    let name = if own {
        case.name.clone()
    } else {
        format!("{}/{}", case.name, report.session)
    };
    let table = case.scenario.table.and_then(|table| Table::parse(table.as_str()));
    let report = CaseReport {
        order: index,
        case: name,
        table: table.or(report.table),
        file: Some(case.scenario.file.clone()),
        planted: case
            .scenario
            .expect
            .findings
            .as_ref()
            .is_some_and(|rules| !rules.is_empty()),
        ..report
    };
    let unmet = expect::unmet(case, &report, &[]);
    Finished {
        report,
        unmet,
        reproduced: Vec::new(),
        index,
    }
}

/// A command that sent nothing is a case without exchanges.
fn silent(case: &Case, index: usize, end: ClientEnd) -> Finished {
    let own = case.setup.agent.session.clone();
    let report = CaseReport::new(&case.name, Recording::default(), session::empty_verdict());
    let report = CaseReport {
        session: own,
        ..report
    };
    let mut done = finish(case, index, report);
    done.unmet
        .push(unmet(case, "the command sent nothing to the fake".to_owned()));
    done.unmet.extend(ended(case, end));
    done
}

fn ended(case: &Case, end: ClientEnd) -> Option<Unmet> {
    match end {
        ClientEnd::Exited(0) => None,
        ClientEnd::Exited(code) => Some(unmet(case, format!("the command ended with exit code {code}"))),
        ClientEnd::TimedOut => Some(unmet(case, "the command was stopped after its time".to_owned())),
        ClientEnd::Interrupted => Some(unmet(case, "the command was interrupted".to_owned())),
    }
}

fn unmet(case: &Case, message: String) -> Unmet {
    let span = case
        .scenario
        .client
        .as_ref()
        .map(|client| client.command.span.clone());
    Unmet {
        message,
        label: String::new(),
        span,
    }
}
