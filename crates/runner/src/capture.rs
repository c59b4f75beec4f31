//! Captures from disk: read, redacted where they come from elsewhere, and judged session by session.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use holdover_capture::kind::PEEK_BYTES;
use holdover_capture::{Kind, NotACapture, Redacting, Sink, Text, Unread};
use holdover_judge::{Clock, Judge, JudgeConfig, PatternError, Verdict};
use holdover_wire::recording::Header;
use holdover_wire::{Exchange, Recording};

use crate::settings::Settings;

/// What is redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redaction {
    /// Whatever does not come from Holdover itself, whose tokens protect nothing.
    Foreign(Text),
    /// Everything.
    Always(Text),
    /// Nothing: exports are scanned for what the capture holds.
    Nothing,
}

/// Why a capture gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// It could not be opened.
    #[error("cannot read `{}`: {source}", .path.display())]
    Io {
        /// Path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no capture.
    #[error("`{}` is no capture: it looks like {looks_like}", .path.display())]
    NotACapture {
        /// Path.
        path: PathBuf,
        /// What it seems to be.
        looks_like: &'static str,
    },
    /// A pattern of the configuration is wrong.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// How to get something that can be read.
pub const HOW_TO_CAPTURE: &str = "to capture: `holdover serve --record FILE`, the HAR export of a browser or a proxy (with bodies), \
     `mitmdump -w FILE`, or JSON lines of {\"request\": …, \"response\": …}";

/// Reads a file or a folder into a sink.
pub fn read(path: &Path, redaction: Redaction, sink: &mut dyn Sink) -> Result<Kind, CaptureError> {
    let io = |source| CaptureError::Io {
        path: path.to_owned(),
        source,
    };
    if path.is_dir() {
        let read = match redaction {
            Redaction::Nothing => read_folder(path, sink),
            Redaction::Foreign(text) | Redaction::Always(text) => {
                read_folder(path, &mut Redacting::new(sink, text))
            }
        };
        return read.map_err(io);
    }
    let file = File::open(path).map_err(io)?;
    let mut reader = BufReader::with_capacity(PEEK_BYTES, file);
    let is_ours = Kind::of(reader.fill_buf().map_err(io)?) == Some(Kind::Recording);
    let read = match redaction {
        Redaction::Nothing => holdover_capture::file(reader, sink),
        Redaction::Foreign(_) if is_ours => holdover_capture::file(reader, sink),
        Redaction::Foreign(text) | Redaction::Always(text) => {
            holdover_capture::file(reader, &mut Redacting::new(sink, text))
        }
    };
    read.map_err(|NotACapture { looks_like }| CaptureError::NotACapture {
        path: path.to_owned(),
        looks_like,
    })
}

fn read_folder(path: &Path, sink: &mut dyn Sink) -> io::Result<Kind> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?.path();
        if entry.is_file() {
            files.push(entry);
        }
    }
    files.sort();
    let mut folder = holdover_capture::folder(sink);
    for file in files {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match fs::read(&file) {
            Ok(bytes) => folder.take(&name, &bytes),
            Err(error) => folder.unread(&name, &error.kind().to_string()),
        }
    }
    folder.finish();
    Ok(Kind::Folder)
}

/// Whether the exchanges themselves are wanted beside the verdict; without them memory does not grow with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchanges {
    /// They are let go once they are judged.
    Dropped,
    /// They are kept.
    Kept,
}

/// A judged capture.
#[derive(Debug)]
pub struct Judged {
    /// What it was.
    pub kind: Kind,
    /// Its sessions, in the order in which they began.
    pub sessions: Vec<JudgedSession>,
    /// What could not be read.
    pub unread: Vec<Unread>,
    /// What else it holds.
    pub other: BTreeMap<String, u64>,
}

/// A session that waits for the end of its evidence.
#[derive(Debug)]
pub struct JudgedSession {
    /// Its judge, which has seen every exchange.
    pub judge: Judge,
    /// Its exchanges, where they were kept.
    pub recording: Recording,
    /// How many there were.
    pub exchanges: u64,
    /// Why absence proves nothing in it.
    pub lossy: Vec<String>,
}

/// Judges a capture while it is read.
pub fn judge(
    path: &Path,
    redaction: Redaction,
    settings: &Settings,
    exchanges: Exchanges,
) -> Result<Judged, CaptureError> {
    let mut bench = Bench {
        settings,
        exchanges,
        clock: Clock::Virtual,
        sessions: Vec::new(),
        headers: BTreeMap::new(),
        unread: Vec::new(),
        other: BTreeMap::new(),
        problem: None,
    };
    if kind_of(path).is_some_and(Kind::has_real_time) {
        bench.clock = Clock::Wall;
    }
    let kind = read(path, redaction, &mut bench)?;
    match bench.problem {
        Some(problem) => Err(problem.into()),
        None => Ok(Judged {
            kind,
            sessions: bench.sessions,
            unread: bench.unread,
            other: bench.other,
        }),
    }
}

/// The verdict on one session of a capture that is at hand.
pub fn verdict(recording: &Recording, lossy: bool, settings: &Settings) -> Result<Verdict, PatternError> {
    let mut judge = Judge::new(config(&recording.header, settings, Clock::Virtual))?;
    if lossy {
        judge.observe_loss();
    }
    recording
        .exchanges
        .iter()
        .for_each(|exchange| judge.observe(exchange));
    Ok(judge.finish())
}

fn kind_of(path: &Path) -> Option<Kind> {
    let mut reader = BufReader::with_capacity(PEEK_BYTES, File::open(path).ok()?);
    Kind::of(reader.fill_buf().ok()?)
}

/// The judge of a session: the profile of the command line, else that of the recording.
fn config(header: &Header, settings: &Settings, clock: Clock) -> JudgeConfig {
    let known = settings.judge().unwrap_or_default();
    let own = settings.profile(Some(&header.profile)).ok();
    JudgeConfig {
        profile: own.unwrap_or_else(|| known.profile.clone()),
        session: header.session.clone(),
        clock,
        ..known
    }
}

struct Bench<'a> {
    settings: &'a Settings,
    exchanges: Exchanges,
    clock: Clock,
    sessions: Vec<JudgedSession>,
    headers: BTreeMap<String, Header>,
    unread: Vec<Unread>,
    other: BTreeMap<String, u64>,
    problem: Option<PatternError>,
}

impl Bench<'_> {
    fn session(&mut self, name: &str) -> Option<&mut JudgedSession> {
        let known = |session: &JudgedSession| session.recording.header.session == name;
        if let Some(place) = self.sessions.iter().position(known) {
            return self.sessions.get_mut(place);
        }
        let header = self.headers.get(name).cloned().unwrap_or_else(|| Header {
            session: name.to_owned(),
            ..Header::default()
        });
        match Judge::new(config(&header, self.settings, self.clock)) {
            Ok(judge) => self.sessions.push(JudgedSession {
                judge,
                recording: Recording {
                    header,
                    exchanges: Vec::new(),
                },
                exchanges: 0,
                lossy: Vec::new(),
            }),
            Err(problem) => {
                self.problem = Some(problem);
                return None;
            }
        }
        self.sessions.last_mut()
    }
}

impl Sink for Bench<'_> {
    fn exchange(&mut self, session: &str, exchange: Exchange) {
        let keeps = self.exchanges == Exchanges::Kept;
        if let Some(session) = self.session(session) {
            session.judge.observe(&exchange);
            session.exchanges += 1;
            if keeps {
                session.recording.exchanges.push(exchange);
            }
        }
    }

    fn header(&mut self, header: Header) {
        self.headers.insert(header.session.clone(), header);
    }

    fn unread(&mut self, unread: Unread) {
        self.unread.push(unread);
    }

    fn lossy(&mut self, session: &str, why: &str) {
        if let Some(session) = self.session(session) {
            session.judge.observe_loss();
            if !session.lossy.iter().any(|known| known == why) {
                session.lossy.push(why.to_owned());
            }
        }
    }

    fn other(&mut self, what: &str) {
        *self.other.entry(what.to_owned()).or_insert(0) += 1;
    }
}
