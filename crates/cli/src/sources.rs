//! Source files of a repository, and the places in them that lose or leak reasoning.

use std::fs;
use std::path::{Path, PathBuf};

use holdover_report::Style;
use holdover_scan::{Language, Place};

/// Larger files are generated, bundled or data.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Folders that hold other people's code, or what a build made.
const FOREIGN: [&str; 14] = [
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "bin",
    "obj",
    "vendor",
    "venv",
    "env",
    "site-packages",
    "__pycache__",
    "coverage",
    "third_party",
];

/// Places of one file.
#[derive(Clone, Debug)]
pub(crate) struct FilePlaces {
    /// Path as it was reached, with forward slashes.
    pub(crate) file: String,
    pub(crate) places: Vec<Place>,
}

/// What a search of a repository gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// Files with at least one place, in path order.
    pub(crate) files: Vec<FilePlaces>,
    /// Files that were read.
    pub(crate) files_read: usize,
}

impl Found {
    /// Every place with its file.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.files
            .iter()
            .flat_map(|file| file.places.iter().map(|place| (file.file.as_str(), place)))
    }
}

/// Searches files and folders for places of these rules; of all rules when none is named.
pub(crate) fn search(paths: &[PathBuf], rules: &[String]) -> Result<Found, String> {
    let mut files = Vec::new();
    for path in paths {
        let meta =
            fs::metadata(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        if meta.is_dir() {
            walk(path, &mut files);
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    let mut found = Found::default();
    for file in files {
        read(&file, rules, &mut found);
    }
    Ok(found)
}

/// The texts of a folder's source files.
pub(crate) fn texts(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    walk(folder, &mut files);
    files.sort();
    files
        .iter()
        .filter_map(|file| text(file))
        .map(|(_, text)| text)
        .collect()
}

/// A source file's language and text; none for anything else, and for what is too large to be written by hand.
fn text(file: &Path) -> Option<(Language, String)> {
    let language = Language::of_file(&shown(file))?;
    let small = fs::metadata(file).is_ok_and(|meta| meta.len() <= FILE_BYTES_MAX);
    // What cannot be read as text is no source.
    small
        .then(|| fs::read_to_string(file).ok())
        .flatten()
        .map(|text| (language, text))
}

fn read(file: &Path, rules: &[String], found: &mut Found) {
    let Some((language, text)) = text(file) else {
        return;
    };
    found.files_read += 1;
    let mut places = holdover_scan::scan(language, &text);
    places.retain(|place| rules.is_empty() || rules.iter().any(|rule| rule == place.rule));
    if !places.is_empty() {
        found.files.push(FilePlaces {
            file: shown(file),
            places,
        });
    }
}

/// Everything below a folder, but hidden folders, other people's code and links.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && (name.starts_with('.') || FOREIGN.contains(&name.as_str())) => {}
            Ok(kind) if kind.is_dir() => walk(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}

fn shown(file: &Path) -> String {
    let name = file.to_string_lossy().replace('\\', "/");
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

/// The first places, and how many are left out.
pub(crate) fn first(found: Found, count: usize) -> (Found, usize) {
    let all = found.places().count();
    let mut room = count;
    let mut shown = found;
    for file in &mut shown.files {
        file.places.truncate(room);
        room -= file.places.len();
    }
    shown.files.retain(|file| !file.places.is_empty());
    (shown, all.saturating_sub(count))
}

/// Places as lines of text: where, the line itself, and what to write instead.
pub(crate) fn block(found: &Found, style: Style) -> String {
    let (bold, plain) = match style {
        Style::Ansi => ("\u{1b}[1m", "\u{1b}[0m"),
        Style::Plain => ("", ""),
    };
    let mut text = String::new();
    for (file, place) in found.places() {
        let Place {
            line,
            column,
            rule,
            message,
            help,
            text: code,
        } = place;
        text.extend([
            format!("{bold}{file}:{line}:{column}{plain}: [{rule}] {message}\n"),
            format!("  {}\n  help: {help}\n", clean(code)),
        ]);
    }
    text
}

/// A line of a stranger's file: without signs that move the cursor, and not too long.
fn clean(code: &str) -> String {
    let shown: String = code
        .chars()
        .filter(|character| !character.is_control())
        .take(160)
        .collect();
    shown
}
