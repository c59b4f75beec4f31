//! The wheel and the npm packages: built, installed into empty environments, and tried as a user would.
//!
//! Everything lies under `target/packages/`: the packages themselves, an environment with the wheel, and a folder with
//! the npm packages.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};

use crate::clients;
use crate::dist::Target;
use crate::workspace::Workspace;

/// What a user has beside the wheel.
const BESIDE_WHEEL: &str = "tests/packages/python.txt";
/// What a user has beside the npm packages: a `package.json` with its lock.
const BESIDE_NPM: &str = "tests/packages/node";

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target("packages")
}

/// The step that builds the wheel.
pub(crate) fn wheel_step(workspace: &Workspace) -> anyhow::Result<()> {
    wheel(workspace, &folder(workspace).join("wheel")).map(drop)
}

/// The second in which everything that is published was built, for tools that ask: the first that an archive of Python
/// can name.
pub(crate) const BUILT_AT: &str = "315532800";

/// Builds the wheel into an empty folder; cargo has built the binary before, so only the packing is left.
pub(crate) fn wheel(workspace: &Workspace, out: &Path) -> anyhow::Result<PathBuf> {
    clients::BUILD.set_up(workspace)?;
    empty(out)?;
    workspace
        .tool(&clients::BUILD.python(workspace))
        .arguments(&["-m", "maturin", "build", "--locked", "--quiet", "--profile"])
        .arguments(&[workspace.profile()])
        .arguments(&["--out".as_ref(), out.as_os_str()])
        .env("CARGO_TARGET_DIR", workspace.target(""))
        // The list of what is inside bears a time and a number of its own.
        .env("SOURCE_DATE_EPOCH", BUILT_AT)
        .folder(&workspace.path("packages/python"))
        .run()?;
    only(out, "whl")
}

/// The step that builds the npm packages.
pub(crate) fn npm_step(workspace: &Workspace) -> anyhow::Result<()> {
    let host = Target::host()?;
    let platform = (host, workspace.holdover());
    npm(workspace, &folder(workspace).join("npm"), &[platform]).map(drop)
}

/// Packs the package of each target with its binary, and the main package that names them.
pub(crate) fn npm(
    workspace: &Workspace,
    out: &Path,
    binaries: &[(&Target, PathBuf)],
) -> anyhow::Result<Vec<PathBuf>> {
    empty(out)?;
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(workspace.path("packages/npm/package.json"))?)?;
    let version = env!("CARGO_PKG_VERSION");
    let mut packed = Vec::new();
    // Only what was built is named: a package that is not there would be asked for in vain.
    let mut named = Map::new();
    for (target, binary) in binaries {
        let name = format!("@holdover/{}-{}", target.system, target.cpu);
        let own = out.join("platform");
        empty(&own)?;
        fs::create_dir(own.join("bin"))?;
        fs::copy(binary, own.join("bin").join(target.binary()))
            .with_context(|| format!("no {}: the step `release` builds it", binary.display()))?;
        write_json(
            &own.join("package.json"),
            &platform_manifest(&manifest, target, &name),
        )?;
        packed.push(npm_pack(workspace, &own, out)?);
        named.insert(name, version.into());
    }
    let main = out.join("main");
    copy_tree(&workspace.path("packages/npm"), &main)?;
    manifest["version"] = json!(version);
    manifest["optionalDependencies"] = Value::Object(named);
    write_json(&main.join("package.json"), &manifest)?;
    packed.push(npm_pack(workspace, &main, out)?);
    Ok(packed)
}

fn platform_manifest(manifest: &Value, target: &Target, name: &str) -> Value {
    let Target { system, cpu, .. } = target;
    json!({
        "name": name,
        "version": env!("CARGO_PKG_VERSION"),
        "description": format!("The binary of holdover for {system} on {cpu}"),
        "license": manifest["license"],
        "repository": manifest["repository"],
        "os": [system],
        "cpu": [cpu],
        "files": ["bin"],
    })
}

/// Packs a folder and gives the path of the package in `out`.
fn npm_pack(workspace: &Workspace, folder: &Path, out: &Path) -> anyhow::Result<PathBuf> {
    let printed = workspace
        .tool("npm".as_ref())
        .arguments(&["pack", "--silent", "--pack-destination"])
        .arguments(&[out])
        .folder(folder)
        .output()
        .context("`apt-get install nodejs npm` brings Node 20 or newer and npm")?;
    let path = out.join(printed.trim());
    if !path.is_file() {
        bail!("`npm pack` did not write {}", path.display());
    }
    Ok(path)
}

/// The step that tries the wheel.
pub(crate) fn try_wheel_step(workspace: &Workspace) -> anyhow::Result<()> {
    try_wheel(workspace, &only(&folder(workspace).join("wheel"), "whl")?)
}

/// An environment with nothing but a wheel and what a user has beside it, and the tests that look at it from outside.
pub(crate) fn try_wheel(workspace: &Workspace, wheel: &Path) -> anyhow::Result<()> {
    let environment = folder(workspace).join("python");
    let python = environment.join("bin").join("python");
    clients::make_python(workspace, &environment)?;
    clients::install(workspace, &python, &workspace.path(BESIDE_WHEEL))?;
    clients::pip(workspace, &python)
        .arguments(&["--no-deps"])
        .arguments(&[wheel])
        .run()?;
    for tests in ["packages/python/tests", "tests/packages/python"] {
        pytest(workspace, &python, tests)?;
    }
    Ok(())
}

/// The step that tries the npm packages.
pub(crate) fn try_npm_step(workspace: &Workspace) -> anyhow::Result<()> {
    let mut packed = Vec::new();
    for entry in fs::read_dir(folder(workspace).join("npm"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "tgz") {
            packed.push(path);
        }
    }
    packed.sort();
    try_npm(workspace, &packed)
}

/// A folder with nothing but npm packages and what a user has beside them, and the tests that look at it, with the
/// clients' environment.
pub(crate) fn try_npm(workspace: &Workspace, packed: &[PathBuf]) -> anyhow::Result<()> {
    clients::python(workspace)?;
    let node = folder(workspace).join("node");
    empty(&node)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(workspace.path(BESIDE_NPM).join(file), node.join(file))?;
    }
    let npm = |arguments: &[&str]| workspace.tool("npm".as_ref()).arguments(arguments).folder(&node);
    // `npm ci` refuses locks that leave out packages of other systems; `install` takes the versions of the lock as well.
    npm(&["install", "--no-audit", "--no-fund", "--silent"]).run()?;
    npm(&["install", "--no-audit", "--no-fund", "--no-save", "--silent"])
        .arguments(packed)
        .run()?;
    pytest(
        workspace,
        &clients::python_binary(workspace),
        "tests/packages/npm",
    )
}

/// The image, with the clients' environment.
pub(crate) fn try_image(workspace: &Workspace) -> anyhow::Result<()> {
    clients::python(workspace)?;
    pytest(
        workspace,
        &clients::python_binary(workspace),
        "tests/packages/image",
    )
}

/// What CI systems read, checked against their schemas: in the environment of the wheel, with what the folder of the npm
/// packages holds.
pub(crate) fn check_reports(workspace: &Workspace) -> anyhow::Result<()> {
    let python = folder(workspace).join("python").join("bin").join("python");
    pytest(workspace, &python, "tests/packages/reports")
}

/// The tests of a folder with an interpreter. The binary is the one of the wheel, whatever else there is.
fn pytest(workspace: &Workspace, python: &Path, tests: &str) -> anyhow::Result<()> {
    workspace
        .tool(python)
        .arguments(&["-m", "pytest", "-q", "-p", "no:cacheprovider", tests])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("HOLDOVER_NODE", folder(workspace).join("node"))
        .without("HOLDOVER_BIN")
        .run()
}

/// A folder without anything in it.
pub(crate) fn empty(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// The one file with this extension.
pub(crate) fn only(folder: &Path, extension: &str) -> anyhow::Result<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|own| own == extension) {
            files.push(path);
        }
    }
    match files.as_slice() {
        [file] => Ok(file.clone()),
        files => bail!("{} files `*.{extension}` in {}", files.len(), folder.display()),
    }
}

fn write_json(path: &Path, value: &Value) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)? + "\n";
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn copy_tree(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_tree(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
