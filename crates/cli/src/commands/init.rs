//! `holdover init`: a `holdover.toml` that fits the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use holdover_profile::Models;

use crate::args::Init;
use crate::exit::{Exit, UserError};
use crate::project::FILE;
use crate::sources;
use crate::terminal::{Stream, Terminal};

/// Test runners by the file that says so, and the command that runs the tests under Holdover.
const RUNNERS: [(&str, &str, &str); 7] = [
    ("package.json", "vitest", "npx vitest run"),
    ("package.json", "jest", "npx jest"),
    ("pyproject.toml", "pytest", "pytest"),
    ("pytest.ini", "", "pytest"),
    ("requirements.txt", "pytest", "pytest"),
    ("go.mod", "", "go test ./..."),
    ("Cargo.toml", "", "cargo test"),
];
/// Folders that logs often lie in.
const LOGS: [&str; 3] = ["logs", "log", "var/log"];

pub(crate) fn init(arguments: &Init, terminal: Terminal) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    if !folder.is_dir() {
        return Err(UserError::usage(format!("`{}` is no folder", folder.display())).into());
    }
    let file = folder.join(FILE);
    if file.exists() {
        return Err(
            UserError::usage(format!("`{}` is there already and is left alone", file.display()))
                .help("change it by hand; `holdover check holdover.toml` says what is wrong with it")
                .into(),
        );
    }
    let seen = look(folder);
    fs::write(&file, text(&seen))
        .map_err(|error| UserError::usage(format!("cannot write `{}`: {error}", file.display())))?;
    let say = |line: &str| terminal.say(Stream::Out, line);
    say(&format!("wrote `{}`", file.display()));
    let command = seen.command.unwrap_or("COMMAND");
    say(&format!("next: holdover test -- {command}"));
    say(&format!(
        "  an old code base: holdover test --baseline holdover-baseline.json --update-baseline -- {command}"
    ));
    if seen.places > 0 {
        say(&format!(
            "  {} places to look at before that: holdover scan",
            seen.places
        ));
    }
    Ok(Exit::Expected)
}

/// What a repository shows.
#[derive(Debug, Default)]
struct Seen {
    command: Option<&'static str>,
    logs: Vec<&'static str>,
    unknown_models: BTreeSet<String>,
    places: usize,
}

fn look(folder: &Path) -> Seen {
    let names = |(file, word, command): &(&str, &str, &'static str)| {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        text.contains(word).then_some(*command)
    };
    let known = Models::builtin();
    let models = sources::texts(folder)
        .into_iter()
        .flat_map(|text| models_named(&text));
    Seen {
        command: RUNNERS.iter().find_map(names),
        logs: LOGS
            .into_iter()
            .filter(|name| folder.join(name).is_dir())
            .collect(),
        unknown_models: models
            .filter(|name| !known.names().any(|known| known == name))
            .collect(),
        // A folder that cannot be read has no places.
        places: sources::search(&[folder.to_owned()], &[]).map_or(0, |found| found.places().count()),
    }
}

/// Names that a text gives to `model`: `model="gpt-5.6"`, `"model": "…"`, `model: '…'`.
fn models_named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices("model") {
        let rest = text[at + "model".len()..]
            .trim_start_matches(['"', '\''])
            .trim_start();
        let Some(value) = rest.strip_prefix([':', '=']) else {
            continue;
        };
        let value = value.trim_start();
        let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else {
            continue;
        };
        let name = value[1..].split(quote).next().unwrap_or_default();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:".contains(&byte);
        if (3..=64).contains(&name.len()) && name.bytes().all(is_name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn text(seen: &Seen) -> String {
    let list = |names: &[&str]| {
        let quoted: Vec<_> = names.iter().map(|name| format!("\"{name}/**/*.log\"")).collect();
        quoted.join(", ")
    };
    let scan = if seen.logs.is_empty() {
        "# scan = [\"logs/**/*.log\", \"-\"]".to_owned()
    } else {
        format!("scan = [{}]", list(&seen.logs))
    };
    let models = if seen.unknown_models.is_empty() {
        "# [models]\n# \"my-model\" = \"reasoning\"            # or \"plain\"\n".to_owned()
    } else {
        let lines = seen
            .unknown_models
            .iter()
            .map(|name| format!("\"{name}\" = \"reasoning\"\n"));
        format!(
            "# Named in the code and not known to Holdover; `plain` for one that does not reason.\n[models]\n{}",
            lines.collect::<String>()
        )
    };
    format!(
        "# Settings of `holdover test`, `judge` and `serve` in this repository; the command line wins.
# `holdover check holdover.toml` says what is wrong with it.

profile = \"openai\"                     # holdover list profiles
org = \"default\"                        # zdr: nothing is stored
fail-on = \"error\"                      # warning, note

# Files that are scanned for ids, tokens and reasoning after the command; `-` is its own output.
{scan}

# Old findings fail nothing, new ones do: `holdover test --baseline FILE --update-baseline -- CMD` writes it.
# baseline = \"holdover-baseline.json\"

{models}
# [export]
# patterns = [\"rs_tenant[A-Z]+_\"]      # confirmed shapes of your own ids
# [[export.allowlist]]
# file = \"audit.log\"
# pattern = \"^rs_demo\"

# [[suppress]]
# rule = \"phase-lost\"
# session = \"*\"
# reason = \"why it is right to leave it\"
# until = \"2030-01-31\"
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project;

    #[test]
    fn models_are_found_however_they_are_written() {
        let text = r#"create(model="a-1", x) {"model": "b-2"} { model: 'c-3' } model = load() model: ${x}"#;
        assert_eq!(models_named(text), ["a-1", "b-2", "c-3"]);
    }

    #[test]
    fn what_is_written_is_read_without_a_problem() {
        let seen = Seen {
            logs: vec!["logs"],
            unknown_models: BTreeSet::from(["my/model:1".to_owned()]),
            ..Seen::default()
        };
        for seen in [Seen::default(), seen] {
            assert_eq!(project::problems(FILE, &text(&seen)), []);
        }
    }

    #[test]
    fn what_is_commented_out_is_right_too() {
        let open: String = text(&Seen::default())
            .lines()
            .filter(|line| !line.starts_with("# ") || line.contains(" = ") || line.contains('['))
            .map(|line| format!("{}\n", line.strip_prefix("# ").unwrap_or(line)))
            .filter(|line| !line.starts_with(['O', 'F', 'S', '`']))
            .collect();
        assert_eq!(project::problems(FILE, &open), [], "{open}");
    }
}
