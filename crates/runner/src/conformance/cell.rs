//! One program with one adapter: played against a session of its own, and judged.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use holdover_judge::{Export, Finding, Outcome, Severity};
use holdover_server::{Evidence, Meta, SessionReport, SessionSetup, Sessions};
use holdover_wire::{Reply, ReplyPart, SessionName};

use crate::client::{self, StartError};
use crate::conformance::adapter::{Adapter, Gone};
use crate::conformance::contract::{Again, Answer, Line, Ready, Start, Step};
use crate::conformance::program::{HANDOFF_TOOL, Program, Special};
use crate::lower::Case;
use crate::settings::Settings;

/// Requests below which nothing can have been carried.
const EXCHANGES_MIN: usize = 2;

/// What came of one program.
#[derive(Debug)]
pub struct Cell {
    /// The program.
    pub program: &'static Program,
    /// Who answered; empty where nobody did.
    pub ready: Ready,
    /// How it ended.
    pub end: End,
    /// Exchanges and verdict; `None` where the client has nothing of the kind.
    pub report: Option<SessionReport>,
    /// What the adapter printed on standard error.
    pub printed: Vec<u8>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Every step was done.
    Played,
    /// The client has nothing of the kind.
    NotApplicable(String),
    /// The client raised an error, and the program ended there.
    Raised(String),
    /// The adapter ended, or said what is no answer.
    Crashed(String),
    /// The adapter did not answer in its time.
    Hung(String),
}

impl Cell {
    /// The verdict in one word.
    pub fn verdict(&self) -> &'static str {
        match &self.end {
            End::NotApplicable(_) => "not-applicable",
            End::Crashed(_) => "crashed",
            End::Hung(_) => "hung",
            End::Raised(_) | End::Played if !self.shows_something() => "empty",
            End::Raised(_) => "raised",
            End::Played => self
                .report
                .as_ref()
                .map_or(Outcome::Inconclusive, |report| report.verdict.outcome)
                .as_str(),
        }
    }

    /// Whether there were two exchanges and an issued reasoning item: less than that proves nothing.
    fn shows_something(&self) -> bool {
        self.report.as_ref().is_some_and(|report| {
            report.recording.exchanges.len() >= EXCHANGES_MIN && report.verdict.coverage.reasoning_issued > 0
        })
    }

    /// What was found, notes included.
    pub fn findings(&self) -> &[Finding] {
        self.report
            .as_ref()
            .map_or(&[], |report| &report.verdict.findings)
    }

    /// Names of the rules above `note`, each once, in order of their first finding.
    pub fn rules(&self) -> Vec<&'static str> {
        let above = self
            .findings()
            .iter()
            .filter(|finding| finding.severity > Severity::Note);
        above.fold(Vec::new(), |mut rules, finding| {
            if !rules.contains(&finding.rule) {
                rules.push(finding.rule);
            }
            rules
        })
    }
}

/// What a cell is played with.
#[derive(Debug)]
pub struct Stage {
    /// Program and arguments of the adapter.
    pub command: Vec<OsString>,
    /// Sessions of the server.
    pub sessions: Sessions,
    /// Base URL of the server, without path.
    pub base: String,
    /// Longest time for an answer.
    pub step_max: Duration,
    /// Folder for what the adapters print and save.
    pub folder: PathBuf,
    /// Settings of fake and judge.
    pub settings: Settings,
    /// The model that the client is told, where a program asks for no model of its own.
    pub model: Option<String>,
    /// Adapters that wait for another start.
    pub idle: Mutex<Vec<Adapter>>,
}

impl Stage {
    /// Ends the adapters that wait; the error is one that does not end well.
    pub async fn close(&self) -> Result<(), Gone> {
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        for adapter in idle {
            adapter.end().await?;
        }
        Ok(())
    }

    fn wait(&self, adapter: Adapter) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(adapter);
    }

    fn waiting(&self) -> Option<Adapter> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Plays one program. The error is an adapter that could not be started.
    pub async fn play(&self, program: &'static Program) -> Result<Cell, StartError> {
        let case = program.case(&self.settings);
        let folder = self.folder.join(program.id);
        let mut played = Play {
            stage: self,
            program,
            start: program.start(&case, &self.base, self.model.as_deref()),
            errors: folder.join("stderr.txt"),
            saved: folder.join("saved.json").to_string_lossy().into_owned(),
            exports: folder.join("exports"),
            ready: Ready::default(),
            case,
        };
        let failed = |source| StartError {
            program: folder.display().to_string(),
            source,
        };
        fs::create_dir_all(&played.exports).map_err(failed)?;
        played.open(HANDOFF_TOOL);
        let end = played.through().await?;
        let printed = fs::read(&played.errors).unwrap_or_default();
        let report = match end {
            End::NotApplicable(_) => None,
            _ => self.finish(program, &printed).await,
        };
        Ok(Cell {
            program,
            ready: played.ready,
            end,
            report,
            printed,
        })
    }

    async fn finish(&self, program: &Program, printed: &[u8]) -> Option<SessionReport> {
        let mut evidence = Evidence::default();
        if program.special == Special::DebugLog {
            evidence.exports.push(Export {
                file: "stderr".to_owned(),
                text: String::from_utf8_lossy(printed).into_owned(),
            });
        }
        self.sessions.finish(&session(program), evidence).await
    }
}

fn session(program: &Program) -> SessionName {
    SessionName::parse(program.id).unwrap_or_else(|| unreachable!("ids are names of sessions"))
}

struct Play<'a> {
    stage: &'a Stage,
    program: &'static Program,
    case: Case,
    start: Start,
    errors: PathBuf,
    saved: String,
    exports: PathBuf,
    ready: Ready,
}

impl Play<'_> {
    async fn through(&mut self) -> Result<End, StartError> {
        // What a log shows must be this program's alone.
        let waiting = match self.program.special {
            Special::DebugLog => None,
            _ => self.stage.waiting(),
        };
        let mut adapter = match self.begin(waiting).await? {
            Ok(adapter) => adapter,
            Err(end) => return Ok(end),
        };
        for step in self.program.steps(&self.case) {
            if step == Step::Load {
                if let Err(gone) = adapter.end().await {
                    return Ok(ended(&gone));
                }
                adapter = match self.begin(None).await? {
                    Ok(adapter) => adapter,
                    Err(end) => return Ok(end),
                };
            }
            match adapter.ask(&Line::of(&step, &self.saved)).await {
                Ok(Answer::Done | Answer::Ready(_)) => {}
                Ok(answer) => {
                    let end = declined(answer);
                    return Ok(self.leave(adapter).await.unwrap_or(end));
                }
                Err(gone) => {
                    adapter.stop().await;
                    return Ok(ended(&gone));
                }
            }
        }
        Ok(self.leave(adapter).await.unwrap_or(End::Played))
    }

    /// Keeps the process for another program, or ends it; what comes back is an end that went wrong.
    async fn leave(&self, adapter: Adapter) -> Option<End> {
        if self.ready.again == Again::Yes && self.program.special != Special::DebugLog {
            self.stage.wait(adapter);
            return None;
        }
        adapter.end().await.err().map(|gone| ended(&gone))
    }

    /// Says the start to a process that waits, or to a new one.
    async fn begin(&mut self, waiting: Option<Adapter>) -> Result<Result<Adapter, End>, StartError> {
        let is_waiting = waiting.is_some();
        let mut adapter = match waiting {
            Some(adapter) => adapter,
            None => self.process()?,
        };
        let end = match adapter.ask(&Line::Start(&self.start)).await {
            Ok(Answer::Ready(ready)) => {
                if self.ready.client.is_empty() {
                    // The script is told anew where it names the tool otherwise; a handover needs no earlier request.
                    ready.handoff_tool.as_deref().inspect(|tool| self.open(tool));
                    self.ready = ready;
                }
                return Ok(Ok(adapter));
            }
            Ok(answer @ Answer::NotApplicable(_)) if is_waiting => {
                self.stage.wait(adapter);
                return Ok(Err(declined(answer)));
            }
            Ok(Answer::Done) => End::Crashed("the adapter answered the start without a `client`".to_owned()),
            Ok(answer) => declined(answer),
            Err(gone) => ended(&gone),
        };
        adapter.stop().await;
        Ok(Err(end))
    }

    fn process(&self) -> Result<Adapter, StartError> {
        let environment = client::environment(
            &self.stage.base,
            &self.start.session,
            &self.exports,
            &self.exports.with_file_name("audit.jsonl"),
        );
        let stage = self.stage;
        Adapter::start(&stage.command, &environment, &self.errors, stage.step_max)
    }

    /// Opens the session; `tool` is what the model calls to hand over.
    fn open(&self, tool: &str) {
        let setup = &self.case.setup;
        let setup = SessionSetup {
            fake: setup.fake.clone(),
            judge: setup.judge.clone(),
            replies: setup
                .script
                .iter()
                .map(|reply| handing_over_by(tool, reply))
                .collect(),
            faults: setup.faults.clone(),
            meta: Meta::default(),
        };
        let opened = self.stage.sessions.open(&session(self.program), setup);
        // The patterns of the judge are those of the binary, and there are few programs.
        opened.unwrap_or_else(|error| unreachable!("{error}"));
    }
}

fn handing_over_by(tool: &str, reply: &Reply) -> Reply {
    let mut reply = reply.clone();
    for part in &mut reply.parts {
        if let ReplyPart::Call { name, .. } = part
            && name == HANDOFF_TOOL
        {
            tool.clone_into(name);
        }
    }
    reply
}

fn declined(answer: Answer) -> End {
    match answer {
        Answer::NotApplicable(why) => End::NotApplicable(why),
        Answer::Raised(error) => End::Raised(error),
        Answer::Done | Answer::Ready(_) => End::Played,
    }
}

fn ended(gone: &Gone) -> End {
    match gone {
        Gone::Hung(_) => End::Hung(gone.to_string()),
        Gone::Crashed(_) | Gone::Babbled(_) => End::Crashed(gone.to_string()),
    }
}
