//! The generated files: written by `cargo xtask bless`, compared by `cargo xtask test`.
//!
//! Blessed files guard appearance only, never truth (rule 20 of `docs/style.md`); they are committed so that a
//! change of what users see is a change in the diff.

use anyhow::{Context as _, bail};

use crate::say;
use crate::workspace::{Profile, Workspace};

/// A committed file that the binary prints.
struct Generated {
    /// Where it lies in the repository.
    path: &'static str,
    /// The arguments of `holdover` whose standard output is the file.
    arguments: &'static [&'static str],
}

/// Every generated file; one more is one more line.
const GENERATED: &[Generated] = &[
    Generated {
        path: "schema/scenario.json",
        arguments: &["schema", "scenario"],
    },
    Generated {
        path: "schema/recording.json",
        arguments: &["schema", "recording"],
    },
    Generated {
        path: "schema/findings.json",
        arguments: &["schema", "findings"],
    },
];

/// Writes all generated files, then the snapshots of all tests.
pub(crate) fn write(workspace: &Workspace) -> anyhow::Result<()> {
    workspace
        .cargo(&["build", "--locked", "--package", "holdover"])
        .run()?;
    for file in GENERATED {
        let text = file.text(workspace, Profile::Dev)?;
        let path = workspace.path(file.path);
        if std::fs::read(&path).ok().as_ref() != Some(&text) {
            std::fs::create_dir_all(path.parent().context("a generated file has a folder")?)?;
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", file.path))?;
            say(&format!("wrote {}", file.path));
        }
    }
    workspace
        .cargo(&[
            "test",
            "--workspace",
            "--locked",
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
        ])
        .env("INSTA_UPDATE", "always")
        .env("TRYCMD", "overwrite")
        .run()
}

/// Fails if a committed file is not what the binary prints today.
pub(crate) fn compare(workspace: &Workspace) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for file in GENERATED {
        let text = file.text(workspace, Profile::Release)?;
        if std::fs::read(workspace.path(file.path)).ok() != Some(text) {
            stale.push(file.path);
        }
    }
    if !stale.is_empty() {
        bail!(
            "not what the binary prints now: {}; `cargo xtask bless` writes them, then read the diff",
            stale.join(", ")
        );
    }
    Ok(())
}

impl Generated {
    fn text(&self, workspace: &Workspace, profile: Profile) -> anyhow::Result<Vec<u8>> {
        workspace
            .tool(&workspace.holdover(profile))
            .arguments(self.arguments)
            .output()
    }
}
