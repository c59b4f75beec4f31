//! The pinned Node of the real clients with their packages, each set in a folder of its own under `target/clients/`.
//!
//! Node itself is a package (`node` of npm), so that every machine runs the same; only `npm` must be there. The programs
//! are copied beside `node_modules`, since a module finds its packages from its own folder upwards.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::workspace::Workspace;

const LOCK: &str = "package-lock.json";

/// One set of packages, and the programs that need them.
pub(crate) struct Packages {
    /// Folder with `package.json`, its lock, and the programs.
    source: &'static str,
    /// Folder under `target/clients/`.
    name: &'static str,
}

/// The clients of the board.
pub(crate) const BOARD: Packages = Packages {
    source: "tests/clients/board/node",
    name: "node",
};

/// The client that meets every fault.
pub(crate) const FAULTS: Packages = Packages {
    source: "tests/clients/faults/node",
    name: "node-faults",
};

/// The client that walks through the API.
const SURFACE: Packages = Packages {
    source: "tests/clients/node",
    name: "openai-node",
};

/// Runs the test of `tests/clients/node` against the binary that users get.
pub(crate) fn test_surface(workspace: &Workspace) -> anyhow::Result<()> {
    SURFACE.set_up(workspace)?;
    workspace
        .tool(&SURFACE.binary(workspace))
        .arguments(&["--test", "--test-reporter=spec"])
        .arguments(&[SURFACE.program(workspace, "surface.test.mjs")])
        .env("HOLDOVER_BIN", workspace.holdover())
        .run()
}

impl Packages {
    /// The interpreter.
    pub(crate) fn binary(&self, workspace: &Workspace) -> PathBuf {
        self.folder(workspace)
            .join("node_modules")
            .join(".bin")
            .join("node")
    }

    /// Where a program lies that [`Packages::set_up`] has copied.
    pub(crate) fn program(&self, workspace: &Workspace, name: &str) -> PathBuf {
        self.folder(workspace).join(name)
    }

    /// Installs the packages, unless they are there in these very versions, and copies the programs.
    pub(crate) fn set_up(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let (source, folder) = (workspace.path(self.source), self.folder(workspace));
        let lock = std::fs::read_to_string(source.join(LOCK))
            .with_context(|| format!("cannot read {}/{LOCK}", self.source))?;
        std::fs::create_dir_all(&folder)?;
        let stamp = folder.join("package-lock.stamp");
        let is_current = std::fs::read_to_string(&stamp).is_ok_and(|stamped| stamped == lock);
        let works = || {
            let binary = self.binary(workspace);
            workspace.tool(&binary).arguments(&["--version"]).works()
        };
        if !is_current || !works() {
            install(workspace, &source, &folder)?;
            std::fs::write(&stamp, lock)?;
        }
        for entry in std::fs::read_dir(&source)? {
            let path = entry?.path();
            if let (Some("mjs"), Some(name)) = (path.extension().and_then(|it| it.to_str()), path.file_name())
            {
                std::fs::copy(&path, folder.join(name))?;
            }
        }
        Ok(())
    }

    fn folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.target("clients").join(self.name)
    }
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
