//! The replay experiment: what it says of endpoints whose rules are known (`tests/facts/providers.md` section 18).

use std::collections::BTreeSet;
use std::sync::Arc;

use holdover_profile::provider::{Book, Endpoint};
use holdover_runner::experiment::{self, Plan};

fn endpoint(name: &str) -> Arc<Endpoint> {
    Arc::clone(Book::builtin().find(name).expect("an endpoint"))
}

fn plan(names: &[&str], seed: u64) -> Plan {
    Plan {
        endpoints: names.iter().map(|name| endpoint(name)).collect(),
        repetitions: 4,
        seed,
        live: None,
    }
}

/// Rows as maps of column to cell.
fn rows(names: &[&str], seed: u64) -> Vec<std::collections::BTreeMap<String, String>> {
    let table = experiment::table(&experiment::run(&plan(names, seed)));
    let mut reader = csv::Reader::from_reader(table.as_slice());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

/// Results of a task, whole and streamed, with thinking on.
fn results(profile: &str, task: &str, reasoning: &str) -> BTreeSet<String> {
    let rows = rows(&[profile], 7);
    let of_it = rows
        .iter()
        .filter(|row| row["task"] == task && row["reasoning"] == reasoning && row["thinking"] == "on");
    of_it.map(|row| row["result"].clone()).collect()
}

#[test]
fn what_is_known_of_an_endpoint_is_what_is_measured() {
    for (profile, task, reasoning, result) in [
        ("deepseek-r1", "multi_turn_edit", "replay", "refused"),
        (
            "deepseek-r1",
            "multi_turn_edit",
            "drop",
            "accepted_without_effect",
        ),
        ("deepseek-v3.2", "sequential_calls", "replay", "effective"),
        ("deepseek-v3.2", "sequential_calls", "drop", "refused"),
        (
            "deepseek-v3.2",
            "multi_turn_edit",
            "replay",
            "accepted_without_effect",
        ),
        ("deepseek-v4", "question_after_tools", "drop", "refused"),
        ("kimi-k2", "parallel_calls", "drop", "refused"),
        ("mistral", "multi_turn_edit", "replay", "effective"),
        ("mistral", "multi_turn_edit", "drop", "accepted_without_effect"),
        (
            "minimax-m2",
            "retry_after_failure",
            "drop",
            "accepted_without_effect",
        ),
        ("glm-4.7", "multi_turn_edit", "replay", "accepted_without_effect"),
        ("glm-4.7-preserved", "question_after_tools", "replay", "effective"),
        ("openrouter-claude", "sequential_calls", "modified", "refused"),
        ("gemini-compat", "sequential_calls", "replay", "effective"),
        ("gemini-compat", "sequential_calls", "drop", "refused"),
        // 200 from an endpoint that reads another name is no effect.
        (
            "vllm-chat",
            "provider_switch",
            "replay",
            "accepted_without_effect",
        ),
        ("mistral", "provider_switch", "replay", "refused"),
        ("mistral", "provider_switch", "drop", "accepted_without_effect"),
    ] {
        let found = results(profile, task, reasoning);
        assert_eq!(
            found,
            BTreeSet::from([result.to_owned()]),
            "{profile} {task} {reasoning}"
        );
    }
}

#[test]
fn what_nobody_is_sure_of_varies_and_says_so() {
    let rows = rows(&["kimi-k3"], 7);
    let dropped: Vec<_> = rows
        .iter()
        .filter(|row| row["task"] == "sequential_calls" && row["reasoning"] == "drop")
        .collect();
    assert!(dropped.iter().all(|row| row["result"] == "varies"), "{dropped:?}");
    assert!(
        dropped
            .iter()
            .all(|row| row["note"].contains("kimi-k3/tool-loop-omitted"))
    );
    assert!(dropped.iter().all(|row| row["http_status"] == "200|400"));
}

#[test]
fn every_row_says_that_it_is_simulated_and_the_order_changes_nothing() {
    let names = ["deepseek-v3.2", "mistral"];
    let rows = rows(&names, 7);
    assert!(
        rows.iter()
            .all(|row| row["evidence"] == "simulated" && row["repetitions"] == "4")
    );
    // Seven tasks, three treatments, two transports, thinking and not, for each endpoint.
    assert_eq!(rows.len(), 2 * 7 * 3 * 2 * 2);
    let one = experiment::table(&experiment::run(&plan(&names, 7)));
    let again = experiment::table(&experiment::run(&plan(&names, 7)));
    assert_eq!(one, again);
    assert_ne!(
        experiment::cell::shuffled(20, 7),
        experiment::cell::shuffled(20, 8)
    );
}
