//! A real command against the real server in this process, judged session by session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use holdover_judge::{Export, Inconclusive, Judge, JudgeConfig, Outcome, Verdict};
use holdover_report::{CaseReport, CodePlace, Table, TestPlace};
use holdover_server::{BindError, Evidence, ServerConfig, SessionReport, Sessions};
use holdover_wire::{AuditRecord, SessionName};

use crate::client::{self, ClientCommand, ClientEnd, ClientRun, StartError};
use crate::scan::Scan;

/// What to run, and what to look at afterwards.
#[derive(Debug)]
pub struct Trial {
    /// The server.
    pub server: ServerConfig,
    /// The command.
    pub command: ClientCommand,
    /// Session that the command's key names.
    pub session: String,
    /// Globs to scan; `-` is the command's output.
    pub scan: Vec<String>,
    /// File of audit records; a temporary one when there is none.
    pub audit: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug)]
pub struct Tried {
    /// A case for each session, by name. A session without traffic has none.
    pub cases: Vec<CaseReport>,
    /// How the command ended.
    pub end: ClientEnd,
    /// What a user should know: paths that are not served, files that were not scanned, bad audit lines.
    pub notes: Vec<String>,
}

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
pub enum TrialError {
    /// The server could not start.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The command could not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A temporary folder could not be made.
    #[error("cannot make a temporary folder: {0}")]
    Folder(#[from] io::Error),
}

/// Starts the server, runs the command to its end, and judges every session that had traffic or audit records.
pub async fn run(trial: Trial) -> Result<Tried, TrialError> {
    let temporary = tempfile::tempdir()?;
    let exports = temporary.path().join("exports");
    fs::create_dir(&exports)?;
    let audit_file = trial
        .audit
        .clone()
        .unwrap_or_else(|| temporary.path().join("audit.jsonl"));
    // Lines of an earlier run in a file of the user's say nothing about this one.
    let audit_start = fs::metadata(&audit_file).map_or(0, |meta| meta.len());
    let server = holdover_server::bind(trial.server).await?;
    let base = format!("http://{}", server.local_addr());
    let sessions = server.sessions();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(async move {
        // The sender is dropped when the trial ends early, which stops the server as well.
        let _ = stopped.await;
    }));
    let environment = client::environment(&base, &trial.session, &exports, &audit_file);
    let run = client::run(&trial.command, &environment).await?;
    let mut scan = Scan::default();
    scan.folder(&exports);
    scan.globs(&trial.scan);
    if trial.scan.iter().any(|pattern| pattern == "-") {
        scan.text("<output of the command>", &run.printed);
    }
    let (audit, mut unread) = read_audit(&audit_file, audit_start);
    unread.append(&mut scan.skipped);
    let mut notes = unread.clone();
    let found = Found {
        exports: scan.exports,
        audit,
        unread,
        own: trial.session,
    };
    let cases = judge(&sessions, &found, &mut notes).await;
    // An error means that the server has stopped already.
    let _ = stop.send(());
    let _ = serving.await;
    let ClientRun { end, printed: _ } = run;
    Ok(Tried { cases, end, notes })
}

/// What the command left behind.
struct Found {
    exports: Vec<Export>,
    audit: Vec<AuditRecord>,
    /// What could not be read, each with its reason.
    unread: Vec<String>,
    /// Session of records and files that name none.
    own: String,
}

impl Found {
    /// The evidence of one session: its own export folder, and whatever lies outside of every session's folder.
    fn of(&self, name: &SessionName, all: &[SessionName]) -> Evidence {
        let owner = |file: &str| {
            let first = file.split_once('/')?.0;
            all.iter().find(|session| session.as_str() == first)
        };
        let exports = self
            .exports
            .iter()
            .filter(|export| owner(&export.file).is_none_or(|session| session == name));
        let audit = self
            .audit
            .iter()
            .filter(|record| self.session_of(record) == name.as_str());
        Evidence {
            exports: exports.cloned().collect(),
            audit: audit.cloned().collect(),
        }
    }

    fn session_of<'a>(&'a self, record: &'a AuditRecord) -> &'a str {
        record.session.as_deref().unwrap_or(&self.own)
    }
}

async fn judge(sessions: &Sessions, found: &Found, notes: &mut Vec<String>) -> Vec<CaseReport> {
    let names = sessions.names();
    let stray = found.audit.iter().map(|record| found.session_of(record));
    let stray = stray.filter(|session| !names.iter().any(|name| name.as_str() == *session));
    for session in stray {
        notes.push(format!(
            "an audit record names session `{session}`, which had no traffic"
        ));
    }
    let mut cases = Vec::new();
    for (order, name) in names.iter().enumerate() {
        let evidence = found.of(name, &names);
        let audit = evidence.audit.clone();
        let exports_scanned = evidence.exports.len();
        let Some(mut report) = sessions.finish(name, evidence).await else {
            continue;
        };
        leave_open(&mut report.verdict, &found.unread);
        notes.extend(traffic_notes(&report));
        let table = if audit.is_empty() {
            Table::CarryOver
        } else {
            Table::ReasoningIdPolicy
        };
        let path = client_name(&report).unwrap_or_default();
        let test = test_of(&report);
        cases.push(CaseReport {
            test,
            order,
            table: Some(table),
            audit,
            exports_scanned,
            path,
            ..CaseReport::new(name.as_str(), report.recording, report.verdict)
        });
    }
    cases
}

/// The test that opened the session, as it said.
fn test_of(report: &SessionReport) -> Option<TestPlace> {
    let meta = &report.summary.meta;
    let place = meta.file.clone().zip(meta.line);
    Some(TestPlace {
        id: meta.test.clone()?,
        place: place.map(|(file, line)| CodePlace { file, line }),
    })
}

/// What was not read proves nothing: a clean verdict becomes an open one (law 8).
pub fn leave_open(verdict: &mut Verdict, unread: &[String]) {
    let open = unread.iter().map(|missing| Inconclusive {
        what: "what the client let out or recorded".to_owned(),
        missing: missing.clone(),
        exchange: None,
    });
    verdict.inconclusive.extend(open);
    if verdict.outcome == Outcome::Clean && !verdict.inconclusive.is_empty() {
        verdict.outcome = Outcome::Inconclusive;
    }
}

fn traffic_notes(report: &SessionReport) -> Vec<String> {
    let session = &report.summary.session;
    let unserved = report.summary.unserved.iter();
    let mut notes: Vec<String> = unserved
        .map(|(call, times)| {
            format!("session `{session}` called {call} ({times} times), which is not served")
        })
        .collect();
    if report.summary.evicted.exchanges > 0 {
        notes.push(format!(
            "session `{session}` grew too large: {} old exchanges are not in its recording (they were judged)",
            report.summary.evicted.exchanges
        ));
    }
    notes
}

/// The client as it names itself.
fn client_name(report: &SessionReport) -> Option<String> {
    report
        .recording
        .exchanges
        .first()?
        .request
        .header("user-agent")
        .map(str::to_owned)
}

/// Records from byte `start` of the file on, and a note for each line that is none.
fn read_audit(file: &Path, start: u64) -> (Vec<AuditRecord>, Vec<String>) {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return (Vec::new(), vec![format!("the audit file was not read: {error}")]),
    };
    let start = usize::try_from(start).map_or(0, |start| if start <= bytes.len() { start } else { 0 });
    let text = String::from_utf8_lossy(&bytes[start..]);
    let mut records = Vec::new();
    let mut notes = Vec::new();
    for (index, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        match serde_json::from_str(line) {
            Ok(record) => records.push(record),
            Err(error) => notes.push(format!(
                "line {} of the audit file is no audit record: {error}",
                index + 1
            )),
        }
    }
    (records, notes)
}

/// The verdict on a session without a single exchange.
pub(crate) fn empty_verdict() -> Verdict {
    // The default configuration has no pattern that could be bad.
    let judge = Judge::new(JudgeConfig::default());
    judge.map_or_else(|error| unreachable!("{error}"), Judge::finish)
}

/// Audit records of a whole file, with a note for each line that is none.
pub fn audit_records(file: &Path) -> (Vec<AuditRecord>, Vec<String>) {
    read_audit(file, 0)
}
