//! `cargo xtask dist`: what is published. The archive of each target, built twice from two places and equal byte for
//! byte; its wheel and its npm package, each packed twice; and what is for this machine, installed and tried.
//!
//! | module | what is there |
//! |---|---|
//! | [`target`] | the systems, and how a binary of one is told |
//! | [`binary`] | the binary, without a path of this machine |
//! | [`archive`] | the archive, without a time or an order of its own |
//! | [`wheel`] | the wheel with another binary |
//! | [`image`] | the image of the `Dockerfile`, built and asked |

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::clients::DIST;
use crate::packages::{self, empty};
use crate::workspace::Workspace;
use crate::{say, tree};

mod archive;
mod binary;
pub(crate) mod image;
mod target;
mod wheel;

pub(crate) use target::Target;

/// Everything is made twice.
const TIMES: [&str; 2] = ["first", "second"];

/// Builds and checks everything for these targets; what is to be published lies in `target/dist/files`.
pub(crate) fn build(workspace: &Workspace, names: &[String]) -> anyhow::Result<()> {
    let targets = Target::named(names)?;
    for target in &targets {
        has_library(workspace, target)?;
    }
    DIST.set_up(workspace)?;
    // It prints what is packed beside the others, and is what the wheels are made from.
    workspace
        .cargo("build --locked --package holdover")
        .arguments(&["--profile", &workspace.profile()])
        .run()?;
    let files = workspace.target("dist/files");
    empty(&files)?;
    let mut binaries = Vec::new();
    for target in targets {
        let binary = archived(workspace, target, &files)?;
        binaries.push((target, binary));
    }
    packed(workspace, &binaries, &files)?;
    tried(workspace, &files)?;
    sums(workspace, &files)
}

/// Rust's own part for a target.
fn has_library(workspace: &Workspace, target: &Target) -> anyhow::Result<()> {
    let triple = target.triple;
    let library = workspace
        .tool("rustc".as_ref())
        .arguments(&["--print", "target-libdir", "--target", triple])
        .output()?;
    if !Path::new(library.trim()).is_dir() {
        bail!("the standard library of {triple} is missing: `rustup target add {triple}`");
    }
    Ok(())
}

/// Builds a target twice, compares the archives, puts one into `files`, and gives the path of the binary.
fn archived(workspace: &Workspace, target: &Target, files: &Path) -> anyhow::Result<PathBuf> {
    let folder = |time: &str, what: &str| workspace.target("dist").join(format!("{time}-{what}"));
    let mut archives = Vec::new();
    for time in TIMES {
        let binary = binary::build(workspace, target, &folder(time, "build"))?;
        let content = folder(time, target.triple);
        archives.push(archive::pack(workspace, target, &binary, &content)?);
    }
    equal(&archives[0], &archives[1])?;
    let name = archives[0].file_name().unwrap_or_default();
    fs::copy(&archives[0], files.join(name))?;
    let binary = folder(TIMES[0], "build")
        .join(target.triple)
        .join("dist")
        .join(target.binary());
    target.check(&fs::read(&binary)?)?;
    say(&format!(
        "    {}: two builds are equal, byte for byte",
        name.display()
    ));
    say(&format!("    {}", started(workspace, target, &binary)?));
    if target.triple == Target::host()?.triple {
        // What the Dockerfile copies.
        let image = workspace.target("dist/image");
        empty(&image)?;
        fs::copy(&binary, image.join(target.binary()))?;
    }
    Ok(binary)
}

/// Starts the binary: here, or with what runs programs of its system; and says which.
fn started(workspace: &Workspace, target: &Target, binary: &Path) -> anyhow::Result<String> {
    let asked = |program: &Path, arguments: &[&Path]| {
        let printed = workspace
            .tool(program)
            .arguments(arguments)
            .arguments(&["explain", "reasoning-dropped"])
            .output()?;
        if !printed.contains("reasoning-dropped") {
            bail!("the binary of {} explains nothing: {printed:?}", target.triple);
        }
        Ok(())
    };
    if target.triple == Target::host()?.triple {
        asked(binary, &[])?;
        return Ok("it was started".to_owned());
    }
    let Some(runner) = target.runner else {
        return Ok("it was not started: nothing here runs it".to_owned());
    };
    if !workspace.tool(runner.as_ref()).arguments(&["--version"]).works() {
        return Ok(format!(
            "it was not started: `{runner}` would run it, and is not installed"
        ));
    }
    asked(runner.as_ref(), &[binary])?;
    Ok(format!("it was started by {runner}"))
}

fn equal(first: &Path, second: &Path) -> anyhow::Result<()> {
    let (one, other) = (fs::read(first)?, fs::read(second)?);
    if one.is_empty() || one != other {
        let folders = [first, second].map(|path| path.parent().unwrap_or(path).to_owned());
        let different = tree::differences(&folders[0], &folders[1])?;
        bail!("two builds differ in {different:?}");
    }
    Ok(())
}

/// The wheels and the npm packages: packing them again gives the same bytes.
fn packed(workspace: &Workspace, binaries: &[(&Target, PathBuf)], files: &Path) -> anyhow::Result<()> {
    let folders = TIMES.map(|time| workspace.target("dist").join(format!("{time}-packages")));
    for folder in &folders {
        empty(folder)?;
        let base = packages::wheel(workspace, &folder.join("base"))?;
        for package in packages::npm(workspace, &folder.join("npm"), binaries)? {
            fs::rename(&package, folder.join(package.file_name().unwrap_or_default()))?;
        }
        for (target, binary) in binaries {
            wheel::with_binary(workspace, &base, target, binary, folder)?;
        }
        // What is packed is compared, and not what it is packed from.
        for made in ["base", "npm"] {
            fs::remove_dir_all(folder.join(made))?;
        }
    }
    let different = tree::differences(&folders[0], &folders[1])?;
    if !different.is_empty() {
        bail!("packages that are packed twice differ: {different:?}");
    }
    for file in tree::files(&folders[0])? {
        fs::copy(folders[0].join(&file), files.join(&file))?;
        say(&format!(
            "    {}: packed twice, equal byte for byte",
            file.display()
        ));
    }
    Ok(())
}

/// Installs what was packed for this machine and lets the tests of a user's first minutes look at it.
fn tried(workspace: &Workspace, files: &Path) -> anyhow::Result<()> {
    let host = Target::host()?;
    let made = tree::files(files)?;
    let named = |part: &str, end: &str| {
        let mut names = made.iter().map(|name| name.display().to_string());
        names.find(|name| name.contains(part) && name.ends_with(end))
    };
    let first_tag = host.wheel.split('.').next().unwrap_or_default();
    let wheel = named(first_tag, ".whl");
    let platform = named(&format!("-{}-{}-", host.system, host.cpu), ".tgz");
    let (Some(wheel), Some(platform)) = (wheel, platform) else {
        say("    nothing was tried: no package is for this machine");
        return Ok(());
    };
    let main = format!("holdover-{}.tgz", env!("CARGO_PKG_VERSION"));
    packages::try_wheel(workspace, &files.join(wheel))?;
    packages::try_npm(workspace, &[files.join(platform), files.join(main)])
}

/// The list that a user compares a download with.
fn sums(workspace: &Workspace, files: &Path) -> anyhow::Result<()> {
    let names: Vec<PathBuf> = tree::files(files)?.into_iter().collect();
    let list = workspace
        .tool("sha256sum".as_ref())
        .arguments(&names)
        .folder(files)
        .output()?;
    fs::write(files.join("SHA256SUMS"), &list)?;
    for line in list.lines() {
        say(&format!("    {line}"));
    }
    Ok(())
}
