//! What the house tests share: the repository as git sees it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The pure crates of `docs/architecture.md`: the same input gives the same bytes.
pub(crate) const PURE: [&str; 12] = [
    "wire", "seal", "profile", "provider", "fault", "judge", "fake", "agent", "scenario", "capture", "scan",
    "report",
];

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The paths of all files that git tracks and that are still there, relative to the root.
pub(crate) fn tracked() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "`git ls-files` failed: the house tests read the repository through git"
    );
    let names = String::from_utf8(output.stdout).unwrap();
    let names: Vec<String> = names.split_terminator('\0').map(str::to_owned).collect();
    assert!(names.len() > 50, "too few files to be the repository: {names:?}");
    names
        .into_iter()
        .filter(|name| root().join(name).is_file())
        .collect()
}

/// The text of a tracked file; nothing for one that is not text.
pub(crate) fn text(path: &str) -> Option<String> {
    String::from_utf8(std::fs::read(root().join(path)).unwrap()).ok()
}

/// Whether the path ends with this extension.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found == extension)
}

/// The names in the first column of the table of crates in `docs/architecture.md`, each with its "may use" cell.
pub(crate) fn crate_table() -> Vec<(String, String)> {
    let text = text("docs/architecture.md").unwrap();
    let section = text.split("\n## Crates\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.map(|row| {
        row.trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect::<Vec<_>>()
    });
    let table: Vec<_> = cells
        .map(|cells| (name_of(cells[0]), cells[cells.len() - 1].to_owned()))
        .collect();
    assert!(
        table.len() > 10,
        "the table of crates is not where it was: {table:?}"
    );
    table
}

fn name_of(cell: &str) -> String {
    cell.split('`').nth(1).unwrap().to_owned()
}

/// Fails with one problem a line.
pub(crate) fn assert_none(what: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{what}:\n{}", problems.join("\n"));
}
