//! The binary of a target: linked with zig, which has the linkers and the C libraries of every system, and without a
//! path of this machine in it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::clients::DIST;
use crate::dist::target::Target;
use crate::packages;
use crate::workspace::Workspace;

/// The flags of C that `.cargo/config.toml` sets where nobody else does; and zig may not refuse a program that says when
/// it was compiled, for it is told a time.
const CFLAGS: &str = "-DMI_DEFAULT_ARENA_EAGER_COMMIT=0 -Wno-date-time";

/// Builds the binary in a target folder of its own and gives its path.
pub(crate) fn build(workspace: &Workspace, target: &Target, folder: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let home = std::env::var("CARGO_HOME")
        .or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")))
        .context("neither `CARGO_HOME` nor `HOME` is set")?;
    let root = workspace.path("").display().to_string();
    let names = special_last([
        (folder.display().to_string(), "target"),
        (root.trim_end_matches('/').to_owned(), "holdover"),
        (home, "cargo"),
    ]);
    let wrapper = wrapper(folder, &names)?;
    let prefixes = names
        .iter()
        .map(|(path, name)| format!(" -ffile-prefix-map={path}={name}"));
    workspace
        .cargo("zigbuild --locked --package holdover --profile dist --target")
        .arguments(&[target.triple])
        .arguments(&["--target-dir".as_ref(), folder.as_os_str()])
        .env("PATH", DIST.path(workspace)?)
        .env("RUSTC_WRAPPER", wrapper)
        // What `.cargo/config.toml` says to the allocator, and the same names for what is C.
        .env("CFLAGS", format!("{CFLAGS}{}", prefixes.collect::<String>()))
        // The allocator says when it was compiled; the compiler of C takes this for the time.
        .env("SOURCE_DATE_EPOCH", packages::BUILT_AT)
        .env("CARGO_INCREMENTAL", "0")
        .run()?;
    Ok(folder.join(target.triple).join("dist").join(target.binary()))
}

/// Names of paths in the order in which compilers want them: of several that fit they take the last, and one inside
/// another fits better.
fn special_last<const COUNT: usize>(mut names: [(String, &str); COUNT]) -> [(String, &str); COUNT] {
    names.sort_by_key(|(path, _)| path.len());
    names
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

#[cfg(test)]
mod tests {
    use super::special_last;

    #[test]
    fn a_path_inside_another_comes_after_it() {
        let named = |cargo: &str| {
            let paths = [
                ("/src/holdover/target/dist", "target"),
                ("/src/holdover", "holdover"),
                (cargo, "cargo"),
            ];
            special_last(paths.map(|(path, name)| (path.to_owned(), name))).map(|(_, name)| name)
        };
        assert_eq!(named("/src"), ["cargo", "holdover", "target"]);
        assert_eq!(named("/src/holdover/.cargo"), ["holdover", "cargo", "target"]);
        assert_eq!(
            named("/src/holdover/target/dist/cargo"),
            ["holdover", "target", "cargo"]
        );
    }
}
