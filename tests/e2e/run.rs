//! `holdover run`: tables, exit codes, and whose files are touched.

use std::path::Path;

use crate::support::Holdover;

/// The header of `carry_over.csv` (`docs/architecture.md`, "Tables").
const CARRY_OVER: &str = "case,path,has_protected_in_response,has_protected_in_history,prior_protected,reasoning_parts,result,note";

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The cell of this column in the row of this case.
fn cell(table: &[String], case: &str, column: &str) -> String {
    let row = table
        .iter()
        .find(|row| row.split(',').next() == Some(case))
        .unwrap();
    let at = table[0].split(',').position(|name| name == column).unwrap();
    row.split(',').nth(at).unwrap().to_owned()
}

#[test]
fn a_planted_mistake_and_its_twin_are_told_apart() {
    let ended = Holdover::new(&["run", "@carry", "--filter", "L1_text_only_append"]).run();
    ended
        .assert_code(0)
        .assert_stdout_has("1 planted mistake found, 1 twin clean");
    let table = lines(&ended.folder().join("out/carry_over.csv"));
    assert_eq!(table[0], CARRY_OVER);
    let twin = "L1_text_only_append.twin";
    assert_eq!(cell(&table, "L1_text_only_append", "result"), "lost");
    assert_eq!(
        cell(&table, "L1_text_only_append", "has_protected_in_history"),
        "false"
    );
    assert_eq!(cell(&table, twin, "result"), "kept");
    assert_eq!(cell(&table, twin, "has_protected_in_history"), "true");
}

#[test]
fn the_policy_table_begins_with_its_seven_rows() {
    let ended = Holdover::new(&["run", "@policy"]).run();
    ended.assert_code(0);
    let table = lines(&ended.folder().join("out/reasoning_id_policy.csv"));
    // P3 of `docs/mission.md`, and "Tables" of `docs/architecture.md`.
    let expected = [
        ("baseline_None", "id_present"),
        ("preserve", "id_present"),
        ("omit", "id_stripped"),
        ("F1_preserve_leak", "leak"),
        ("F2_omit_resume_miss", "resume_miss"),
        ("F3_no_policy_snapshot", "unauditable"),
        ("F4_callback_id_dedupe_miss", "dedupe_miss"),
    ];
    for (row, (case, result)) in table[1..].iter().zip(expected) {
        assert_eq!(row.split(',').next(), Some(case));
        assert_eq!(cell(&table, case, "result"), result);
    }
    let hash = |case| cell(&table, case, "frag_hash");
    assert_eq!(hash("baseline_None"), hash("preserve"));
    assert_ne!(hash("preserve"), hash("omit"));
    assert_eq!(hash("omit").len(), 64, "a SHA-256 in hexadecimal");
}

#[test]
fn an_expectation_that_is_not_met_is_exit_4_on_its_line() {
    let scenario = include_str!("cmd/check.in/good.toml").replace("text-only-rebuild", "item-dropped");
    let ended = Holdover::new(&["run", "unmet.toml"])
        .file("unmet.toml", &scenario)
        .run();
    ended.assert_code(4).assert_stderr_has("unmet.toml:13:13");
    ended.assert_stderr_has("`text-only-rebuild` in exchange 2");
}

#[test]
fn nothing_selected_is_exit_5() {
    Holdover::new(&["run", "--filter", "no such case"])
        .run()
        .assert_code(5);
}

#[test]
fn files_that_holdover_did_not_write_are_left_alone() {
    let ended = Holdover::new(&["run", "@carry", "--filter", "L1_"])
        .file("out/findings.csv", "mine")
        .run();
    ended.assert_code(2).assert_stderr_has("findings.csv");
    let folder = ended.folder().join("out");
    assert_eq!(
        std::fs::read_to_string(folder.join("findings.csv")).unwrap(),
        "mine"
    );
    let left: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
    assert_eq!(left.len(), 1, "written whole or not at all: {left:?}");
}

#[test]
fn a_file_beside_the_tables_stays() {
    let ended = Holdover::new(&["run", "@carry", "--filter", "L1_"])
        .file("out/notes.txt", "mine")
        .run();
    ended.assert_code(0);
    assert_eq!(
        std::fs::read_to_string(ended.folder().join("out/notes.txt")).unwrap(),
        "mine"
    );
}

/// Every file below a folder, by its path in it.
fn tree(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut files = std::collections::BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn another_folder_and_another_number_of_jobs_change_no_byte() {
    let first = Holdover::new(&["run", "--jobs", "1"]).run();
    let second = Holdover::new(&["run", "--jobs", "8"]).run();
    assert_ne!(first.folder(), second.folder());
    let (first, second) = (
        tree(&first.folder().join("out")),
        tree(&second.folder().join("out")),
    );
    assert!(first.len() > 10, "{:?}", first.keys());
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        second.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in &first {
        assert!(bytes == &second[name], "{name} differs");
    }
}

#[test]
fn a_second_slip_that_the_scenario_does_not_list_is_exit_4() {
    let scenario = r#"
name = "two_slips"
[agent]
preset = "plain"
store = false
include = "encrypted"
exports = ["log"]
slip = ["text-only-append", "log-whole-response"]
[[turn]]
user = "a"
[[turn]]
user = "b"
[expect]
findings = ["text-only-rebuild"]
"#;
    let ended = Holdover::new(&["run", "two.toml"])
        .file("two.toml", scenario)
        .run();
    ended
        .assert_code(4)
        .assert_stderr_has("`protected-data-in-export` fired and was not expected");
}

#[test]
fn a_scenario_may_run_a_real_command() {
    let scenario = r#"
name = "silent"
[client]
command = ["sh", "-c", "exit 3"]
"#;
    let ended = Holdover::new(&["run", "silent.toml"])
        .file("silent.toml", scenario)
        .run();
    ended
        .assert_code(4)
        .assert_stderr_has("the command sent nothing to the fake");
    ended.assert_stderr_has("the command ended with exit code 3");
}
