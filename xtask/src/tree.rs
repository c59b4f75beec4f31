//! What differs between two folders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The relative paths of files that are in one folder only or whose bytes differ, in order.
pub(crate) fn differences(left: &Path, right: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let names: BTreeSet<PathBuf> = files(left)?.union(&files(right)?).cloned().collect();
    let mut different = Vec::new();
    for name in names {
        let read = |folder: &Path| std::fs::read(folder.join(&name)).ok();
        if read(left) != read(right) {
            different.push(name);
        }
    }
    Ok(different)
}

/// The relative paths of all files below `folder`.
pub(crate) fn files(folder: &Path) -> anyhow::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| format!("cannot list {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(folder)?.to_owned());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_changed_files_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("a/same.csv", "1");
        write("b/same.csv", "1");
        write("a/deep/changed.csv", "1");
        write("b/deep/changed.csv", "2");
        write("a/only-left.csv", "");
        write("b/only-right.csv", "");
        let different = differences(&folder.path().join("a"), &folder.path().join("b")).unwrap();
        let expected = ["deep/changed.csv", "only-left.csv", "only-right.csv"].map(PathBuf::from);
        assert_eq!(different, expected);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        assert!(differences(&missing, folder.path()).is_err());
    }
}
