//! Bad arguments and bad files end with exit code 2 and say what is wrong.

use crate::support::Holdover;

#[test]
fn an_unknown_command_is_exit_2() {
    Holdover::new(&["frobnicate"])
        .run()
        .assert_code(2)
        .assert_stderr_has("frobnicate");
}

#[test]
fn no_command_is_exit_2_and_shows_the_commands() {
    Holdover::new(&[]).run().assert_code(2).assert_stderr_has("serve");
}

#[test]
fn an_unknown_option_is_exit_2() {
    Holdover::new(&["run", "--sed", "8"])
        .run()
        .assert_code(2)
        .assert_stderr_has("--seed");
}

#[test]
fn a_value_of_the_wrong_kind_is_exit_2() {
    Holdover::new(&["run", "--seed", "seven"])
        .run()
        .assert_code(2)
        .assert_stderr_has("seven");
    Holdover::new(&["run", "--fail-on", "fatal"])
        .run()
        .assert_code(2)
        .assert_stderr_has("warning");
    Holdover::new(&["serve", "--listen", "nowhere"])
        .run()
        .assert_code(2);
}

#[test]
fn test_without_a_command_is_exit_2() {
    Holdover::new(&["test"])
        .run()
        .assert_code(2)
        .assert_stderr_has("COMMAND");
}

#[test]
fn a_missing_file_is_exit_2_and_is_named() {
    for arguments in [
        &["run", "absent.toml"][..],
        &["check", "absent.toml"],
        &["judge", "absent.jsonl"],
    ] {
        Holdover::new(arguments)
            .run()
            .assert_code(2)
            .assert_stderr_has("absent.");
    }
}

#[test]
fn an_unknown_profile_is_exit_2_and_the_known_ones_are_named() {
    let ended = Holdover::new(&["run", "--profile", "opnai"]).run();
    ended
        .assert_code(2)
        .assert_stderr_has("opnai")
        .assert_stderr_has("openai");
}

#[test]
fn a_broken_scenario_is_exit_2_and_nothing_runs() {
    let ended = Holdover::new(&["run", "bad.toml"])
        .file("bad.toml", "nme = \"typo\"\n")
        .run();
    ended.assert_code(2).assert_stderr_has("bad.toml");
    assert!(
        !ended.folder().join("out").exists(),
        "a bad file must be found before anything is written"
    );
}

#[test]
fn help_is_exit_0_and_names_every_command() {
    let ended = Holdover::new(&["--help"]).run();
    ended.assert_code(0);
    for command in [
        "serve", "run", "test", "judge", "check", "list", "explain", "schema", "demo",
    ] {
        ended.assert_stdout_has(command);
    }
}

#[test]
fn what_a_user_pastes_does_not_move_the_cursor() {
    let ended = Holdover::new(&["explain", "\u{1b}[31mred"]).run();
    ended.assert_code(2).assert_stderr_has("\\u{1b}[31mred");
    assert!(!ended.stderr.contains('\u{1b}'), "{}", ended.stderr);
}

const SILENT: &str =
    "experiment --profile mimo-v2.5 --repetitions 1 --model m --base-url http://127.0.0.1:9/v1 --key-env";

fn silent(key_env: &str) -> Vec<&str> {
    SILENT.split(' ').chain([key_env]).collect()
}

/// Port 9 is `discard`, on which nothing listens.
#[test]
fn an_experiment_that_nobody_answers_is_exit_5_and_leaves_nothing() {
    let ended = Holdover::new(&silent("HOME")).run();
    ended
        .assert_code(5)
        .assert_stderr_has("nothing was measured, and nothing is written: no answer: ")
        .assert_stderr_has("are `--base-url`, `--model` and the key in HOME what your client has?");
    assert_eq!(ended.stdout, "");
    assert!(!ended.folder().join("out").exists());
}

#[test]
fn an_experiment_looks_at_its_folder_before_it_asks_anybody() {
    let ended = Holdover::new(&silent("HOME"))
        .file("out/replay_policy.csv", "mine")
        .run();
    ended
        .assert_code(2)
        .assert_stderr_has("was not written by holdover");
    assert!(!ended.stderr.contains("conversations"), "{}", ended.stderr);
}

#[test]
fn a_key_that_no_header_can_carry_is_exit_2_and_is_not_shown() {
    for (key, message) in [
        (
            "se\ncret",
            "the variable KEY_OF_THE_TEST holds a key that no header can carry",
        ),
        ("", "the variable KEY_OF_THE_TEST holds no key"),
        (" ", "the variable KEY_OF_THE_TEST holds no key"),
    ] {
        let ended = Holdover::new(&silent("KEY_OF_THE_TEST"))
            .env("KEY_OF_THE_TEST", key)
            .run();
        ended.assert_code(2).assert_stderr_has(message);
        assert!(!ended.stderr.contains("cret"), "{}", ended.stderr);
    }
}
