//! `holdover scan`: places in source code that lose or leak reasoning, before an id policy changes (P18).

use std::path::PathBuf;

use serde_json::json;

use crate::args::{CheckFormat, Scan};
use crate::exit::{Exit, UserError};
use crate::sources::{self, Found};
use crate::terminal::{Stream, Terminal};

pub(crate) fn scan(arguments: &Scan, terminal: Terminal) -> anyhow::Result<Exit> {
    let known = holdover_scan::rules();
    for rule in &arguments.rules {
        if !known.contains(&rule.as_str()) {
            return Err(UserError::usage(format!("`scan` knows no places of `{rule}`"))
                .help(format!("it looks for {}", known.join(", ")))
                .into());
        }
    }
    let here = [PathBuf::from(".")];
    let paths = if arguments.paths.is_empty() {
        &here
    } else {
        arguments.paths.as_slice()
    };
    let found = sources::search(paths, &arguments.rules).map_err(UserError::usage)?;
    match arguments.format {
        CheckFormat::Json => terminal.say(Stream::Out, &serde_json::to_string_pretty(&json(&found))?),
        CheckFormat::Short => found.places().for_each(|(file, place)| {
            let (line, column) = (place.line, place.column);
            let text = format!(
                "{file}:{line}:{column}: warning[{}]: {}",
                place.rule, place.message
            );
            terminal.say(Stream::Out, &text);
        }),
        CheckFormat::Human => human(&found, terminal),
    }
    Ok(match (found.files.is_empty(), found.files_read) {
        (false, _) => Exit::Findings,
        (true, 0) => Exit::Nothing,
        (true, _) => Exit::Expected,
    })
}

fn json(found: &Found) -> serde_json::Value {
    let places: Vec<_> = found
        .places()
        .map(|(file, place)| {
            json!({
                "file": file,
                "line": place.line,
                "column": place.column,
                "rule": place.rule,
                "message": place.message,
                "help": place.help,
                "text": place.text,
            })
        })
        .collect();
    json!({"files_read": found.files_read, "places": places})
}

fn human(found: &Found, terminal: Terminal) {
    if !found.files.is_empty() {
        terminal.say(Stream::Out, &sources::block(found, terminal.out));
    }
    let count = found.places().count();
    let places = if count == 1 { "place" } else { "places" };
    let summary = format!("{} files read, {count} {places} to look at", found.files_read);
    terminal.say(Stream::Error, &summary);
    if found.files_read == 0 {
        terminal.say(
            Stream::Error,
            "  help: `scan` reads Python, TypeScript, JavaScript, C#, Go, Rust and Java; name files or folders",
        );
    } else if count > 0 {
        terminal.say(
            Stream::Error,
            "  help: `scan` sees the form of the code only; `holdover test -- CMD` says what it does, `holdover explain RULE` why it matters",
        );
    }
}
