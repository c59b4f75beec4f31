//! `holdover run`: plays scenarios and their twins, and writes the tables.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use holdover_report::{Run as Report, RunEvent, RunStarted, tables_of};
use holdover_runner::asked::misdirected;
use holdover_runner::expect::Unmet;
use holdover_runner::lower::{Case, lower};
use holdover_runner::schedule::{self, Finished};
use holdover_runner::settings::Settings;
use holdover_runner::{gather, output, real};
use holdover_scenario::{Code, Problem};

use crate::args::Run;
use crate::commands::{check, test};
use crate::exit::{Exit, UserError};
use crate::settings::{report_kinds, settings};
use crate::terminal::{Progress, Stream, Terminal, graphical};

pub(crate) fn run(arguments: &Run, terminal: Terminal) -> anyhow::Result<Exit> {
    let settings = settings(&arguments.common)?;
    let sources = gather::gather(&arguments.paths).map_err(|error| UserError::usage(error.to_string()))?;
    let (cases, problems) = check::read(&sources, &settings);
    if !problems.is_empty() {
        check::show(&problems, terminal);
        return Ok(Exit::Usage);
    }
    let texts: BTreeMap<&str, &str> = sources
        .iter()
        .map(|source| (source.file.as_str(), source.text.as_str()))
        .collect();
    let cases = select(&cases, arguments, &settings)?;
    if cases.is_empty() {
        terminal.say(Stream::Error, "no case was selected");
        return Ok(Exit::Nothing);
    }
    let (report, finished) = play(&cases, arguments, &settings, terminal)?;
    let files = write(&report, arguments)?;
    let folder = arguments.out.display();
    terminal.say(
        Stream::Out,
        &format!("{files} tables and reports are in `{folder}`"),
    );
    say(&report, &finished, &texts, terminal);
    let failed = holdover_report::tally(&report).failed > 0;
    Ok(if failed { Exit::Findings } else { Exit::Expected })
}

/// The cases to play, in the order of their files.
fn select(
    cases: &[holdover_scenario::Case],
    arguments: &Run,
    settings: &Settings,
) -> Result<Vec<Case>, UserError> {
    let wanted = |name: &str| {
        arguments
            .filter
            .as_ref()
            .is_none_or(|part| name.contains(part.as_str()))
    };
    let mut selected = Vec::new();
    for case in cases.iter().filter(|case| wanted(&case.name)) {
        if let Some(misdirected) = misdirected(case, settings) {
            return Err(UserError::usage(misdirected.message).help(misdirected.help));
        }
        selected.extend(lower(case, settings).map_err(|error| UserError::usage(error.to_string()))?);
    }
    Ok(selected)
}

/// Plays the cases whose client is ours side by side, then those whose client is a real command one by one.
fn play(
    cases: &[Case],
    arguments: &Run,
    settings: &Settings,
    terminal: Terminal,
) -> anyhow::Result<(Report, Vec<Finished>)> {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let jobs = arguments.jobs.map_or(Some(cores), NonZeroUsize::new);
    let jobs =
        jobs.ok_or_else(|| UserError::usage("`--jobs 0` runs nothing").help("give a number from 1"))?;
    let profile = settings
        .profile(None)
        .map_err(|error| UserError::usage(error.to_string()))?;
    let started = RunStarted {
        seed: settings.seed,
        profile: profile.name,
        fail_on: settings.fail_on,
        cases: cases.len(),
    };
    let (real, ours): (Vec<Case>, Vec<Case>) = cases
        .iter()
        .cloned()
        .partition(|case| case.scenario.client.is_some());
    let mut report = Report::default();
    let mut progress = Progress::new(terminal, cases.len());
    let mut tell = |event: RunEvent| {
        progress.show(&event);
        report.take(event);
    };
    let mut finished = schedule::run(&ours, jobs, started, &mut tell)
        .map_err(|error| UserError::usage(error.to_string()))?;
    for (case, index) in real.iter().zip(ours.len()..) {
        finished.extend(play_real(case, index, &mut tell)?);
    }
    tell(RunEvent::RunFinished);
    Ok((report, finished))
}

fn play_real(case: &Case, index: usize, tell: &mut impl FnMut(RunEvent)) -> anyhow::Result<Vec<Finished>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let played = runtime
        .block_on(real::play(case, index))
        .map_err(test::explained)?;
    let Some(played) = played else {
        return Ok(Vec::new());
    };
    played
        .notes
        .into_iter()
        .for_each(|note| tell(RunEvent::Note(note)));
    for done in &played.finished {
        tell(RunEvent::CaseFinished(Box::new(done.report.clone())));
    }
    Ok(played.finished)
}

/// Writes the reports and says how many files they are.
fn write(report: &Report, arguments: &Run) -> anyhow::Result<usize> {
    let files = tables_of(report, &report_kinds(&arguments.common.report));
    let files: Vec<_> = files.into_iter().map(|file| (file.name, file.bytes)).collect();
    output::write(&arguments.out, &files)
        .map_err(|error| UserError::usage(error.to_string()).help("give another folder with `--out DIR`"))?;
    Ok(files.len())
}

/// What was not as expected, each on the line of its scenario, and the closing line.
fn say(report: &Report, finished: &[Finished], texts: &BTreeMap<&str, &str>, terminal: Terminal) {
    for done in finished.iter().filter(|done| !done.unmet.is_empty()) {
        let file = done.report.file.as_deref().unwrap_or_default();
        for unmet in &done.unmet {
            show_unmet(
                unmet,
                file,
                texts.get(file).copied().unwrap_or_default(),
                terminal,
            );
        }
        terminal.say(
            Stream::Error,
            &holdover_report::text::case_block(&done.report, &report.started, terminal.error),
        );
    }
    reproduced(finished, terminal);
    terminal.say(Stream::Out, &holdover_report::closing(report));
}

/// Incidents that were asked for at their exchange and came there: each by its name, many by their number.
fn reproduced(finished: &[Finished], terminal: Terminal) {
    const NAMED_MAX: usize = 5;
    let shown: Vec<&Finished> = finished
        .iter()
        .filter(|done| done.unmet.is_empty() && !done.reproduced.is_empty())
        .collect();
    if shown.len() > NAMED_MAX {
        terminal.say(Stream::Out, &format!("reproduced: {} incidents", shown.len()));
        return;
    }
    for done in shown {
        for (rule, exchange) in &done.reproduced {
            let case = &done.report.case;
            terminal.say(
                Stream::Out,
                &format!("reproduced: `{rule}` in exchange {exchange} of `{case}`"),
            );
        }
    }
}

fn show_unmet(unmet: &Unmet, file: &str, text: &str, terminal: Terminal) {
    let Some(span) = unmet.span.clone() else {
        terminal.say(Stream::Error, &format!("error: {}", unmet.message));
        return;
    };
    let problem = Problem::new(Code::UnmetExpectation, file, span, &unmet.message).label(&unmet.label);
    terminal.say(Stream::Error, &graphical(&problem, text, terminal.error));
}
