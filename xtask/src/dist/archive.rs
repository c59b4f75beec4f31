//! The archive of a target: binary, papers, completions, and the manual page.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::clients::DIST;
use crate::dist::target::Target;
use crate::packages::{self, empty};
use crate::workspace::Workspace;

/// Files beside the binary, from the root of the repository.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// Shells that get completions, with the name of the file.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "holdover.bash"),
    ("zsh", "_holdover"),
    ("fish", "holdover.fish"),
];

/// Packs a binary into an empty folder and gives the path of the archive.
pub(crate) fn pack(
    workspace: &Workspace,
    target: &Target,
    binary: &Path,
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    empty(folder)?;
    let name = format!("holdover-{}-{}", env!("CARGO_PKG_VERSION"), target.triple);
    lay_out(workspace, target, binary, &folder.join(&name))?;
    if target.system == "win32" {
        zip(workspace, folder, &name)
    } else {
        tar(workspace, folder, &name)
    }
}

/// The folder that is packed. What a program says of itself is the same on every system, so the one of this machine is
/// asked.
fn lay_out(workspace: &Workspace, target: &Target, binary: &Path, folder: &Path) -> anyhow::Result<()> {
    empty(folder)?;
    fs::copy(binary, folder.join(target.binary())).with_context(|| format!("no {}", binary.display()))?;
    for file in BESIDE {
        fs::copy(workspace.path(file), folder.join(file)).context(file)?;
    }
    let printed = |arguments: &[&str]| {
        workspace
            .tool(&workspace.holdover())
            .arguments(arguments)
            .output()
    };
    fs::create_dir(folder.join("completions"))?;
    for (shell, file) in SHELLS {
        fs::write(
            folder.join("completions").join(file),
            printed(&["completions", shell])?,
        )?;
    }
    fs::write(folder.join("holdover.1"), printed(&["man"])?)?;
    Ok(())
}

/// Packs a folder without owner, time or order of its own.
fn tar(workspace: &Workspace, folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let tar = folder.join(format!("{name}.tar"));
    workspace
        .tool("tar".as_ref())
        .arguments(&[
            "--sort=name",
            "--mtime=@0",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--mode=u=rwX,go=rX",
        ])
        .arguments(&["-cf".as_ref(), tar.as_os_str(), name.as_ref()])
        .folder(folder)
        .run()
        .context("GNU tar makes the archive")?;
    workspace
        .tool("gzip".as_ref())
        .arguments(&["--no-name", "--best", "--force"])
        .arguments(&[&tar])
        .run()?;
    Ok(tar.with_extension("tar.gz"))
}

/// The same as a zip, which is what Windows opens: files in order, each of the same second and with the same rights.
const ZIP: &str = "
import pathlib, sys, time, zipfile
folder, name, second = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with zipfile.ZipFile(folder / (name + '.zip'), 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(path for path in (folder / name).rglob('*') if path.is_file()):
        entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), time.gmtime(second)[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o100644 << 16
        archive.writestr(entry, path.read_bytes())
";

fn zip(workspace: &Workspace, folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    workspace
        .tool(&DIST.python(workspace))
        .arguments(&["-c", ZIP])
        .arguments(&[folder.as_os_str(), name.as_ref(), packages::BUILT_AT.as_ref()])
        .run()?;
    Ok(folder.join(format!("{name}.zip")))
}
