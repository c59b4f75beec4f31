//! Exports of a real client: what it wrote into its export folder, files that a glob names, its own output.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use holdover_judge::Export;

/// Files beyond this size are not read; they are named in [`Scan::skipped`].
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// Files of one folder beyond this number are not read, which [`Scan::skipped`] says: a folder that is a link to the
/// root of a machine would take for ever.
pub const FOLDER_FILES_MAX: usize = 100_000;

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
        for file in self.files_of(folder) {
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
            for file in self.files_of(path) {
                self.file(&file, &file.to_string_lossy());
            }
        } else {
            self.file(path, &path.to_string_lossy());
        }
    }

    /// The files of a folder, in path order.
    fn files_of(&mut self, folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        if walk(folder, &mut files, FOLDER_FILES_MAX) == Walk::Stopped {
            self.skipped.push(format!(
                "`{}` holds more than {FOLDER_FILES_MAX} files, and the rest of them was not scanned: name the folders that matter",
                folder.display()
            ));
        }
        files.sort();
        files
    }

    /// Text that is no file.
    pub fn text(&mut self, name: &str, bytes: &[u8]) {
        self.exports.push(Export {
            file: name.to_owned(),
            text: decoded(bytes),
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
    let meta = fs::metadata(path)?;
    // A pipe or a device never ends, and a link to a folder may lead in a circle.
    if !meta.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let size = meta.len();
    if size > FILE_BYTES_MAX {
        return Err(io::Error::other(format!(
            "it has {size} bytes, more than {FILE_BYTES_MAX}"
        )));
    }
    fs::read(path)
}

/// Text as it was written: UTF-16 by its byte order mark (what PowerShell redirects), else UTF-8.
fn decoded(bytes: &[u8]) -> String {
    let units = |of: fn([u8; 2]) -> u16| bytes[2..].as_chunks::<2>().0.iter().map(move |pair| of(*pair));
    match bytes {
        [0xff, 0xfe, ..] => char::decode_utf16(units(u16::from_le_bytes))
            .map(replaced)
            .collect(),
        [0xfe, 0xff, ..] => char::decode_utf16(units(u16::from_be_bytes))
            .map(replaced)
            .collect(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn replaced(unit: Result<char, std::char::DecodeUtf16Error>) -> char {
    unit.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Whether all of a folder was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    Whole,
    Stopped,
}

/// Everything below a folder that is no folder, up to a number; links to folders are not followed, so that a circle
/// ends.
fn walk(folder: &Path, files: &mut Vec<PathBuf>, files_max: usize) -> Walk {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let walked = match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), files, files_max),
            _ if files.len() == files_max => Walk::Stopped,
            _ => {
                files.push(entry.path());
                Walk::Whole
            }
        };
        if walked == Walk::Stopped {
            return Walk::Stopped;
        }
    }
    Walk::Whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_end_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), name).expect("a file");
        }
        let mut files = Vec::new();
        assert_eq!(walk(folder.path(), &mut files, 3), Walk::Whole);
        assert_eq!(files.len(), 3);
        files.clear();
        assert_eq!(walk(folder.path(), &mut files, 2), Walk::Stopped);
        assert_eq!(files.len(), 2);
    }

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
        #[cfg(unix)]
        assert_eq!(scan.skipped, ["`circle` was not scanned: it is no file"]);
    }

    #[test]
    fn a_text_of_two_byte_units_is_read_as_text() {
        let units = "\u{feff}rs_1".encode_utf16();
        let bytes: Vec<u8> = units.clone().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&bytes), "rs_1");
        let bytes: Vec<u8> = units.flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&bytes), "rs_1");
    }

    #[test]
    fn a_bad_glob_is_named_before_anything_runs() {
        let error = check_globs(&["-".to_owned(), "a[".to_owned()]).expect_err("no glob");
        assert!(error.to_string().starts_with("`a[` is no glob"));
    }
}
