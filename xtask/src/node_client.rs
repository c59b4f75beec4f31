//! The Node client of `tests/clients/node`, under `target/clients/openai-node/`.
//!
//! Node itself is a package (`node` of npm), so that every machine runs the same; only `npm` must be there. The test is
//! copied beside `node_modules`, since a module finds its packages from its own folder upwards.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::workspace::Workspace;

const SOURCE: &str = "tests/clients/node";
const LOCK: &str = "package-lock.json";
const TEST: &str = "surface.test.mjs";

/// Installs what is pinned, and runs the test against the binary that users get.
pub(crate) fn test(workspace: &Workspace) -> anyhow::Result<()> {
    let folder = set_up(workspace)?;
    workspace
        .tool(&binary(&folder))
        .arguments(&["--test", "--test-reporter=spec"])
        .arguments(&[folder.join(TEST)])
        .env("HOLDOVER_BIN", workspace.holdover())
        .run()
}

fn binary(folder: &Path) -> PathBuf {
    folder.join("node_modules").join(".bin").join("node")
}

/// Installs the packages, unless they are there in these very versions, and copies the test.
fn set_up(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    let folder = workspace.target("clients").join("openai-node");
    let source = workspace.path(SOURCE);
    let lock =
        std::fs::read_to_string(source.join(LOCK)).with_context(|| format!("cannot read {SOURCE}/{LOCK}"))?;
    std::fs::create_dir_all(&folder)?;
    let stamp = folder.join("package-lock.stamp");
    let is_current = std::fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == lock);
    let works = || workspace.tool(&binary(&folder)).arguments(&["--version"]).works();
    if !is_current || !works() {
        install(workspace, &source, &folder)?;
        std::fs::write(&stamp, lock)?;
    }
    std::fs::copy(source.join(TEST), folder.join(TEST))?;
    Ok(folder)
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
