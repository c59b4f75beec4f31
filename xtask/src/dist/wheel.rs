//! The wheel of another target: the one of this machine with another binary and other tags.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::clients::DIST;
use crate::dist::target::Target;
use crate::packages::{self, empty, only};
use crate::workspace::Workspace;

/// Puts the binary of a target into a copy of `wheel`, in the folder `out`.
pub(crate) fn with_binary(
    workspace: &Workspace,
    wheel: &Path,
    target: &Target,
    binary: &Path,
    out: &Path,
) -> anyhow::Result<PathBuf> {
    let work = out.join("work");
    empty(&work)?;
    let name = wheel.file_name().context("a wheel has a name")?;
    fs::copy(wheel, work.join(name))?;
    tool(
        workspace,
        &work,
        &["tags", "--remove", "--platform-tag", target.wheel],
    )
    .arguments(&[name])
    .run()?;
    let tagged = only(&work, "whl")?;
    tool(workspace, &work, &["unpack"]).arguments(&[&tagged]).run()?;
    fs::remove_file(&tagged)?;
    let version = format!("holdover-{}", env!("CARGO_PKG_VERSION"));
    let content = work.join(&version);
    let scripts = content.join(format!("{version}.data")).join("scripts");
    empty(&scripts)?;
    // `fs::copy` keeps the right to run it.
    fs::copy(binary, scripts.join(target.binary()))?;
    tool(workspace, &work, &["pack"]).arguments(&[&content]).run()?;
    let packed = only(&work, "whl")?;
    let path = out.join(packed.file_name().unwrap_or_default());
    fs::rename(&packed, &path)?;
    fs::remove_dir_all(&work)?;
    Ok(path)
}

/// The tool of the Python packagers for wheels.
fn tool(workspace: &Workspace, folder: &Path, arguments: &[&str]) -> crate::workspace::Tool {
    workspace
        .tool(&DIST.python(workspace))
        .arguments(&["-m", "wheel"])
        .arguments(arguments)
        .env("SOURCE_DATE_EPOCH", packages::BUILT_AT)
        .folder(folder)
}
