//! Every fault against real clients: the table in `docs/faults.md`, played again and compared.
//!
//! The Node client has an interpreter and packages of its own under `target/clients/node-faults/`; its program is copied
//! beside them, since a module finds its packages from its own folder upwards.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::clients;
use crate::workspace::Workspace;

const SOURCE: &str = "tests/clients/faults";
const LOCK: &str = "package-lock.json";
const PROGRAM: &str = "cells.mjs";

/// Installs the Node client, unless it is there in this very version, and copies its program.
pub(crate) fn set_up_node(workspace: &Workspace) -> anyhow::Result<()> {
    let (source, folder) = (workspace.path(SOURCE).join("node"), node_folder(workspace));
    let lock = std::fs::read_to_string(source.join(LOCK))
        .with_context(|| format!("cannot read {SOURCE}/node/{LOCK}"))?;
    std::fs::create_dir_all(&folder)?;
    let stamp = folder.join("package-lock.stamp");
    let is_current = std::fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == lock);
    let works = || {
        workspace
            .tool(&node_binary(workspace))
            .arguments(&["--version"])
            .works()
    };
    if !is_current || !works() {
        install(workspace, &source, &folder)?;
        std::fs::write(&stamp, lock)?;
    }
    std::fs::copy(source.join(PROGRAM), folder.join(PROGRAM))?;
    Ok(())
}

/// Plays the matrix; with `HOLDOVER_BLESS` set the table is written instead of compared.
pub(crate) fn play(workspace: &Workspace) -> anyhow::Result<()> {
    let python = clients::python_binary(workspace);
    let source = workspace.path(SOURCE);
    let cells = source.join("python_cells.py");
    let of_python =
        |name: &str, module: &str| format!("{name}={} {} {module}", python.display(), cells.display());
    let of_node = format!(
        "openai-node={} {}",
        node_binary(workspace).display(),
        node_folder(workspace).join(PROGRAM).display()
    );
    workspace
        .tool(&python)
        .arguments(&[source.join("matrix.py")])
        .arguments(&[
            of_python("openai-python", "python_plain"),
            of_python("openai-agents", "python_agents"),
            of_node,
        ])
        .env("HOLDOVER_BIN", workspace.holdover())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .run()
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

fn node_binary(workspace: &Workspace) -> PathBuf {
    node_folder(workspace)
        .join("node_modules")
        .join(".bin")
        .join("node")
}

fn node_folder(workspace: &Workspace) -> PathBuf {
    workspace.target("clients").join("node-faults")
}
