//! `holdover import`: a capture to a scenario that shows the same.

use std::path::{Path, PathBuf};

use holdover_capture::{Captured, Session, Text};
use holdover_runner::capture::{self, HOW_TO_CAPTURE, Redaction};
use holdover_runner::import::{self, Imported};
use holdover_runner::settings::Settings;
use holdover_wire::Wire;

use crate::args::Import;
use crate::commands::judge::{STAYS_HERE, explained};
use crate::exit::{Exit, UserError};
use crate::settings::settings;
use crate::terminal::{Stream, Terminal};

pub(crate) fn import(arguments: &Import, terminal: Terminal) -> anyhow::Result<Exit> {
    let settings = settings(&arguments.common)?;
    terminal.say(Stream::Out, STAYS_HERE);
    let text = if arguments.keep_text {
        Text::Kept
    } else {
        Text::Replaced
    };
    let mut captured = Captured::default();
    let kind = capture::read(&arguments.capture, Redaction::Always(text), &mut captured)
        .map_err(|error| explained(&error))?;
    for unread in &captured.unread {
        let note = format!(
            "note: {}, {}: {}; it was left out",
            arguments.capture.display(),
            unread.place,
            unread.reason
        );
        terminal.say(Stream::Error, &note);
    }
    // A scenario of pasted requests speaks the Responses API.
    for session in &mut captured.sessions {
        let exchanges = &mut session.recording.exchanges;
        exchanges.retain(|exchange| {
            let wire = Wire::of_path(exchange.request.path_only());
            wire.is_none_or(|wire| wire == Wire::Responses)
        });
    }
    let sessions: Vec<&Session> = captured
        .sessions
        .iter()
        .filter(|session| !session.recording.exchanges.is_empty())
        .collect();
    if sessions.is_empty() {
        let message = format!(
            "`{}`, a {}, holds no exchange of the Responses API",
            arguments.capture.display(),
            kind.as_str()
        );
        return Err(UserError::usage(message).help(HOW_TO_CAPTURE).into());
    }
    for (index, session) in sessions.iter().enumerate() {
        let path = numbered(&arguments.output, index);
        one(session, &path, &settings, terminal)?;
    }
    Ok(Exit::Expected)
}

fn one(session: &Session, path: &Path, settings: &Settings, terminal: Terminal) -> anyhow::Result<()> {
    let name = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let lossy = !session.lossy.is_empty();
    let imported = import::import(&session.recording, lossy, &legal(&name), settings)
        .map_err(|error| UserError::usage(format!("the capture gives no scenario: {error}")))?;
    write_new(path, &imported.script.to_toml())?;
    told(&imported, session, path, terminal);
    Ok(())
}

fn told(imported: &Imported, session: &Session, path: &Path, terminal: Terminal) {
    let count = session.recording.exchanges.len();
    terminal.say(
        Stream::Out,
        &format!("{count} exchanges are in `{}`", path.display()),
    );
    for (rule, exchange) in &imported.reproduced {
        terminal.say(
            Stream::Out,
            &format!("reproduced: `{rule}` in exchange {exchange} of the capture"),
        );
    }
    for (rule, exchange) in &imported.missing {
        terminal.say(
            Stream::Out,
            &format!("not reproduced: `{rule}` in exchange {exchange} of the capture"),
        );
    }
    for note in imported.notes.iter().chain(&session.lossy) {
        terminal.say(Stream::Error, &format!("note: {note}"));
    }
    let next = format!(
        "next: holdover run {0}; holdover shrink {0} -o small.toml",
        path.display()
    );
    terminal.say(Stream::Out, &next);
}

/// Writes a file that is not there yet, or one that begins as ours do.
pub(crate) fn write_new(path: &Path, text: &str) -> Result<(), UserError> {
    let ours = std::fs::read_to_string(path).map_or(true, |old| old.starts_with("name = "));
    if !ours {
        let message = format!(
            "`{}` is there and is no scenario, so it is left alone",
            path.display()
        );
        return Err(UserError::usage(message).help("give another file with `-o`"));
    }
    std::fs::write(path, text)
        .map_err(|error| UserError::usage(format!("cannot write `{}`: {error}", path.display())))
}

/// The file of a later session: `incident-2.toml`.
fn numbered(path: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path
        .extension()
        .map_or_else(|| "toml".into(), std::ffi::OsStr::to_string_lossy);
    path.with_file_name(format!("{stem}-{}.{ending}", index + 1))
}

/// A name of a case.
fn legal(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "_-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .take(60)
        .collect();
    if name.is_empty() {
        "incident".to_owned()
    } else {
        name
    }
}
