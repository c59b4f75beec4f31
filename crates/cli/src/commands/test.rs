//! `holdover test -- CMD`: somebody's client against the fake, judged.

use std::time::Duration;

use holdover_judge::{ReasoningOff, Severity};
use holdover_report::{
    CaseReport, CodePlace, Look, Run as Report, RunEvent, RunStarted, gate, tables_of, text,
};
use holdover_runner::client::{ClientCommand, ClientEnd, Output};
use holdover_runner::session::{self, Trial, TrialError, Tried};
use holdover_runner::{output, scan};
use holdover_server::ServerConfig;

use crate::args::Test;
use crate::baseline::{Baseline, Settled};
use crate::ci;
use crate::commands::{judge, serve};
use crate::exit::{Exit, UserError};
use crate::project;
use crate::settings::{report_kinds, settings};
use crate::sources::{self, Found};
use crate::terminal::{Stream, Terminal};

/// Session of a command that names none.
const SESSION: &str = "default";
/// Places that are shown; an old code base has hundreds.
const PLACES_SHOWN: usize = 5;

pub(crate) fn test(arguments: &Test, terminal: Terminal) -> anyhow::Result<Exit> {
    let Some(project) = project::load(arguments.adoption.config.as_deref(), terminal)? else {
        return Ok(Exit::Usage);
    };
    let mut settings = settings(&arguments.common)?;
    project.tell(&mut settings, &arguments.common, terminal);
    let baseline = Baseline::open(&arguments.adoption, &project, &mut settings)?;
    let scanned = project.scan(&arguments.scan);
    scan::check_globs(&scanned).map_err(|error| UserError::usage(error.to_string()))?;
    let server = serve::server_config(
        arguments.scenario.as_deref(),
        &settings,
        arguments.common.clock,
        terminal,
    )?;
    let Some(mut server) = server else {
        return Ok(Exit::Usage);
    };
    server.listen = arguments.listen;
    let started = RunStarted {
        seed: settings.seed,
        profile: server.fake.profile.name.clone(),
        fail_on: settings.fail_on,
        cases: 0,
    };
    let trial = trial(arguments, scanned, server);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut tried = runtime.block_on(session::run(trial)).map_err(explained)?;
    let found = look(&tried.cases);
    place(&mut tried.cases, &found);
    let report = report(&tried, started);
    if let Some(folder) = &arguments.out {
        let files = tables_of(&report, &report_kinds(&arguments.common.report));
        let files: Vec<_> = files.into_iter().map(|file| (file.name, file.bytes)).collect();
        output::write(folder, &files).map_err(|error| {
            UserError::usage(error.to_string()).help("give another folder with `--out DIR`")
        })?;
    }
    say(&report, terminal);
    say_places(found, terminal);
    ci::tell(&report, terminal);
    if let Some(baseline) = &baseline {
        let settled = baseline.settle(&report.cases, settings.fail_on, terminal, Stream::Out)?;
        if settled == Settled::Written && !report.cases.is_empty() {
            return Ok(Exit::Expected);
        }
    }
    Ok(exit(arguments, &report, tried.end, terminal))
}

fn trial(arguments: &Test, scanned: Vec<String>, server: ServerConfig) -> Trial {
    let copied = scanned.iter().any(|pattern| pattern == "-");
    Trial {
        server,
        command: ClientCommand {
            argv: arguments.command.clone(),
            env: Vec::new(),
            timeout: Duration::from_secs(arguments.timeout),
            output: if copied { Output::Copied } else { Output::Inherited },
        },
        session: SESSION.to_owned(),
        scan: scanned,
        audit: arguments.audit.clone(),
    }
}

/// A trial that could not be run, as a mistake of the user's where it is one.
pub(crate) fn explained(error: TrialError) -> anyhow::Error {
    match &error {
        TrialError::Bind(_) => UserError::not_run(error.to_string())
            .help(serve::FREE_PORT)
            .into(),
        TrialError::Start(_) => UserError::not_run(error.to_string())
            .help("the command after `--` is started as it is, without a shell; check its name and PATH")
            .into(),
        TrialError::Folder(_) => error.into(),
    }
}

fn report(tried: &Tried, started: RunStarted) -> Report {
    let started = RunStarted {
        cases: tried.cases.len(),
        ..started
    };
    let cases = tried
        .cases
        .iter()
        .map(|case| RunEvent::CaseFinished(Box::new(case.clone())));
    let notes = tried.notes.iter().map(|note| RunEvent::Note(note.clone()));
    Report::from_events(
        std::iter::once(RunEvent::RunStarted(started))
            .chain(cases)
            .chain(notes)
            .chain([RunEvent::RunFinished]),
    )
}

fn say(report: &Report, terminal: Terminal) {
    for case in &report.cases {
        let block = text::verdict_block(&case.verdict, terminal.out);
        terminal.say(Stream::Out, &format!("session `{}`\n{block}", case.session));
    }
    if let Some(gate) = gate(&report.cases) {
        terminal.say(Stream::Out, &text::gate_block(&gate, terminal.out));
    }
    report
        .notes
        .iter()
        .for_each(|note| terminal.say(Stream::Error, &format!("note: {note}")));
}

/// Lines of this folder whose form loses or leaks what the judge missed: where to look first.
fn look(cases: &[CaseReport]) -> Found {
    let known = holdover_scan::rules();
    let mut rules: Vec<String> = Vec::new();
    for case in cases {
        for finding in case.findings_from(Severity::Warning) {
            if known.contains(&finding.rule) && !rules.iter().any(|rule| rule == finding.rule) {
                rules.push(finding.rule.to_owned());
            }
        }
    }
    if rules.is_empty() {
        return Found::default();
    }
    // A folder that cannot be read names no line; the verdict stands without.
    sources::search(&[".".into()], &rules).unwrap_or_default()
}

/// Gives each case these lines, and its test, as paths of the repository.
fn place(cases: &mut [CaseReport], found: &Found) {
    let prefix = ci::prefix();
    let looks: Vec<Look> = found
        .places()
        .map(|(file, place)| Look {
            rule: place.rule.to_owned(),
            place: CodePlace {
                file: ci::from_root(&prefix, file),
                line: u32::try_from(place.line).unwrap_or(u32::MAX),
            },
        })
        .collect();
    for case in cases {
        case.looks.clone_from(&looks);
        if let Some(place) = case.test.as_mut().and_then(|test| test.place.as_mut()) {
            place.file = ci::from_root(&prefix, &place.file);
        }
    }
}

fn say_places(found: Found, terminal: Terminal) {
    let (shown, left) = sources::first(found, PLACES_SHOWN);
    if shown.files.is_empty() {
        return;
    }
    let more = if left == 0 {
        String::new()
    } else {
        format!("and {left} more: `holdover scan`\n")
    };
    let text = format!(
        "look at, by the form of the code:\n{}{more}",
        sources::block(&shown, terminal.out)
    );
    terminal.say(Stream::Out, &text);
}

/// The exit code, with a line that says why when it is not 0: 3 (timeout), 4, 6, 3 (no traffic), 5.
fn exit(arguments: &Test, report: &Report, end: ClientEnd, terminal: Terminal) -> Exit {
    let say = |text: &str| terminal.say(Stream::Error, text);
    match end {
        ClientEnd::TimedOut => {
            say(&format!(
                "error: the command was stopped after {} s",
                arguments.timeout
            ));
            say(
                "  help: it may wait for input, or for an answer that the fake never gives; `--timeout S` gives it longer",
            );
            return Exit::NotRun;
        }
        ClientEnd::Interrupted => {
            say("error: the command was interrupted");
            return Exit::NotRun;
        }
        ClientEnd::Exited(code) if code != 0 => {
            say(&format!("note: the command ended with exit code {code}"));
        }
        ClientEnd::Exited(_) => {}
    }
    let worst = report
        .cases
        .iter()
        .map(|case| judge::exit(&case.verdict, report.started.fail_on));
    let worst = worst.fold(Exit::Expected, judge::worse);
    if worst == Exit::Findings {
        return Exit::Findings;
    }
    if end != ClientEnd::Exited(0) {
        return Exit::ClientFailed;
    }
    if report
        .cases
        .iter()
        .all(|case| case.recording.exchanges.is_empty())
    {
        no_traffic(&say);
        return Exit::NotRun;
    }
    // A session that judged something speaks for those that had nothing to judge.
    let judged = report.cases.iter().any(|case| case.verdict.coverage.judged > 0);
    let open = report
        .cases
        .iter()
        .any(|case| !case.verdict.inconclusive.is_empty());
    if judged && !open || arguments.allow_unjudged {
        return Exit::Expected;
    }
    nothing_judged(&report.cases, &say);
    Exit::Nothing
}

fn no_traffic(say: &impl Fn(&str)) {
    say("error: the command sent nothing to the fake");
    say("  help: likely causes, the most frequent first:");
    say("    - the base URL is set in code or in a config file and hides OPENAI_BASE_URL");
    say(
        "    - the client was made in another process (a daemon, a container, a test worker) that did not get the variables",
    );
    say("    - the client talks to another provider, or over a proxy that does not honour NO_PROXY");
    say("    - the tests that call the model were skipped or mocked");
}

fn nothing_judged(cases: &[CaseReport], say: &impl Fn(&str)) {
    say(
        "error: nothing could be judged: no request came back after reasoning was issued, or evidence is missing",
    );
    let off = cases
        .iter()
        .any(|case| case.verdict.coverage.reasoning_off != ReasoningOff::No);
    if off {
        say(
            "  help: requests set `reasoning.effort` to `none` (some clients do so by default), so no reasoning was issued; set an effort, for instance `low`",
        );
    } else {
        say(
            "  help: the fake must see at least two requests of one conversation on a reasoning model; `--allow-unjudged` makes this exit 0",
        );
    }
}
