//! `holdover judge`: the verdict on recordings, with the exports and audit records that belong to them.

use std::fs;
use std::path::Path;

use holdover_judge::{Export, Judge as Bench, Outcome, Severity, Verdict};
use holdover_report::{CaseReport, gate, text};
use holdover_runner::scan::Scan;
use holdover_runner::session::{audit_records, leave_open};
use holdover_runner::settings::Settings;
use holdover_wire::recording::LineErrorKind;
use holdover_wire::{AuditRecord, Recording};

use crate::args::{Format, Judge};
use crate::exit::{Exit, UserError};
use crate::settings::settings;
use crate::terminal::{Stream, Terminal};

pub(crate) fn judge(arguments: &Judge, terminal: Terminal) -> anyhow::Result<Exit> {
    let settings = settings(&arguments.common)?;
    let mut scan = Scan::default();
    for path in &arguments.scan {
        if !path.exists() {
            return Err(UserError::usage(format!(
                "`{}` is not there, so it cannot be scanned",
                path.display()
            ))
            .into());
        }
        scan.path(path);
    }
    let (audit, mut unread) = match &arguments.audit {
        Some(file) if !file.is_file() => {
            return Err(UserError::usage(format!("cannot read the audit file `{}`", file.display())).into());
        }
        Some(file) => audit_records(file),
        None => (Vec::new(), Vec::new()),
    };
    unread.append(&mut scan.skipped);
    for note in &unread {
        terminal.say(Stream::Error, &format!("note: {note}"));
    }
    let beside = Beside {
        exports: scan.exports,
        audit,
        unread,
    };
    let mut worst = Exit::Expected;
    for file in &arguments.recordings {
        let name = file.to_string_lossy();
        let case = one(file, &settings, &beside, terminal)?;
        terminal.say(
            Stream::Out,
            &rendered(&name, &case.verdict, arguments.format, terminal),
        );
        if arguments.format == Format::Human
            && let Some(gate) = gate([&case])
        {
            terminal.say(Stream::Out, &text::gate_block(&gate, terminal.out));
        }
        worst = worse(worst, exit(&case.verdict, settings.fail_on));
    }
    Ok(worst)
}

/// What was given beside the recordings.
struct Beside {
    exports: Vec<Export>,
    audit: Vec<AuditRecord>,
    /// What could not be read, each with its reason.
    unread: Vec<String>,
}

fn one(file: &Path, settings: &Settings, beside: &Beside, terminal: Terminal) -> anyhow::Result<CaseReport> {
    let bytes = fs::read(file)
        .map_err(|error| UserError::usage(format!("cannot read `{}`: {error}", file.display())))?;
    let (recording, errors) = Recording::parse(&String::from_utf8_lossy(&bytes));
    if let Some(error) = errors
        .iter()
        .find(|error| error.kind == LineErrorKind::UnknownFormat)
    {
        return Err(UserError::usage(format!("`{}`, {error}", file.display())).into());
    }
    let mut unread = beside.unread.clone();
    for error in &errors {
        let note = format!("{}, {error}; the line was left out", file.display());
        terminal.say(Stream::Error, &format!("note: {note}"));
        unread.push(note);
    }
    if recording.exchanges.is_empty() {
        return Err(UserError::usage(format!("`{}` holds no exchange", file.display()))
            .help("a recording is a file of JSON lines: `holdover serve --record FILE` writes one, `holdover schema recording` describes it")
            .into());
    }
    let mut config = settings
        .judge()
        .map_err(|error| UserError::usage(error.to_string()))?;
    config.session.clone_from(&recording.header.session);
    if settings.profile.is_none()
        && let Ok(profile) = settings.profile(Some(&recording.header.profile))
    {
        config.profile = profile;
    }
    let session = config.session.clone();
    let mut bench = Bench::new(config).map_err(|error| UserError::usage(error.to_string()))?;
    for exchange in &recording.exchanges {
        bench.observe(exchange);
    }
    for export in &beside.exports {
        bench.observe_export(export);
    }
    let own = |record: &&AuditRecord| record.session.as_deref().is_none_or(|name| name == session);
    let audit: Vec<AuditRecord> = beside.audit.iter().filter(own).cloned().collect();
    for record in &audit {
        bench.observe_audit(record);
    }
    let exports_scanned = beside.exports.len();
    let mut verdict = bench.finish();
    leave_open(&mut verdict, &unread);
    Ok(CaseReport {
        audit,
        exports_scanned,
        ..CaseReport::new(&session, recording, verdict)
    })
}

/// A verdict in one of the four forms.
pub(crate) fn rendered(name: &str, verdict: &Verdict, format: Format, terminal: Terminal) -> String {
    match format {
        Format::Human => format!("{name}\n{}", text::verdict_block(verdict, terminal.out)),
        Format::Short => text::short_lines(name, verdict),
        Format::Json => text::verdict_json(verdict),
        Format::Markdown => text::verdict_markdown(name, verdict),
    }
}

/// The exit of one verdict.
pub(crate) fn exit(verdict: &Verdict, fail_on: Severity) -> Exit {
    if verdict.findings.iter().any(|finding| finding.severity >= fail_on) {
        return Exit::Findings;
    }
    let nothing = verdict.coverage.judged == 0 && verdict.coverage.exports_scanned == 0;
    if nothing || verdict.outcome == Outcome::Inconclusive {
        Exit::Nothing
    } else {
        Exit::Expected
    }
}

/// Findings outrank an empty verdict, which outranks a clean one.
pub(crate) fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Findings => 2,
        Exit::Nothing => 1,
        _ => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}
