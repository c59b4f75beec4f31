//! The rules of the house that no compiler holds (`docs/style.md`, `docs/architecture.md`).

use regex::Regex;

use crate::support;

/// Files of code are split before they are this long (rule 18 of `docs/style.md`).
const LINES_MAX: usize = 800;

/// How an exception begins that stays when it is no longer needed.
const ALLOW: &str = "[allow(";

/// What counts as code.
const CODE: [&str; 6] = ["rs", "py", "ts", "mjs", "js", "toml"];

#[test]
fn no_file_of_code_is_too_long() {
    let code = support::tracked()
        .into_iter()
        .filter(|path| CODE.iter().any(|kind| support::has_extension(path, kind)));
    let too_long = code.filter_map(|path| {
        let lines = support::text(&path)?.lines().count();
        (lines > LINES_MAX).then(|| format!("{path}: {lines} lines"))
    });
    let too_long: Vec<_> = too_long.collect();
    support::assert_none("files over 800 lines want a new room", &too_long);
}

#[test]
fn no_file_names_a_folder_of_the_machine_it_was_written_on() {
    // Put together here, so that this file does not hold what it forbids.
    let folders = ["work", "root", "home", "Users", "tmp"].map(|name| format!("/{name}/"));
    let pattern = format!("(^|[^A-Za-z0-9_./}}-])({})", folders.join("|"));
    let pattern = Regex::new(&pattern).unwrap();
    let mut problems = Vec::new();
    for path in support::tracked() {
        let Some(text) = support::text(&path) else {
            continue;
        };
        for (index, line) in text.lines().enumerate() {
            if pattern.is_match(line) {
                problems.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    support::assert_none("paths of one machine", &problems);
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    // The adapters of Rust clients are a workspace of their own, with the lock of those clients.
    let manifests = support::tracked()
        .into_iter()
        .filter(|path| path.ends_with("/Cargo.toml") && !path.starts_with("tests/clients/"));
    let mut problems = Vec::new();
    for path in manifests {
        let manifest: toml::Table = support::text(&path).unwrap().parse().unwrap();
        let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace"))
            == Some(&toml::Value::Boolean(true));
        if !inherits {
            problems.push(format!("{path}: no `[lints] workspace = true`"));
        }
    }
    support::assert_none("crates without the lints of the workspace", &problems);
}

#[test]
fn every_pure_crate_bans_clock_environment_files_and_unordered_maps() {
    let bans = [
        "std::time::SystemTime::now",
        "std::time::Instant::now",
        "std::env::var",
        "std::fs::read_to_string",
        "std::collections::HashMap",
        "std::collections::HashSet",
    ];
    let mut problems = Vec::new();
    for name in pure_crates_of_the_tree() {
        let path = format!("crates/{name}/clippy.toml");
        let text = std::fs::read_to_string(support::root().join(&path)).unwrap_or_default();
        let config: toml::Table = text.parse().unwrap();
        let banned = |ban: &str| {
            let lists = ["disallowed-methods", "disallowed-types"]
                .into_iter()
                .filter_map(|key| config.get(key)?.as_array());
            lists
                .flatten()
                .any(|entry| entry.get("path").and_then(toml::Value::as_str) == Some(ban))
        };
        problems.extend(
            bans.iter()
                .filter(|ban| !banned(ban))
                .map(|ban| format!("{path} does not ban `{ban}`")),
        );
    }
    support::assert_none("pure crates that could be impure", &problems);
}

#[test]
fn no_pure_crate_gets_round_its_bans() {
    let spells = Regex::new(r"clippy::disallowed_|std::(net|process|thread::sleep)|\btokio\b").unwrap();
    let mut problems = Vec::new();
    for name in pure_crates_of_the_tree() {
        let folder = format!("crates/{name}/src/");
        for path in support::tracked().iter().filter(|path| path.starts_with(&folder)) {
            let Some(text) = support::text(path) else { continue };
            let lines = text
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.trim_start().starts_with("//"));
            problems.extend(
                lines
                    .filter(|(_, line)| spells.is_match(line))
                    .map(|(at, line)| format!("{path}:{}: {line}", at + 1)),
            );
        }
    }
    support::assert_none("pure crates that reach for the machine", &problems);
}

/// The runner passes the output of the client's own command through, untouched.
const PASSES_THROUGH: &str = "crates/runner/src/client.rs";

#[test]
fn only_the_command_line_prints() {
    let spells =
        Regex::new(r"clippy::print_std(out|err)|\bio::std(out|err)\(\)|\bstd(out|err)\(\)\.lock").unwrap();
    let quiet = |path: &String| {
        path.starts_with("crates/")
            && path.contains("/src/")
            && support::has_extension(path, "rs")
            && !path.starts_with("crates/cli/")
            && path != PASSES_THROUGH
    };
    let mut problems = Vec::new();
    for path in support::tracked().into_iter().filter(quiet) {
        let text = support::text(&path).unwrap();
        problems.extend(
            spells
                .find_iter(&text)
                .map(|found| format!("{path}: {}", found.as_str())),
        );
    }
    support::assert_none("crates that print although only the command line may", &problems);
}

#[test]
fn an_exception_from_a_lint_gives_its_reason() {
    // `expect` wherever it can be; `allow` only in helpers of which each test file uses a part.
    let exceptions = Regex::new(r"(?s)#!?\[(?:cfg_attr\([^,]*,\s*)?(?:expect|allow)\((.*?)\)\]").unwrap();
    let mut problems = Vec::new();
    for path in support::tracked()
        .into_iter()
        .filter(|path| support::has_extension(path, "rs"))
    {
        let text = support::text(&path).unwrap();
        let unfounded = exceptions
            .captures_iter(&text)
            .filter(|found| !found[1].contains("reason ="));
        problems.extend(unfounded.map(|found| format!("{path}: no reason in {}", &found[0])));
        if path.contains("/src/") && text.contains(ALLOW) {
            problems.push(format!("{path}: `allow` instead of `expect`"));
        }
    }
    support::assert_none("lint exceptions without a reason", &problems);
}

fn pure_crates_of_the_tree() -> Vec<&'static str> {
    let found: Vec<_> = support::PURE
        .into_iter()
        .filter(|name| support::root().join("crates").join(name).is_dir())
        .collect();
    assert!(
        found.len() > 5,
        "the pure crates are not where they were: {found:?}"
    );
    found
}
