//! The scenarios of the repository: they are read, they agree with the JSON Schema, and their rows come in the
//! promised order.

use holdover_scenario::{
    Names, Scenario, Table, Vocabulary, duplicate_names, expand, parse, schema, schema_of, suites,
};

#[path = "common/vocabulary.rs"]
mod vocabulary;

/// The names of the tests; faults are checked where their crate is known, in the runner.
fn known() -> Vocabulary {
    Vocabulary {
        faults: Names::Any,
        ..vocabulary::known()
    }
}

fn all() -> Vec<Scenario> {
    let files = suites::all();
    assert!(!files.is_empty());
    let read = files
        .iter()
        .map(|file| match parse(file.path, file.text, &known()) {
            Ok(scenario) => scenario,
            Err(problems) => panic!("{}: {problems:#?}", file.path),
        });
    read.collect()
}

fn rows(suite: &str, table: Table) -> Vec<String> {
    let prefix = format!("{suite}/");
    let own = all()
        .into_iter()
        .filter(|one| one.file.starts_with(&prefix) && one.table == Some(table));
    own.flat_map(|scenario| expand(&scenario))
        .map(|case| case.name)
        .collect()
}

#[test]
fn every_scenario_is_read_and_no_name_is_taken_twice() {
    assert_eq!(duplicate_names(&all()), []);
}

/// Order and results as `docs/architecture.md`, Tables, promises them.
#[test]
fn the_first_rows_of_the_policy_table() {
    let first = &rows("policy", Table::ReasoningIdPolicy)[..7];
    assert_eq!(
        first,
        [
            "baseline_None",
            "preserve",
            "omit",
            "F1_preserve_leak",
            "F2_omit_resume_miss",
            "F3_no_policy_snapshot",
            "F4_callback_id_dedupe_miss",
        ]
    );
    let results: Vec<_> = all()
        .into_iter()
        .filter(|one| one.file.starts_with("policy/"))
        .take(7)
        .map(|one| one.expect.result.expect("a result").value)
        .collect();
    assert_eq!(
        results,
        [
            "id_present",
            "id_present",
            "id_stripped",
            "leak",
            "resume_miss",
            "unauditable",
            "dedupe_miss"
        ]
    );
}

#[test]
fn the_first_rows_of_the_carry_table() {
    let first = &rows("carry", Table::CarryOver)[..5];
    assert_eq!(
        first,
        [
            "L1_text_only_append",
            "L2_stream_text_only",
            "L3_store_role_and_text",
            "L3_store_id_type_changed",
            "L4_protected_in_log",
        ]
    );
    let scenarios = all();
    let carry = scenarios
        .iter()
        .filter(|one| one.file.starts_with("carry/"))
        .take(5);
    let results: Vec<_> = carry
        .map(|one| {
            let twin = one.twin.as_ref().expect("a twin");
            let result = |one: &Scenario| one.expect.result.clone().expect("a result").value;
            (result(one), result(twin))
        })
        .collect();
    let expected = [
        ("lost", "kept"),
        ("lost", "kept"),
        ("lost", "kept"),
        ("id_lost", "kept"),
        ("leak", "no_leak"),
    ];
    assert_eq!(
        results,
        expected.map(|(one, twin)| (one.to_owned(), twin.to_owned()))
    );
}

#[test]
fn every_slip_is_played_somewhere_and_has_a_twin_without_it() {
    let scenarios = all();
    let cases: Vec<_> = scenarios
        .iter()
        .flat_map(expand)
        .map(|case| case.scenario)
        .collect();
    for slip in vocabulary::known().slips.list() {
        let played = cases.iter().find(|one| {
            one.agent
                .as_ref()
                .is_some_and(|agent| agent.slips.iter().any(|own| own.value == *slip))
        });
        let played = played.unwrap_or_else(|| panic!("no scenario plays `{slip}`"));
        let twin = played.twin.as_ref().expect("a twin");
        assert!(twin.agent.as_ref().expect("an agent").slips.is_empty());
        assert_eq!(twin.world(), played.world());
    }
}

/// The finding that `docs/architecture.md`, Rules of the judge, names for each slip.
#[test]
fn each_slip_expects_the_finding_that_the_architecture_names() {
    let named = [
        ("text-only-append", "text-only-rebuild"),
        ("stream-text-only", "text-only-rebuild"),
        ("role-and-text-record", "text-only-rebuild"),
        ("first-output-only", "orphan-reasoning"),
        ("unknown-item-dropped", "item-dropped"),
        ("stream-last-update-lost", "late-part-dropped"),
        ("id-type-changed", "reasoning-id-lost"),
        ("token-truncated", "encrypted-content-altered"),
        ("token-re-encoded", "encrypted-content-altered"),
        ("log-whole-response", "protected-data-in-export"),
        ("log-input-fragment", "id-in-export"),
        ("resume-by-reasoning-id", "resume-by-stripped-id"),
        ("policy-not-recorded", "no-policy-snapshot"),
        ("dedupe-by-id", "dedupe-by-stripped-id"),
        ("instructions-once", "instructions-not-resent"),
        ("include-forgotten", "encrypted-content-missing"),
        ("half-strip", "half-stripped-group"),
        ("policy-changed-after-compaction", "compaction-policy-changed"),
        ("export-under-other-policy", "export-policy-differs"),
        ("policy-as-content-switch", "policy-used-as-content-switch"),
        ("refusal-retried", "not-retryable-retried"),
        ("retry-at-once", "retry-after-ignored"),
        ("refusal-not-repaired", "poisoned-history-resent"),
        ("repair-misses", "recovery-blind"),
        ("anchor-kept", "stale-anchor"),
        ("cut-answer-kept", "terminal-misread"),
        ("broken-reasoning-kept", "partial-reasoning-kept"),
        ("event-appended-twice", "replay-duplicate"),
        ("id-of-added", "foreign-token"),
        ("id-as-cache-key", "id-in-foreign-field"),
    ];
    for scenario in all() {
        let slips = scenario.agent.iter().flat_map(|agent| &agent.slips);
        for (_, rule) in slips.flat_map(|slip| named.iter().filter(|(name, _)| *name == slip.value)) {
            let findings = scenario
                .expect
                .findings
                .iter()
                .flatten()
                .chain(&scenario.expect.notes);
            let asked: Vec<_> = findings.map(|finding| finding.value.as_str()).collect();
            assert_eq!(asked, [*rule], "{}", scenario.file);
        }
    }
}

fn to_json(text: &str) -> serde_json::Value {
    let table: toml::Table = text.parse().expect("TOML");
    serde_json::to_value(table).expect("JSON")
}

#[test]
fn every_scenario_agrees_with_the_schema() {
    let open = jsonschema::validator_for(&schema()).expect("a schema");
    let closed = jsonschema::validator_for(&schema_of(&known())).expect("a schema");
    for file in suites::all() {
        let value = to_json(file.text);
        for validator in [&open, &closed] {
            if let Err(error) = validator.validate(&value) {
                panic!("{}: {error} at {}", file.path, error.instance_path());
            }
        }
    }
}

/// Bad files whose badness a schema can see: a wrong key, type, word, number or name.
#[test]
fn the_schema_rejects_what_it_can_see() {
    let closed = jsonschema::validator_for(&schema_of(&vocabulary::known())).expect("a schema");
    let bad = [
        include_str!("bad/unknown_keys.toml"),
        include_str!("bad/unknown_section.toml"),
        include_str!("bad/wrong_types.toml"),
        include_str!("bad/one_turn_in_single_brackets.toml"),
        include_str!("bad/unknown_words.toml"),
        include_str!("bad/unknown_names.toml"),
        include_str!("bad/bad_name.toml"),
        include_str!("bad/name_too_long.toml"),
        include_str!("bad/empty.toml"),
        include_str!("bad/empty_values.toml"),
        include_str!("bad/reply_parts.toml"),
        include_str!("bad/agent_and_client.toml"),
        include_str!("bad/client_without_command.toml"),
        include_str!("bad/client_with_empty_command.toml"),
        include_str!("bad/twin_of_bad_setting.toml"),
        include_str!("bad/unknown_fault.toml"),
        include_str!("bad/matrix.toml"),
        include_str!("bad/export.toml"),
    ];
    for text in bad {
        assert!(!closed.is_valid(&to_json(text)), "{text}");
    }
}
