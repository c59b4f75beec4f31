//! What a CI system reads, without being configured: it is seen in the environment.
//!
//! Inside GitHub Actions findings become annotations of the lines they are about, and the summary of the job gets the
//! page of Markdown. Paths are meant from the root of the repository there.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use holdover_report::{ReportKind, Run, tables_of, text};

use crate::terminal::{Stream, Terminal};

/// Says it all where somebody reads it.
pub(crate) fn tell(report: &Run, terminal: Terminal) {
    if env::var("GITHUB_ACTIONS").as_deref() == Ok("true") {
        let lines = text::annotations(&report.cases);
        if !lines.is_empty() {
            terminal.say(Stream::Out, &lines);
        }
    }
    let Some(summary) = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return;
    };
    for page in tables_of(report, &[ReportKind::Markdown]) {
        // Other steps write into the same file, so it is only added to.
        let written = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&summary)
            .and_then(|mut file| file.write_all(&page.bytes));
        if let Err(error) = written {
            terminal.say(
                Stream::Error,
                &format!("note: the summary of the job was not written: {error}"),
            );
        }
    }
}

/// The way from the root of the repository to this folder, with a slash at its end; empty at the root, and where there
/// is no repository.
pub(crate) fn prefix() -> String {
    let Ok(here) = env::current_dir() else {
        return String::new();
    };
    let root = here.ancestors().find(|folder| folder.join(".git").exists());
    let inside = root.and_then(|root| here.strip_prefix(root).ok());
    slashed(inside.unwrap_or(Path::new("")))
}

fn slashed(path: &Path) -> String {
    let mut text = String::new();
    for part in path {
        text.push_str(&part.to_string_lossy());
        text.push('/');
    }
    text
}

/// A path of this folder as a path of the repository.
pub(crate) fn from_root(prefix: &str, file: &str) -> String {
    if PathBuf::from(file).is_absolute() {
        return file.to_owned();
    }
    format!("{prefix}{file}")
}
