//! The pinned Node of the real clients with its packages, under `target/clients/node/`.
//!
//! Node itself is a package (`node` of npm), so that every machine runs the same; only `npm` must be there. The drivers
//! are copied beside `node_modules`, since a module finds its packages from its own folder upwards.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::workspace::Workspace;

const SOURCE: &str = "tests/clients/board/node";
const LOCK: &str = "package-lock.json";

/// The interpreter.
pub(crate) fn binary(workspace: &Workspace) -> PathBuf {
    folder(workspace).join("node_modules").join(".bin").join("node")
}

/// Where a driver lies that [`set_up`] has copied.
pub(crate) fn driver(workspace: &Workspace, name: &str) -> PathBuf {
    folder(workspace).join(name)
}

/// Installs the packages, unless they are there in these very versions, and copies the drivers.
pub(crate) fn set_up(workspace: &Workspace) -> anyhow::Result<()> {
    let folder = folder(workspace);
    let source = workspace.path(SOURCE);
    let lock =
        std::fs::read_to_string(source.join(LOCK)).with_context(|| format!("cannot read {SOURCE}/{LOCK}"))?;
    std::fs::create_dir_all(&folder)?;
    let stamp = folder.join("package-lock.stamp");
    let is_current = std::fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == lock);
    if !is_current
        || !workspace
            .tool(&binary(workspace))
            .arguments(&["--version"])
            .works()
    {
        install(workspace, &source, &folder)?;
        std::fs::write(&stamp, lock)?;
    }
    for entry in std::fs::read_dir(&source)? {
        let path = entry?.path();
        if let (Some("mjs"), Some(name)) = (path.extension().and_then(|it| it.to_str()), path.file_name()) {
            std::fs::copy(&path, folder.join(name))?;
        }
    }
    Ok(())
}

fn install(workspace: &Workspace, source: &Path, folder: &Path) -> anyhow::Result<()> {
    if !workspace.tool("npm".as_ref()).arguments(&["--version"]).works() {
        bail!("there is no npm: `apt-get install npm` brings it");
    }
    for name in ["package.json", LOCK] {
        std::fs::copy(source.join(name), folder.join(name))?;
    }
    workspace
        .tool("npm".as_ref())
        .arguments(&["ci", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
        .arguments(&[folder])
        .run()
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target("clients").join("node")
}
