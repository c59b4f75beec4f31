//! The committed files that tests compare: generated references and schemas, snapshots, transcripts.
//!
//! Blessed files guard appearance only, never truth (rule 20 of `docs/style.md`); they are committed so that a
//! change of what users see is a change in the diff. Each kind of test writes its own files when its variable is
//! set, so each list of files stands beside the test that compares them.

use crate::workspace::Workspace;

/// The variables that make tests write instead of compare.
const WRITES: [(&str, &str); 3] = [
    // References and schemas: `tests/e2e/generated.rs`, `crates/scenario/tests/reference.rs`; the detection matrix: `crates/runner/tests/detection.rs`.
    ("HOLDOVER_BLESS", "1"),
    // Snapshots.
    ("INSTA_UPDATE", "always"),
    // Transcripts of the terminal: `tests/e2e/cmd/`.
    ("TRYCMD", "overwrite"),
];

/// All tests, to their end: one that fails must not keep another from writing.
const ALL: &str = "test --workspace --locked --lib --bins --tests --no-fail-fast --quiet";

/// Runs all tests in the mode that writes; what still fails when it is run again is no matter of appearance.
pub(crate) fn write(workspace: &Workspace) -> anyhow::Result<()> {
    let tool = WRITES
        .iter()
        .fold(workspace.cargo(ALL), |tool, (name, value)| tool.env(name, value));
    tool.run()
}
