//! The output folder: written whole or not at all, and never over a file that Holdover did not write.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// File in the output folder that lists what Holdover wrote there, one name a line.
pub const MARKER: &str = ".holdover-files";

/// Why the folder could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file of the user's stands where a table would go.
    #[error("`{}` is there and was not written by holdover, so it is left alone", .0.display())]
    Foreign(PathBuf),
    /// The file system said no.
    #[error("cannot write `{}`: {source}", .path.display())]
    Io {
        /// Path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Writes `files` (names relative to `folder`, `/` separated) and removes those that an earlier run wrote and this
/// one did not. Nothing is replaced before every byte is on disk beside its place.
pub fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), OutputError> {
    fs::create_dir_all(folder).map_err(at(folder))?;
    let _alone = alone(folder)?;
    let before = written_before(folder);
    // A run mostly says what the run before said: what is there already is left alone, because some file systems write
    // a file that replaces another to the disk at once.
    let mut changed = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        let same = says(&path, bytes);
        if !same {
            changed.push((name, bytes));
        }
        let ours = before.contains(name) || same;
        if leaves(folder, name) || (!ours && fs::symlink_metadata(&path).is_ok()) {
            return Err(OutputError::Foreign(path));
        }
    }
    let now: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    put_all(folder, &changed)?;
    // The marker names both sets while files move, so that a run that is killed here can be repeated.
    mark(folder, &before.union(&now).cloned().collect())?;
    for (name, _) in &changed {
        let path = folder.join(name);
        fs::rename(staged(folder, name), &path).map_err(at(&path))?;
    }
    for name in before.difference(&now).filter(|name| !leaves(folder, name)) {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&path)(error)),
            _ => {}
        }
    }
    mark(folder, &now)
}

/// Whether files of these names could be written now, for a run that should know before it begins. It leaves nothing
/// behind.
pub fn check(folder: &Path, names: &[&str]) -> Result<(), OutputError> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|path| !path.exists()).collect();
    fs::create_dir_all(folder).map_err(at(folder))?;
    let checked = check_inside(folder, names);
    for path in missing {
        // What somebody else has put there since stays.
        let _ = fs::remove_dir(path);
    }
    checked
}

fn check_inside(folder: &Path, names: &[&str]) -> Result<(), OutputError> {
    let _alone = alone(folder)?;
    let before = written_before(folder);
    for name in names {
        let path = folder.join(name);
        let is_foreign = !before.contains(*name) && fs::symlink_metadata(&path).is_ok();
        if leaves(folder, name) || is_foreign {
            return Err(OutputError::Foreign(path));
        }
    }
    let stage = staged(folder, MARKER);
    put(&stage, b"")?;
    fs::remove_file(&stage).map_err(at(&stage))
}

/// Whether a plain file is there that holds just these bytes; one of another length is not read.
fn says(path: &Path, bytes: &[u8]) -> bool {
    let fits = |meta: &fs::Metadata| meta.is_file() && meta.len() == bytes.len() as u64;
    let meta = fs::symlink_metadata(path);
    meta.is_ok_and(|meta| fits(&meta)) && fs::read(path).is_ok_and(|old| old == bytes)
}

fn written_before(folder: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(folder.join(MARKER)).unwrap_or_default();
    // A marker that names a path outside the folder was not written by us.
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let inside = |name: &&str| !name.is_empty() && Path::new(name).components().all(plain);
    text.lines().filter(inside).map(str::to_owned).collect()
}

/// Whether a folder on the way to the file is a link: it may lead anywhere.
fn leaves(folder: &Path, name: &str) -> bool {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    let parents = Path::new(name)
        .ancestors()
        .skip(1)
        .filter(|parent| !parent.as_os_str().is_empty());
    parents
        .map(|parent| folder.join(parent))
        .any(|parent| is_link(&parent))
}

/// Waits until no other run writes into the folder; the lock goes with the value.
#[cfg(unix)]
fn alone(folder: &Path) -> Result<fs::File, OutputError> {
    let lock = fs::File::open(folder).map_err(at(folder))?;
    lock.lock().map_err(at(folder))?;
    Ok(lock)
}

/// A folder cannot be locked here: two runs into one folder are the user's to avoid.
#[cfg(not(unix))]
fn alone(_folder: &Path) -> Result<(), OutputError> {
    Ok(())
}

fn mark(folder: &Path, names: &BTreeSet<String>) -> Result<(), OutputError> {
    let text: String = names.iter().flat_map(|name| [name.as_str(), "\n"]).collect();
    let stage = folder.join(format!("{MARKER}.new"));
    put(&stage, text.as_bytes())?;
    let path = folder.join(MARKER);
    fs::rename(stage, &path).map_err(at(&path))
}

fn staged(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.holdover-new"))
}

/// Puts every file beside its place; each folder is made once.
fn put_all(folder: &Path, files: &[(&String, &Vec<u8>)]) -> Result<(), OutputError> {
    let parents: BTreeSet<PathBuf> = files
        .iter()
        .filter_map(|(name, _)| Some(folder.join(name).parent()?.to_owned()))
        .collect();
    for parent in &parents {
        fs::create_dir_all(parent).map_err(at(parent))?;
    }
    // One after the other: several threads in one folder only wait for one another in the system.
    for (name, bytes) in files {
        let path = staged(folder, name);
        fs::write(&path, bytes).map_err(at(&path))?;
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(at(parent))?;
    }
    fs::write(path, bytes).map_err(at(path))
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    let path = path.to_owned();
    |source| OutputError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> (String, Vec<u8>) {
        (name.to_owned(), text.as_bytes().to_vec())
    }

    #[test]
    fn a_second_run_replaces_the_first_and_removes_what_is_no_longer_there() {
        let folder = tempfile::tempdir().expect("folder");
        write(folder.path(), &[file("a.csv", "1"), file("sub/b.csv", "2")]).expect("first");
        write(folder.path(), &[file("a.csv", "3")]).expect("second");
        assert_eq!(fs::read_to_string(folder.path().join("a.csv")).expect("a"), "3");
        assert!(!folder.path().join("sub/b.csv").exists());
    }

    #[test]
    fn a_file_that_says_the_same_is_not_written_again() {
        let folder = tempfile::tempdir().expect("folder");
        let files = [file("same.csv", "1"), file("other.csv", "2")];
        write(folder.path(), &files).expect("first");
        let path = folder.path().join("same.csv");
        let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        let opened = fs::File::options().write(true).open(&path).expect("file");
        opened.set_modified(long_ago).expect("a time");
        write(folder.path(), &[file("same.csv", "1"), file("other.csv", "3")]).expect("second");
        assert_eq!(
            fs::metadata(&path).expect("same").modified().expect("a time"),
            long_ago
        );
        let other = fs::read_to_string(folder.path().join("other.csv")).expect("other");
        assert_eq!(other, "3");
    }

    #[test]
    fn a_file_of_the_users_is_left_alone_and_nothing_is_written() {
        let folder = tempfile::tempdir().expect("folder");
        fs::write(folder.path().join("b.csv"), "mine").expect("file");
        let error = write(folder.path(), &[file("a.csv", "1"), file("b.csv", "2")]).expect_err("refused");
        assert!(matches!(error, OutputError::Foreign(path) if path.ends_with("b.csv")));
        assert_eq!(
            fs::read_to_string(folder.path().join("b.csv")).expect("b"),
            "mine"
        );
        assert!(!folder.path().join("a.csv").exists());
    }

    #[test]
    fn a_check_finds_a_file_of_the_users_and_leaves_nothing_behind() {
        let outer = tempfile::tempdir().expect("folder");
        let folder = outer.path().join("out");
        check(&folder, &["a.csv"]).expect("a new folder");
        assert!(!folder.exists());
        check(&folder.join("a/b"), &["a.csv"]).expect("new folders");
        assert!(!folder.exists());
        write(&folder, &[file("a.csv", "1")]).expect("written");
        check(&folder, &["a.csv"]).expect("what was written may be written again");
        let names = || fs::read_dir(&folder).expect("folder").count();
        assert_eq!(names(), 2);
        fs::write(folder.join("b.csv"), "mine").expect("file");
        let error = check(&folder, &["a.csv", "b.csv"]).expect_err("a file of the user's");
        assert!(matches!(error, OutputError::Foreign(path) if path.ends_with("b.csv")));
        let file = folder.join("b.csv");
        assert!(matches!(check(&file, &["c.csv"]), Err(OutputError::Io { .. })));
        assert_eq!(names(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_folder_is_neither_written_into_nor_cleaned() {
        let (folder, other) = (
            tempfile::tempdir().expect("folder"),
            tempfile::tempdir().expect("other"),
        );
        fs::write(other.path().join("b.csv"), "precious").expect("file");
        fs::write(folder.path().join(MARKER), "sub/b.csv\n").expect("marker");
        std::os::unix::fs::symlink(other.path(), folder.path().join("sub")).expect("link");
        write(folder.path(), &[file("a.csv", "1")]).expect("written");
        assert!(other.path().join("b.csv").exists());
        write(folder.path(), &[file("sub/c.csv", "1")]).expect_err("a link");
        assert!(!other.path().join("c.csv").exists());
    }

    #[test]
    fn runs_into_one_folder_wait_for_one_another() {
        let folder = tempfile::tempdir().expect("folder");
        std::thread::scope(|scope| {
            for run in 0..4 {
                let path = folder.path();
                scope.spawn(move || {
                    let files: Vec<_> = (0..20)
                        .map(|n| file(&format!("{n}.csv"), &run.to_string()))
                        .collect();
                    write(path, &files).expect("written");
                });
            }
        });
        let texts: BTreeSet<_> = (0..20)
            .map(|n| fs::read_to_string(folder.path().join(format!("{n}.csv"))).expect("file"))
            .collect();
        assert_eq!(texts.len(), 1, "all files are of one run");
        let stray = fs::read_dir(folder.path()).expect("folder").flatten();
        assert_eq!(
            stray
                .filter(|entry| entry.file_name().to_string_lossy().ends_with("new"))
                .count(),
            0
        );
    }

    #[test]
    fn a_marker_that_points_outside_deletes_nothing() {
        let outer = tempfile::tempdir().expect("folder");
        let folder = outer.path().join("out");
        fs::create_dir(&folder).expect("out");
        fs::write(outer.path().join("precious"), "x").expect("file");
        fs::write(folder.join(MARKER), "../precious\n").expect("marker");
        write(&folder, &[file("a.csv", "1")]).expect("written");
        assert!(outer.path().join("precious").exists());
    }
}
