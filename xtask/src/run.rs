//! `holdover run` twice, and a comparison byte for byte: law 1 of `docs/architecture.md`, on the real binary.

use std::path::PathBuf;

use anyhow::bail;

use crate::tree;
use crate::workspace::Workspace;

/// The two ways in which the suites run; what comes out must not depend on them.
const JOBS: [&str; 2] = ["1", "8"];

/// Runs the default suites with one job and with eight, each into its own empty folder.
pub(crate) fn twice_and_compare(workspace: &Workspace) -> anyhow::Result<()> {
    let mut folders = Vec::new();
    for jobs in JOBS {
        folders.push(into_empty_folder(workspace, jobs)?);
    }
    let different = tree::differences(&folders[0], &folders[1])?;
    if !different.is_empty() {
        let names: Vec<_> = different.iter().map(|path| path.display().to_string()).collect();
        bail!("`--jobs 1` and `--jobs 8` differ in {}", names.join(", "));
    }
    if tree::files(&folders[0])?.is_empty() {
        bail!("`holdover run` wrote no file");
    }
    Ok(())
}

fn into_empty_folder(workspace: &Workspace, jobs: &str) -> anyhow::Result<PathBuf> {
    let folder = workspace.target("xtask").join(format!("run-jobs-{jobs}"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    workspace
        .tool(&workspace.holdover())
        .arguments(&["run", "--jobs", jobs, "--out"])
        .arguments(&[&folder])
        .run()?;
    Ok(folder)
}
