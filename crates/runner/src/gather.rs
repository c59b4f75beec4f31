//! Finds scenario files: paths, folders, and the suites that are part of the binary.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use holdover_scenario::suites;

/// A scenario file before it is parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Path as the user would type it; `@suite/file` for an embedded one.
    pub file: String,
    /// Text.
    pub text: String,
}

/// Why no file could be read.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// No suite has this name.
    #[error("no suite is named `@{name}`; there are {}", .known.join(", "))]
    UnknownSuite {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The path cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Io {
        /// Path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The files behind `paths`, each once, folders in path order. Without paths: `./scenarios` if it is there, else every
/// embedded suite.
pub fn gather(paths: &[String]) -> Result<Vec<Source>, GatherError> {
    let own = Path::new("scenarios");
    if !paths.is_empty() {
        let found: Result<Vec<_>, _> = paths.iter().map(|path| one(path)).collect();
        let mut sources: Vec<Source> = Vec::new();
        for source in found?.into_iter().flatten() {
            if !sources.iter().any(|known| known.file == source.file) {
                sources.push(source);
            }
        }
        return Ok(sources);
    }
    if own.is_dir() {
        folder(own)
    } else {
        Ok(embedded(|_| true))
    }
}

fn one(path: &str) -> Result<Vec<Source>, GatherError> {
    if let Some(name) = path.strip_prefix('@') {
        let found = embedded(|suite| suite == name);
        if found.is_empty() {
            let known = suites::names().iter().map(|suite| format!("@{suite}")).collect();
            return Err(GatherError::UnknownSuite {
                name: name.to_owned(),
                known,
            });
        }
        return Ok(found);
    }
    let path = Path::new(path);
    if path.is_dir() {
        folder(path)
    } else {
        Ok(vec![read(path)?])
    }
}

fn embedded(wanted: impl Fn(&str) -> bool) -> Vec<Source> {
    let files = suites::all().into_iter().filter(|file| wanted(file.suite));
    files
        .map(|file| Source {
            file: format!("@{}", file.path),
            text: file.text.to_owned(),
        })
        .collect()
}

fn folder(path: &Path) -> Result<Vec<Source>, GatherError> {
    let at = |source| GatherError::Io {
        path: path.to_owned(),
        source,
    };
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(path).map_err(at)? {
        entries.push(entry.map_err(at)?.path());
    }
    entries.sort();
    let mut sources = Vec::new();
    for entry in entries {
        // Links to folders are not followed, so that a circle ends.
        if entry.is_dir() && !entry.is_symlink() {
            sources.extend(folder(&entry)?);
        } else if entry.is_file() && entry.extension().is_some_and(|extension| extension == "toml") {
            sources.push(read(&entry)?);
        }
    }
    Ok(sources)
}

fn read(path: &Path) -> Result<Source, GatherError> {
    // A pipe or a device never ends.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        let source = io::Error::other("it is no file");
        return Err(GatherError::Io {
            path: path.to_owned(),
            source,
        });
    }
    let text = fs::read_to_string(path).map_err(|source| GatherError::Io {
        path: path.to_owned(),
        source,
    })?;
    Ok(Source {
        file: path.display().to_string(),
        text,
    })
}
