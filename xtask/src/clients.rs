//! The pinned environments of the real clients, under `target/clients/`.
//!
//! An environment is made once for each content of its requirements: a stamp beside it holds that content, so a
//! changed pin makes it anew. A missing interpreter is an error that says what to do, never a skipped test.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::fault_clients;
use crate::workspace::Workspace;

/// The pinned packages of the Python clients.
pub(crate) const REQUIREMENTS: &str = "tests/clients/python/requirements.txt";

/// Names under which Python 3.11 or newer may be installed, the most exact first.
const PYTHONS: [&str; 5] = ["python3.11", "python3.12", "python3.13", "python3.14", "python3"];

const NEW_ENOUGH: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Sets up every environment.
pub(crate) fn set_up_all(workspace: &Workspace) -> anyhow::Result<()> {
    python(workspace)?;
    fault_clients::set_up_node(workspace)
}

/// The interpreter of the Python environment, which [`python`] makes.
pub(crate) fn python_binary(workspace: &Workspace) -> PathBuf {
    python_folder(workspace).join("bin").join("python")
}

/// Makes the Python environment, unless it is there with these very requirements.
pub(crate) fn python(workspace: &Workspace) -> anyhow::Result<()> {
    let requirements = workspace.path(REQUIREMENTS);
    let pins =
        std::fs::read_to_string(&requirements).with_context(|| format!("cannot read {REQUIREMENTS}"))?;
    let stamp = python_folder(workspace).join("requirements.stamp");
    if is_current(&stamp, &pins)
        && workspace
            .tool(&python_binary(workspace))
            .arguments(&["--version"])
            .works()
    {
        return Ok(());
    }
    make_python(workspace)?;
    install(workspace, &requirements)?;
    std::fs::write(&stamp, pins).with_context(|| format!("cannot write {}", stamp.display()))
}

fn python_folder(workspace: &Workspace) -> PathBuf {
    workspace.target("clients").join("python")
}

fn is_current(stamp: &Path, pins: &str) -> bool {
    std::fs::read_to_string(stamp).is_ok_and(|stamped| stamped == pins)
}

fn make_python(workspace: &Workspace) -> anyhow::Result<()> {
    let base = find_python(workspace)?;
    if !workspace
        .tool(base.as_ref())
        .arguments(&["-c", "import venv, ensurepip"])
        .works()
    {
        bail!("`{base}` has no venv module: `apt-get install python3-venv` brings it");
    }
    let folder = python_folder(workspace);
    workspace
        .tool(base.as_ref())
        .arguments(&["-m", "venv", "--clear"])
        .arguments(&[&folder])
        .run()
}

fn find_python(workspace: &Workspace) -> anyhow::Result<&'static str> {
    let works = |name: &&str| {
        workspace
            .tool(name.as_ref())
            .arguments(&["-c", NEW_ENOUGH])
            .works()
    };
    PYTHONS.into_iter().find(works).with_context(|| {
        "no Python 3.11 or newer: `apt-get install python3 python3-venv` brings one, or put `python3.11` on the PATH"
    })
}

fn install(workspace: &Workspace, requirements: &Path) -> anyhow::Result<()> {
    let flags = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
    ];
    workspace
        .tool(&python_binary(workspace))
        .arguments(&flags)
        .arguments(&[requirements])
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_current_for_the_same_pins_only() {
        let folder = tempfile::tempdir().unwrap();
        let stamp = folder.path().join("requirements.stamp");
        assert!(!is_current(&stamp, "openai==3.57.0\n"));
        std::fs::write(&stamp, "openai==3.57.0\n").unwrap();
        assert!(is_current(&stamp, "openai==3.57.0\n"));
        assert!(!is_current(&stamp, "openai==3.57.1\n"));
    }
}
