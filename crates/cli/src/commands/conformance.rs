//! `holdover conformance -- ADAPTER`: the programs that any client can run, each with its verdict.

use std::fs;
use std::path::Path;
use std::time::Duration;

use holdover_report::text;
use holdover_runner::conformance::run::RunError;
use holdover_runner::conformance::{
    Cell, Comparison, End, Expected, Level, Plan, Program, carried, catalogue, files, run,
};
use holdover_runner::output;

use crate::args::Conformance;
use crate::exit::{Exit, UserError};
use crate::settings::settings;
use crate::terminal::{Stream, Terminal};

/// Widest word of a comparison.
const WORD_WIDTH: usize = 16;

pub(crate) fn conformance(arguments: &Conformance, terminal: Terminal) -> anyhow::Result<Exit> {
    let programs = programs(&arguments.programs)?;
    if arguments.list {
        for program in programs {
            let line = format!("{:<28}{}", program.id, program.level.as_str());
            terminal.say(Stream::Out, &line);
        }
        return Ok(Exit::Expected);
    }
    let expected = arguments.expected.as_deref().map(read).transpose()?;
    let plan = Plan {
        command: arguments.command.clone(),
        programs,
        model: arguments.client_model.clone(),
        jobs: arguments.jobs,
        step_max: Duration::from_secs(arguments.timeout),
        settings: settings(&arguments.common)?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let cells = runtime.block_on(run(plan)).map_err(explained)?;
    let compared: Vec<(Cell, Comparison)> = cells
        .into_iter()
        .map(|cell| {
            let comparison = expected.clone().unwrap_or_default().compare(&cell);
            (cell, comparison)
        })
        .collect();
    if let Some(folder) = &arguments.out {
        output::write(folder, &files::files(&compared)).map_err(|error| {
            UserError::usage(error.to_string()).help("give another folder with `--out DIR`")
        })?;
    }
    for (cell, comparison) in &compared {
        say(cell, comparison, terminal);
    }
    Ok(exit(&compared, Listed::of(expected.as_ref()), terminal))
}

/// Whether there is a file of expected failures: then every difference from it fails the run, else only a MUST does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    Yes,
    No,
}

impl Listed {
    fn of(expected: Option<&Expected>) -> Self {
        if expected.is_some() { Self::Yes } else { Self::No }
    }
}

fn programs(ids: &[String]) -> Result<Vec<&'static Program>, UserError> {
    if let Some(unknown) = ids.iter().find(|id| catalogue::find(id).is_none()) {
        return Err(UserError::usage(format!("there is no program `{unknown}`"))
            .help("`holdover conformance --list` names them"));
    }
    let wanted = |program: &&Program| ids.is_empty() || ids.iter().any(|id| id == program.id);
    Ok(catalogue::PROGRAMS.iter().filter(wanted).collect())
}

fn read(file: &Path) -> Result<Expected, UserError> {
    let bad = |reason: String| {
        UserError::usage(format!("the expected failures in `{}`: {reason}", file.display()))
            .help("each `[[expected]]` has `programs`, `findings` and `sent`; docs/conformance.md shows one")
    };
    let text = fs::read_to_string(file).map_err(|error| bad(error.to_string()))?;
    Expected::parse(&text).map_err(|error| bad(error.to_string()))
}

fn explained(error: RunError) -> anyhow::Error {
    match &error {
        RunError::Start(_) => UserError::not_run(error.to_string())
            .help("the adapter after `--` is started as it is, without a shell; check its name and PATH")
            .into(),
        RunError::Bind(_) | RunError::Adapter(_) => UserError::not_run(error.to_string()).into(),
        RunError::Folder(_) | RunError::Task(_) => error.into(),
    }
}

fn say(cell: &Cell, comparison: &Comparison, terminal: Terminal) {
    let program = cell.program;
    let say = |line: &str| terminal.say(Stream::Out, line);
    say(&format!(
        "{:<WORD_WIDTH$} {:<6} {}",
        comparison.as_str(),
        program.level.as_str(),
        program.id
    ));
    if let Comparison::Failure(why) = comparison {
        say(&format!("  {why}"));
    }
    if let Some(why) = files::why(&cell.end) {
        say(&format!("  {why}"));
    }
    if matches!(comparison, Comparison::Pass | Comparison::NotApplicable) {
        return;
    }
    if matches!(cell.end, End::Crashed(_)) {
        let printed = String::from_utf8_lossy(&cell.printed);
        printed
            .lines()
            .last()
            .into_iter()
            .for_each(|line| say(&format!("  it printed: {line}")));
    }
    let Some(report) = &cell.report else { return };
    for (number, request) in (1..).zip(carried::carried(&report.recording)) {
        say(&format!("  request {number}: {request}"));
    }
    for refusal in carried::refusals(&report.recording) {
        say(&format!("  refused: {refusal}"));
    }
    let findings = text::short_lines(program.id, &report.verdict);
    if !findings.trim_end().is_empty() {
        say(findings.trim_end());
    }
}

fn exit(compared: &[(Cell, Comparison)], listed: Listed, terminal: Terminal) -> Exit {
    let count = |word: &str| {
        compared
            .iter()
            .filter(|(_, comparison)| comparison.as_str() == word)
            .count()
    };
    let words = [
        "pass",
        "expected-failure",
        "failure",
        "unexpected-pass",
        "not-applicable",
    ];
    let counts: Vec<String> = words
        .iter()
        .map(|word| format!("{word}: {}", count(word)))
        .collect();
    terminal.say(Stream::Out, &counts.join(", "));
    let fails = |cell: &Cell, comparison: &Comparison| match comparison {
        Comparison::Pass | Comparison::NotApplicable | Comparison::ExpectedFailure(_) => false,
        Comparison::UnexpectedPass => true,
        Comparison::Failure(_) => {
            let broken = matches!(cell.verdict(), "crashed" | "hung" | "empty");
            listed == Listed::Yes || broken || cell.program.level == Level::Must
        }
    };
    let failed = compared
        .iter()
        .filter(|(cell, comparison)| fails(cell, comparison));
    if let Some((cell, _)) = failed.clone().next() {
        terminal.say(
            Stream::Error,
            &format!("error: {} programs failed", failed.count()),
        );
        terminal.say(
            Stream::Error,
            &format!("  help: one alone, the first: `--program {}`", cell.program.id),
        );
        return Exit::Findings;
    }
    if count("pass") + count("expected-failure") == 0 {
        return Exit::Nothing;
    }
    Exit::Expected
}
