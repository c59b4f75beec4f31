//! Completions and the manual page know the command line as it is.

use crate::support::Holdover;

fn printed(arguments: &[&str]) -> String {
    let outcome = Holdover::new(arguments).run();
    outcome.assert_code(0);
    outcome.stdout
}

/// The names of all commands, from the help.
pub(crate) fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let list = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    // A name stands two columns in; what is further in goes on with the line above.
    let names = list
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

/// The long options of a command, from its help.
fn options(command: &str) -> Vec<String> {
    let help = printed(&[command, "--help"]);
    let starts = help
        .lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'));
    let words = starts.flat_map(|line| {
        line.split([' ', ',', '='])
            .take(3)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    words
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .collect()
}

#[test]
fn completions_know_every_command_and_every_option() {
    let commands = commands();
    assert!(commands.len() > 15, "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for command in &commands {
            assert!(
                script.contains(command.as_str()),
                "{shell} does not know `{command}`"
            );
            if command == "help" {
                continue;
            }
            for option in options(command) {
                // fish writes `-l name`.
                let known = script.contains(&option)
                    || script.contains(&format!("-l {}", option.trim_start_matches('-')));
                assert!(known, "{shell} does not know `{command} {option}`");
            }
        }
    }
}

#[test]
fn the_manual_page_knows_every_command() {
    // In the source of a manual page a dash is written with a backslash.
    let page = printed(&["man"]).replace('\\', "");
    for command in commands() {
        assert!(
            page.contains(&format!("holdover-{command}(1)")),
            "`{command}` is not in the manual page"
        );
    }
    assert!(
        page.starts_with(".ie") && page.contains(".TH holdover 1"),
        "{}",
        &page[..80]
    );
}
