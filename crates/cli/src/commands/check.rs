//! `holdover check`: everything that is wrong with scenario files, before anything runs.

use std::num::NonZeroUsize;
use std::thread;

use holdover_agent::Slip;
use holdover_judge::JudgeConfig;
use holdover_runner::gather::{self, Source};
use holdover_runner::lower;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_runner::{faults, policies, switches};
use holdover_scenario::{
    Case, Problem, Scenario, bad_patterns, duplicate_names, expand, misplaced_slips, parse,
};

use crate::args::{Check, CheckFormat};
use crate::exit::{Exit, UserError};
use crate::project;
use crate::settings::settings;
use crate::terminal::{Stream, Terminal, graphical};

pub(crate) fn check(arguments: &Check, terminal: Terminal) -> anyhow::Result<Exit> {
    let settings = settings(&arguments.common)?;
    let sources = gather::gather(&arguments.paths).map_err(|error| UserError::usage(error.to_string()))?;
    let (cases, problems) = read(&sources, &settings);
    match arguments.format {
        CheckFormat::Json => {
            let values: Vec<_> = problems
                .iter()
                .map(|(problem, text)| holdover_scenario::problem::json(problem, text))
                .collect();
            terminal.say(Stream::Out, &serde_json::to_string_pretty(&values)?);
        }
        CheckFormat::Short => {
            for (problem, text) in &problems {
                terminal.say(Stream::Out, &holdover_scenario::problem::short(problem, text));
            }
        }
        CheckFormat::Human => show(&problems, terminal),
    }
    if !problems.is_empty() {
        return Ok(Exit::Usage);
    }
    if arguments.format == CheckFormat::Human {
        let counted =
            |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let (files, cases) = (counted(sources.len(), "file"), counted(cases.len(), "case"));
        terminal.say(Stream::Out, &format!("{files}, {cases}: no problem"));
    }
    let checked = sources.iter().any(|source| project::is_project(&source.file));
    Ok(if cases.is_empty() && !checked {
        Exit::Nothing
    } else {
        Exit::Expected
    })
}

/// The cases of all sources, and every problem with the text it is about.
pub(crate) fn read<'a>(sources: &'a [Source], settings: &Settings) -> (Vec<Case>, Vec<(Problem, &'a str)>) {
    let vocabulary = vocabulary(settings);
    let parsed = side_by_side(sources, |source| {
        if project::is_project(&source.file) {
            return Err(project::problems(&source.file, &source.text));
        }
        let scenario = parse(&source.file, &source.text, &vocabulary)?;
        let found = beyond_the_text(&scenario);
        Ok((scenario, found))
    });
    let mut cases = Vec::new();
    let mut problems = Vec::new();
    let mut scenarios = Vec::new();
    for (source, parsed) in sources.iter().zip(parsed) {
        let found = match parsed {
            Ok((scenario, found)) => {
                cases.extend(expand(&scenario));
                scenarios.push(scenario);
                found
            }
            Err(found) => found,
        };
        problems.extend(found.into_iter().map(|problem| (problem, source.text.as_str())));
    }
    for problem in duplicate_names(&scenarios) {
        let text = sources
            .iter()
            .find(|source| source.file == problem.file)
            .map_or("", |source| source.text.as_str());
        problems.push((problem, text));
    }
    (cases, problems)
}

/// Works on each of many, on all cores; the results have the order of what they are of.
fn side_by_side<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let each = all.len().div_ceil(cores).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = all
            .chunks(each)
            .map(|part| scope.spawn(|| part.iter().map(&work).collect::<Vec<R>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

/// What only the agent, the judge and the faults can tell: a slip that its client cannot make, a pattern that is none,
/// a fault that can never happen.
fn beyond_the_text(scenario: &Scenario) -> Vec<Problem> {
    let needs = |slip: &str, scenario: &Scenario| {
        let slip = Slip::parse(slip)?;
        let agent = lower::agent(scenario, "check");
        (!slip.exists_in(&agent)).then(|| slip.needs().to_owned())
    };
    let mut problems = misplaced_slips(scenario, needs);
    problems.extend(bad_patterns(scenario, |pattern| {
        JudgeConfig::pattern_problem(pattern)
    }));
    problems.extend(faults::problems(scenario));
    problems.extend(switches::problems(scenario));
    problems.extend(policies::problems(scenario));
    problems
}

/// Problems in the graphical form, with how many there are.
pub(crate) fn show(problems: &[(Problem, &str)], terminal: Terminal) {
    for (problem, text) in problems {
        terminal.say(Stream::Error, &graphical(problem, text, terminal.error));
    }
    if !problems.is_empty() {
        let count = problems.len();
        let word = if count == 1 { "problem" } else { "problems" };
        terminal.say(Stream::Error, &format!("{count} {word}; nothing was run"));
    }
}
