//! Where the repository is, and how a tool is started in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

/// The repository on this machine.
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    profile: String,
}

impl Workspace {
    /// Cargo says where this package lies; the repository is one folder up.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let package =
            std::env::var_os("CARGO_MANIFEST_DIR").context("start it with `cargo xtask`, not by its path")?;
        let root = Path::new(&package)
            .parent()
            .context("the package has no folder above it")?
            .to_owned();
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
        let profile = std::env::var("HOLDOVER_PROFILE").unwrap_or_else(|_| "release".to_owned());
        Ok(Self {
            root,
            target,
            profile,
        })
    }

    /// The path of a file of the repository.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// The path of a file that a build makes and git ignores.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.target.join(relative)
    }

    /// The profile of the binary that is tested: `release`, or what `HOLDOVER_PROFILE` names, for a quick answer.
    pub(crate) fn profile(&self) -> String {
        self.profile.clone()
    }

    /// The binary that users get, which the step `release` builds.
    pub(crate) fn holdover(&self) -> PathBuf {
        if let Some(named) = std::env::var_os("HOLDOVER_BIN") {
            return self.root.join(named);
        }
        let folder = if self.profile == "dev" {
            "debug"
        } else {
            &self.profile
        };
        self.target(folder)
            .join(format!("holdover{}", std::env::consts::EXE_SUFFIX))
    }

    /// The cargo that started us, with arguments that stand in one line and have no spaces of their own.
    pub(crate) fn cargo(&self, line: &str) -> Tool {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        self.tool(cargo.as_ref())
            .arguments(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// A program, started in the root of the repository without standard input.
    pub(crate) fn tool(&self, program: &Path) -> Tool {
        let mut command = Command::new(program);
        command.current_dir(&self.root).stdin(std::process::Stdio::null());
        Tool { command }
    }
}

/// A program that is about to be started.
pub(crate) struct Tool {
    command: Command,
}

impl Tool {
    /// Starts it in another folder than the root of the repository.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Clears an environment variable of the program.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Adds arguments.
    pub(crate) fn arguments<A: AsRef<std::ffi::OsStr>>(mut self, arguments: &[A]) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets an environment variable of the program.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it to its end with our own output; any exit code but 0 is an error.
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        let shown = self.shown();
        let status = self
            .command
            .status()
            .with_context(|| format!("could not start `{shown}`"))?;
        if !status.success() {
            bail!("`{shown}` ended with {status}");
        }
        Ok(())
    }

    /// Runs it to its end and gives what it printed; any exit code but 0 is an error.
    pub(crate) fn output(mut self) -> anyhow::Result<String> {
        let shown = self.shown();
        let output = self
            .command
            .stderr(std::process::Stdio::inherit())
            .output()
            .with_context(|| format!("could not start `{shown}`"))?;
        if !output.status.success() {
            bail!("`{shown}` ended with {}", output.status);
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed what is no text"))
    }

    /// Whether it starts and ends with exit code 0; nothing it prints is shown.
    pub(crate) fn works(mut self) -> bool {
        let quiet = std::process::Stdio::null;
        self.command
            .stdout(quiet())
            .stderr(quiet())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn shown(&self) -> String {
        let program = Path::new(self.command.get_program());
        let name = program
            .file_name()
            .unwrap_or(program.as_os_str())
            .to_string_lossy()
            .into_owned();
        let words = self
            .command
            .get_args()
            .map(|word| word.to_string_lossy().into_owned());
        std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
    }
}
