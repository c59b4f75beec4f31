//! `holdover judge`: the verdict on recordings and other captures, with the exports and audit records that belong to them.

use std::path::Path;

use holdover_capture::Text;
use holdover_judge::{Export, Outcome, Severity, Verdict};
use holdover_report::{CaseReport, gate, text};
use holdover_runner::capture::{self, CaptureError, Exchanges, HOW_TO_CAPTURE, Judged, Redaction};
use holdover_runner::scan::Scan;
use holdover_runner::session::{audit_records, leave_open};
use holdover_runner::settings::Settings;
use holdover_wire::AuditRecord;

use crate::args::{Format, Judge};
use crate::baseline::{Baseline, Settled};
use crate::exit::{Exit, UserError};
use crate::project;
use crate::settings::settings;
use crate::terminal::{Stream, Terminal};

/// What every command says first that reads a capture.
pub(crate) const STAYS_HERE: &str =
    "the capture is read here only: nothing of it is sent, and nothing is saved elsewhere";

pub(crate) fn judge(arguments: &Judge, terminal: Terminal) -> anyhow::Result<Exit> {
    let Some(project) = project::load(arguments.adoption.config.as_deref(), terminal)? else {
        return Ok(Exit::Usage);
    };
    let mut settings = settings(&arguments.common)?;
    project.tell(&mut settings, &arguments.common, terminal);
    let baseline = Baseline::open(&arguments.adoption, &project, &mut settings)?;
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
    let stream = match arguments.format {
        Format::Human => Stream::Out,
        // What a program or a chat thread takes holds the verdict only.
        Format::Short | Format::Json | Format::Markdown => Stream::Error,
    };
    terminal.say(stream, STAYS_HERE);
    let mut judged = Vec::new();
    for file in &arguments.recordings {
        let redaction = redaction(arguments);
        let cases = sessions(file, &settings, redaction, &beside, terminal)?;
        for case in &cases {
            let name = match cases.len() {
                1 => file.display().to_string(),
                _ => format!("{}, session `{}`", file.display(), case.session),
            };
            terminal.say(
                Stream::Out,
                &rendered(&name, &case.verdict, arguments.format, terminal),
            );
            if arguments.format == Format::Human
                && let Some(gate) = gate([case])
            {
                terminal.say(Stream::Out, &text::gate_block(&gate, terminal.out));
            }
            worst = worse(worst, exit(&case.verdict, settings.fail_on));
        }
        judged.extend(cases);
    }
    let written = match &baseline {
        Some(baseline) => baseline.settle(&judged, settings.fail_on, terminal, stream)? == Settled::Written,
        None => false,
    };
    Ok(match worst {
        Exit::Findings if written => Exit::Expected,
        worst => worst,
    })
}

fn redaction(arguments: &Judge) -> Redaction {
    if arguments.redact {
        Redaction::Always(Text::Replaced)
    } else if !arguments.scan.is_empty() || arguments.audit.is_some() {
        // Exports and records name ids and tokens as they were.
        Redaction::Nothing
    } else {
        Redaction::Foreign(Text::Replaced)
    }
}

/// What was given beside the recordings.
struct Beside {
    exports: Vec<Export>,
    audit: Vec<AuditRecord>,
    /// What could not be read, each with its reason.
    unread: Vec<String>,
}

/// Every session of one capture. What could not be read leaves a clean verdict open.
fn sessions(
    file: &Path,
    settings: &Settings,
    redaction: Redaction,
    beside: &Beside,
    terminal: Terminal,
) -> anyhow::Result<Vec<CaseReport>> {
    let keep = if beside.audit.is_empty() {
        Exchanges::Dropped
    } else {
        Exchanges::Kept
    };
    let judged = capture::judge(file, redaction, settings, keep).map_err(|error| explained(&error))?;
    let mut unread = beside.unread.clone();
    for error in &judged.unread {
        let note = format!(
            "{}, {}: {}; it was left out",
            file.display(),
            error.place,
            error.reason
        );
        terminal.say(Stream::Error, &format!("note: {note}"));
        unread.push(note);
    }
    if judged.sessions.iter().all(|session| session.exchanges == 0) {
        return Err(no_call(file, &judged).into());
    }
    let mut cases = Vec::new();
    for session in judged.sessions {
        let mut bench = session.judge;
        let name = session.recording.header.session.clone();
        for export in &beside.exports {
            bench.observe_export(export);
        }
        let own = |record: &&AuditRecord| record.session.as_deref().is_none_or(|other| other == name);
        let audit: Vec<AuditRecord> = beside.audit.iter().filter(own).cloned().collect();
        for record in &audit {
            bench.observe_audit(record);
        }
        let mut verdict = bench.finish();
        let open: Vec<String> = unread.iter().chain(&session.lossy).cloned().collect();
        leave_open(&mut verdict, &open);
        cases.push(CaseReport {
            audit,
            exports_scanned: beside.exports.len(),
            ..CaseReport::new(&name, session.recording, verdict)
        });
    }
    Ok(cases)
}

/// A capture that could not be read, as a mistake of the user's.
pub(crate) fn explained(error: &CaptureError) -> UserError {
    let mistake = UserError::usage(error.to_string());
    match error {
        CaptureError::NotACapture { .. } => mistake.help(HOW_TO_CAPTURE),
        CaptureError::Io { .. } | CaptureError::Pattern(_) => mistake,
    }
}

/// A capture without a call of the API: what it holds instead, and how to capture.
pub(crate) fn no_call(file: &Path, judged: &Judged) -> UserError {
    let other: Vec<String> = judged
        .other
        .iter()
        .map(|(what, times)| format!("{what} ({times})"))
        .collect();
    let holds = if other.is_empty() {
        String::new()
    } else {
        format!("; it holds {}", other.join(", "))
    };
    UserError::usage(format!(
        "`{}`, a {}, holds no exchange of the Responses API{holds}",
        file.display(),
        judged.kind.as_str()
    ))
    .help(HOW_TO_CAPTURE)
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
