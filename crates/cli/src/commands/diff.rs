//! `holdover diff`: the first place where two recordings part.

use std::path::Path;

use holdover_capture::diff::{self, Side};
use holdover_capture::script::{self, Script};
use holdover_capture::{Captured, Text};
use holdover_runner::capture::{self, Redaction};
use serde_json::Value;

use crate::args::Diff;
use crate::commands::judge::{STAYS_HERE, explained};
use crate::exit::{Exit, UserError};
use crate::settings::settings;
use crate::terminal::{Stream, Terminal};

/// Characters of a value that are shown.
const SHOWN_CHARS: usize = 240;

pub(crate) fn diff(arguments: &Diff, terminal: Terminal) -> anyhow::Result<Exit> {
    settings(&arguments.common)?;
    terminal.say(Stream::Out, STAYS_HERE);
    let (good, bad) = (script_of(&arguments.good)?, script_of(&arguments.bad)?);
    let Some(found) = diff::first(&good, &bad) else {
        terminal.say(
            Stream::Out,
            "the recordings do not part: requests and answers are the same, but for ids and tokens",
        );
        return Ok(Exit::Expected);
    };
    let place = match found.side {
        Side::Request => format!(
            "exchange {}, request, {}",
            found.exchange,
            if found.pointer.is_empty() {
                "/"
            } else {
                &found.pointer
            }
        ),
        Side::Response => format!("exchange {}, response", found.exchange),
        Side::End => format!("exchange {}: one recording ends before it", found.exchange),
    };
    terminal.say(
        Stream::Out,
        &format!(
            "they part first at {place}\n  good: {}\n  bad:  {}",
            shown(found.good.as_ref()),
            shown(found.bad.as_ref())
        ),
    );
    Ok(Exit::Findings)
}

fn script_of(path: &Path) -> Result<Script, UserError> {
    let mut captured = Captured::default();
    // Stand-ins of two files differ, so words are compared as they are; tokens and ids have names.
    capture::read(path, Redaction::Foreign(Text::Kept), &mut captured).map_err(|error| explained(&error))?;
    let session = captured
        .sessions
        .first()
        .ok_or_else(|| UserError::usage(format!("`{}` holds no exchange", path.display())))?;
    Ok(script::script_of(&session.recording, "diff", &|_| true).0)
}

fn shown(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    if text.chars().count() > SHOWN_CHARS {
        return text.chars().take(SHOWN_CHARS).chain("…".chars()).collect();
    }
    text
}
