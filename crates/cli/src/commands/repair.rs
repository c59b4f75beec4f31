//! `holdover repair`: the patch that makes a poisoned history acceptable again.

use holdover_capture::repair::{self, Ids};
use serde_json::Value;

use crate::args::Repair;
use crate::exit::{Exit, UserError};
use crate::terminal::{Stream, Terminal};

pub(crate) fn repair(arguments: &Repair, terminal: Terminal) -> anyhow::Result<Exit> {
    let file = arguments.history.display();
    let bytes = std::fs::read(&arguments.history)
        .map_err(|error| UserError::usage(format!("cannot read `{file}`: {error}")))?;
    let history: Value = serde_json::from_slice(&bytes)
        .map_err(|error| UserError::usage(format!("`{file}` is no JSON: {error}")))?;
    let (items, before) = match &history {
        Value::Array(items) => (items, ""),
        Value::Object(body) => match body.get("input") {
            Some(Value::Array(items)) => (items, "/input"),
            _ => return Err(no_history(&file.to_string()).into()),
        },
        _ => return Err(no_history(&file.to_string()).into()),
    };
    let ids = if arguments.ids_required {
        Ids::Required
    } else {
        Ids::Optional
    };
    let repaired = repair::repair(items, ids);
    let mut patch = repaired.patch;
    for operation in &mut patch {
        let pointer = format!("{before}{}", operation["path"].as_str().unwrap_or_default());
        operation["path"] = pointer.into();
    }
    terminal.say(Stream::Out, &format!("{:#}", Value::from(patch)));
    for note in &repaired.notes {
        terminal.say(Stream::Error, &format!("note: {before}{note}"));
    }
    let lost = repaired.given_up.len();
    terminal.say(
        Stream::Error,
        &format!(
            "cost: {lost} of {} reasoning items are given up; send it with `store: false`",
            lost + repaired.kept
        ),
    );
    Ok(Exit::Expected)
}

fn no_history(file: &str) -> UserError {
    UserError::usage(format!("`{file}` holds no history"))
        .help("a history is a JSON list of items, or a request body with a list as `input`")
}
