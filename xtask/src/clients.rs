//! The pinned environments of the real clients, under `target/clients/`.
//!
//! An environment is made once for each content of its requirements: a stamp beside it holds that content, so a
//! changed pin makes it anew. A missing interpreter is an error that says what to do, never a skipped test.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::workspace::{Tool, Workspace};

/// The pinned packages of the Python clients.
const REQUIREMENTS: &str = "tests/clients/python/requirements.txt";

/// Names under which Python 3.11 or newer may be installed, the most exact first.
const PYTHONS: [&str; 5] = ["python3.11", "python3.12", "python3.13", "python3.14", "python3"];

const NEW_ENOUGH: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// A Python environment: a folder under `target/clients/`, and the file that pins what is in it.
pub(crate) struct Environment {
    /// Its name, which is that of its folder.
    pub(crate) name: &'static str,
    requirements: &'static str,
}

/// The clients under test.
pub(crate) const CLIENTS: Environment = Environment {
    name: "python",
    requirements: REQUIREMENTS,
};

/// What builds the wheel.
pub(crate) const BUILD: Environment = Environment {
    name: "build",
    requirements: "tests/packages/build.txt",
};

/// What links for other systems.
pub(crate) const DIST: Environment = Environment {
    name: "dist",
    requirements: "tests/packages/dist.txt",
};

/// Clients of the board that want openai 3, and pytest-xdist.
pub(crate) const OPENAI_3: Environment = Environment {
    name: "openai3",
    requirements: "tests/clients/board/python/openai3.txt",
};

/// Clients of the board that want openai 2.
const OPENAI_2: Environment = Environment {
    name: "openai2",
    requirements: "tests/clients/board/python/openai2.txt",
};

/// The environments that the board uses.
pub(crate) fn of_the_board() -> impl Iterator<Item = &'static Environment> {
    [&CLIENTS, &OPENAI_3, &OPENAI_2].into_iter()
}

/// Makes the environment of the Python clients, unless it is there.
pub(crate) fn python(workspace: &Workspace) -> anyhow::Result<()> {
    CLIENTS.set_up(workspace)
}

/// The interpreter of the Python environment, which [`python`] makes.
pub(crate) fn python_binary(workspace: &Workspace) -> PathBuf {
    CLIENTS.python(workspace)
}

impl Environment {
    /// Its interpreter.
    pub(crate) fn python(&self, workspace: &Workspace) -> PathBuf {
        self.folder(workspace).join("bin").join("python")
    }

    /// The `PATH` on which its programs come first.
    pub(crate) fn path(&self, workspace: &Workspace) -> anyhow::Result<OsString> {
        let own = self.folder(workspace).join("bin");
        let others = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(own).chain(std::env::split_paths(&others));
        std::env::join_paths(folders).context("the target folder has a character that no PATH can hold")
    }

    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.target("clients").join(self.name)
    }

    /// Makes it, unless it is there with these very requirements.
    pub(crate) fn set_up(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let requirements = workspace.path(self.requirements);
        let pins = std::fs::read_to_string(&requirements)
            .with_context(|| format!("cannot read {}", self.requirements))?;
        let stamp = self.folder(workspace).join("requirements.stamp");
        let python = self.python(workspace);
        if is_current(&stamp, &pins) && workspace.tool(&python).arguments(&["--version"]).works() {
            return Ok(());
        }
        make_python(workspace, &self.folder(workspace))?;
        install(workspace, &python, &requirements)?;
        std::fs::write(&stamp, pins).with_context(|| format!("cannot write {}", stamp.display()))
    }
}

fn is_current(stamp: &Path, pins: &str) -> bool {
    std::fs::read_to_string(stamp).is_ok_and(|stamped| stamped == pins)
}

/// An empty environment in a folder; what was there is gone.
pub(crate) fn make_python(workspace: &Workspace, folder: &Path) -> anyhow::Result<()> {
    let base = find_python(workspace)?;
    if !workspace
        .tool(base.as_ref())
        .arguments(&["-c", "import venv, ensurepip"])
        .works()
    {
        bail!("`{base}` has no venv module: `apt-get install python3-venv` brings it");
    }
    workspace
        .tool(base.as_ref())
        .arguments(&["-m", "venv", "--clear"])
        .arguments(&[folder])
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

/// Installs what a file pins.
pub(crate) fn install(workspace: &Workspace, python: &Path, requirements: &Path) -> anyhow::Result<()> {
    pip(workspace, python)
        .arguments(&["--requirement".as_ref(), requirements.as_os_str()])
        .run()
}

/// `pip install` of an interpreter, without its arguments.
pub(crate) fn pip(workspace: &Workspace, python: &Path) -> Tool {
    let flags = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    workspace.tool(python).arguments(&flags)
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
