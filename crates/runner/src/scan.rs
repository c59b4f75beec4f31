//! Exports of a real client: what it wrote into its export folder, files that a glob names, its own output.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use holdover_judge::Export;

/// Files beyond this size are not read; they are named in [`Scan::skipped`].
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Texts, with the folder-relative or given path as their name, in path order.
    pub exports: Vec<Export>,
    /// Files that could not be read, each with its reason: they were not scanned.
    pub skipped: Vec<String>,
}

/// A pattern of `--scan` that is no glob.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` is no glob: {reason}")]
pub struct BadGlob {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Checks patterns before anything runs.
pub fn check_globs(patterns: &[String]) -> Result<(), BadGlob> {
    for pattern in patterns.iter().filter(|pattern| *pattern != "-") {
        glob::Pattern::new(pattern).map_err(|error| BadGlob {
            pattern: pattern.clone(),
            reason: error.to_string(),
        })?;
    }
    Ok(())
}

impl Scan {
    /// Every file under `folder`, named by its path inside it.
    pub fn folder(&mut self, folder: &Path) {
        let mut files = Vec::new();
        walk(folder, &mut files);
        files.sort();
        for file in files {
            let name = file
                .strip_prefix(folder)
                .unwrap_or(&file)
                .to_string_lossy()
                .replace('\\', "/");
            self.file(&file, &name);
        }
    }

    /// Files and folders that the globs name; `-` is the command's own output and not looked up here. Patterns were
    /// checked before: one that is no glob matches nothing.
    pub fn globs(&mut self, patterns: &[String]) {
        for pattern in patterns.iter().filter(|pattern| *pattern != "-") {
            let paths = glob::glob(pattern).into_iter().flatten().flatten();
            for path in paths {
                self.path(&path);
            }
        }
    }

    /// One file, or every file of one folder.
    pub fn path(&mut self, path: &Path) {
        if path.is_dir() {
            let mut files = Vec::new();
            walk(path, &mut files);
            files.sort();
            for file in files {
                self.file(&file, &file.to_string_lossy());
            }
        } else {
            self.file(path, &path.to_string_lossy());
        }
    }

    /// Text that is no file.
    pub fn text(&mut self, name: &str, bytes: &[u8]) {
        self.exports.push(Export {
            file: name.to_owned(),
            text: String::from_utf8_lossy(bytes).into_owned(),
        });
    }

    fn file(&mut self, path: &Path, name: &str) {
        if self.exports.iter().any(|export| export.file == name) {
            return;
        }
        match read(path) {
            Ok(bytes) => self.text(name, &bytes),
            Err(error) => self.skipped.push(format!("`{name}` was not scanned: {error}")),
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(path)?.len();
    if size > FILE_BYTES_MAX {
        return Err(io::Error::other(format!(
            "it has {size} bytes, more than {FILE_BYTES_MAX}"
        )));
    }
    fs::read(path)
}

/// Plain files below a folder; links are not followed, so that a circle ends.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_in_path_order_and_links_are_not_followed() {
        let folder = tempfile::tempdir().expect("folder");
        fs::create_dir(folder.path().join("b")).expect("b");
        fs::write(folder.path().join("b/2.log"), "two").expect("file");
        fs::write(folder.path().join("a.log"), b"o\xffne").expect("file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), folder.path().join("circle")).expect("link");
        let mut scan = Scan::default();
        scan.folder(folder.path());
        let names: Vec<_> = scan.exports.iter().map(|export| export.file.as_str()).collect();
        assert_eq!(names, ["a.log", "b/2.log"]);
        assert_eq!(scan.exports[0].text, "o\u{fffd}ne");
    }

    #[test]
    fn a_bad_glob_is_named_before_anything_runs() {
        let error = check_globs(&["-".to_owned(), "a[".to_owned()]).expect_err("no glob");
        assert!(error.to_string().starts_with("`a[` is no glob"));
    }
}
