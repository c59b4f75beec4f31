//! `cargo xtask dist`: the archive of this platform, built twice from two places and equal byte for byte, and the
//! packages, each packed twice.
//!
//! Only what can be linked here is built. The other targets need the linkers of their systems: the table in
//! `docs/release.md` says which machine builds what, with this same command.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::packages::{self, empty};
use crate::workspace::Workspace;
use crate::{say, tree};

/// Files beside the binary, from the root of the repository.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// Shells that get completions, with the name of the file.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "holdover.bash"),
    ("zsh", "_holdover"),
    ("fish", "holdover.fish"),
];

/// The flags of C that `.cargo/config.toml` sets where nobody else does.
const CFLAGS: &str = "-DMI_DEFAULT_ARENA_EAGER_COMMIT=0";

/// Builds and checks everything; what is to be published lies in `target/dist/files`.
pub(crate) fn build(workspace: &Workspace) -> anyhow::Result<()> {
    let target = target(workspace)?;
    let files = workspace.target("dist/files");
    empty(&files)?;
    let name = format!("holdover-{}-{target}", env!("CARGO_PKG_VERSION"));
    // Both are built before either is packed, so that both get the same papers.
    let builds = ["first", "second"];
    let binaries = builds.map(|build| binary(workspace, &target, build));
    let mut archives = Vec::new();
    for (build, binary) in builds.into_iter().zip(binaries) {
        let content = workspace.target("dist").join(format!("{build}-content"));
        lay_out(workspace, &binary?, &content.join(&name))?;
        archives.push(archive(workspace, &content, &name)?);
    }
    equal(&archives[0], &archives[1])?;
    let binary = workspace
        .target("dist/first-content")
        .join(&name)
        .join("holdover");
    is_static(&binary, &target)?;
    fs::copy(&archives[0], files.join(format!("{name}.tar.gz")))?;
    // What the Dockerfile copies.
    let image = workspace.target("dist/image");
    empty(&image)?;
    fs::copy(&binary, image.join(binary_name()))?;
    say(&format!("    {name}.tar.gz: two builds are equal, byte for byte"));
    repacked(workspace, &files)?;
    sums(workspace, &files)
}

/// The target of this machine: on Linux the static one.
fn target(workspace: &Workspace) -> anyhow::Result<String> {
    let arch = std::env::consts::ARCH;
    let target = match std::env::consts::OS {
        "linux" => format!("{arch}-unknown-linux-musl"),
        "macos" => format!("{arch}-apple-darwin"),
        "windows" => format!("{arch}-pc-windows-msvc"),
        other => bail!("no archive is made for {other}"),
    };
    let installed = workspace
        .tool("rustc".as_ref())
        .arguments(&["--print", "target-libdir", "--target", &target])
        .output()?;
    if !Path::new(installed.trim()).is_dir() {
        bail!("the standard library of {target} is missing: `rustup target add {target}`");
    }
    if target.ends_with("musl")
        && !workspace
            .tool("musl-gcc".as_ref())
            .arguments(&["--version"])
            .works()
    {
        bail!("SQLite, the allocator and the parsers are C: `apt-get install musl-tools` brings `musl-gcc`");
    }
    Ok(target)
}

/// Builds the binary in a target folder of its own. No path of this machine gets into it.
fn binary(workspace: &Workspace, target: &str, build: &str) -> anyhow::Result<PathBuf> {
    let folder = workspace.target("dist").join(build);
    fs::create_dir_all(&folder)?;
    let home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .context("neither `CARGO_HOME` nor `HOME` is set")?;
    let root = workspace.path("").display().to_string();
    let names = [
        (folder.display().to_string(), "target"),
        (root.trim_end_matches('/').to_owned(), "holdover"),
        (home, "cargo"),
    ];
    let wrapper = wrapper(&folder, &names)?;
    let prefixes = names
        .iter()
        .map(|(path, name)| format!(" -ffile-prefix-map={path}={name}"));
    workspace
        .cargo("build --locked --package holdover --profile dist --target")
        .arguments(&[target])
        .arguments(&["--target-dir".as_ref(), folder.as_os_str()])
        .env("RUSTC_WRAPPER", wrapper)
        // What `.cargo/config.toml` says to the allocator, and the same names for what is C.
        .env("CFLAGS", format!("{CFLAGS}{}", prefixes.collect::<String>()))
        .env(&format!("CC_{}", target.replace('-', "_")), compiler(target))
        // The allocator says when it was compiled; the compiler of C takes this for the time.
        .env("SOURCE_DATE_EPOCH", packages::BUILT_AT)
        .env("CARGO_INCREMENTAL", "0")
        .run()?;
    Ok(folder.join(target).join("dist").join(binary_name()))
}

/// A program between cargo and the compiler that gives paths other names. As flags they would be part of the hash by
/// which cargo names every symbol, and so of the binary.
fn wrapper(folder: &Path, names: &[(String, &str)]) -> anyhow::Result<PathBuf> {
    let flags = names
        .iter()
        .map(|(path, name)| format!(" '--remap-path-prefix={path}={name}'"));
    let path = folder.join("rustc.sh");
    fs::write(
        &path,
        format!("#!/bin/sh\nexec \"$@\"{}\n", flags.collect::<String>()),
    )?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(path)
}

fn binary_name() -> String {
    format!("holdover{}", std::env::consts::EXE_SUFFIX)
}

fn compiler(target: &str) -> &'static str {
    if target.ends_with("musl") {
        "musl-gcc"
    } else {
        "cc"
    }
}

/// The folder that is packed: binary, papers, completions, and the manual page.
fn lay_out(workspace: &Workspace, binary: &Path, folder: &Path) -> anyhow::Result<()> {
    empty(folder)?;
    fs::copy(binary, folder.join(binary_name())).with_context(|| format!("no {}", binary.display()))?;
    for file in BESIDE {
        fs::copy(workspace.path(file), folder.join(file)).context(file)?;
    }
    let printed = |arguments: &[&str]| workspace.tool(binary).arguments(arguments).output();
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
fn archive(workspace: &Workspace, content: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let tar = content.join(format!("{name}.tar"));
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
        .folder(content)
        .run()
        .context("GNU tar makes the archive")?;
    workspace
        .tool("gzip".as_ref())
        .arguments(&["--no-name", "--best", "--force"])
        .arguments(&[&tar])
        .run()?;
    Ok(tar.with_extension("tar.gz"))
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

/// A program that asks for no loader needs no library of its machine.
fn is_static(binary: &Path, target: &str) -> anyhow::Result<()> {
    if !target.ends_with("musl") {
        return Ok(());
    }
    let bytes = fs::read(binary)?;
    if has_interpreter(&bytes).context("it is no ELF file of 64 bits")? {
        bail!("{} asks for a loader: it is not static", binary.display());
    }
    Ok(())
}

/// Whether a program header of an ELF file (64 bits, little endian) has the type `PT_INTERP`.
fn has_interpreter(bytes: &[u8]) -> Option<bool> {
    const PT_INTERP: u64 = 3;
    let number = |at: usize, length: usize| -> Option<u64> {
        let digits = bytes.get(at..at.checked_add(length)?)?;
        Some(
            digits
                .iter()
                .rev()
                .fold(0, |number, byte| number << 8 | u64::from(*byte)),
        )
    };
    let is_elf = bytes.starts_with(b"\x7fELF\x02\x01");
    let (start, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    let header = |index: u64| number(usize::try_from(start + index * size).ok()?, 4);
    is_elf.then(|| (0..count).any(|index| header(index) == Some(PT_INTERP)))
}

/// The wheel and the npm packages of this platform: packing them again gives the same bytes.
fn repacked(workspace: &Workspace, files: &Path) -> anyhow::Result<()> {
    workspace
        .cargo("build --locked --package holdover")
        .arguments(&["--profile", &workspace.profile()])
        .run()?;
    let folders = ["first", "second"].map(|name| workspace.target("dist").join(format!("{name}-packages")));
    for folder in &folders {
        packages::wheel(workspace, &folder.join("wheel"))?;
        packages::npm(workspace, &folder.join("npm"))?;
        // What is packed is compared, and not what it is packed from.
        for made in ["platform", "main"] {
            fs::remove_dir_all(folder.join("npm").join(made))?;
        }
    }
    let different = tree::differences(&folders[0], &folders[1])?;
    if !different.is_empty() {
        bail!("packages that are packed twice differ: {different:?}");
    }
    for file in tree::files(&folders[0])? {
        let name = file.file_name().unwrap_or_default();
        fs::copy(folders[0].join(&file), files.join(name))?;
        say(&format!(
            "    {}: packed twice, equal byte for byte",
            name.display()
        ));
    }
    Ok(())
}

/// The list that a user compares a download with.
fn sums(workspace: &Workspace, files: &Path) -> anyhow::Result<()> {
    let mut names: Vec<String> = tree::files(files)?
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.sort();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of 64 bytes, then one program header of 56 of this type.
    fn elf(kind: u8) -> Vec<u8> {
        let mut bytes = vec![0; 120];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = kind;
        bytes
    }

    #[test]
    fn a_program_with_a_loader_is_told_from_a_static_one() {
        assert_eq!(has_interpreter(&elf(3)), Some(true));
        assert_eq!(has_interpreter(&elf(1)), Some(false));
        assert_eq!(has_interpreter(b"#!/bin/sh\n"), None);
    }
}
