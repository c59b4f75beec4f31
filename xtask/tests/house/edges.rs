//! Which crate may use which: the table of `docs/architecture.md`, held over `cargo metadata`.
//!
//! The table is read, not repeated: whoever wants another edge changes the document first.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::support;

/// Crate by folder name -> the workspace crates it uses outside tests.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let manifest = support::root().join("Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .exec()
        .unwrap();
    let folder_of = |name: &str| match name {
        "holdover" => "cli".to_owned(),
        name => name.strip_prefix("holdover-").unwrap_or(name).to_owned(),
    };
    let members: BTreeSet<String> = metadata
        .packages
        .iter()
        .map(|package| package.name.to_string())
        .collect();
    let uses = |package: &cargo_metadata::Package| {
        let outside_tests = package
            .dependencies
            .iter()
            .filter(|used| used.kind != DependencyKind::Development);
        outside_tests
            .filter(|used| members.contains(&used.name))
            .map(|used| folder_of(&used.name))
            .collect()
    };
    metadata
        .packages
        .iter()
        .map(|package| (folder_of(&package.name), uses(package)))
        .collect()
}

/// The crates that `name` may use, as its cell of the table says.
fn allowed(name: &str, cell: &str, all: &BTreeSet<String>) -> BTreeSet<String> {
    let without = |left_out: &[&str]| {
        all.iter()
            .filter(|one| !left_out.contains(&one.as_str()))
            .cloned()
            .collect()
    };
    match cell {
        "-" => BTreeSet::new(),
        "all" => without(&[name, "xtask"]),
        "all but cli" => without(&[name, "cli", "xtask"]),
        list => list.split(", ").map(str::to_owned).collect(),
    }
}

#[test]
fn every_crate_uses_only_what_its_row_allows() {
    let table: BTreeMap<String, String> = support::crate_table().into_iter().collect();
    let all: BTreeSet<String> = table.keys().cloned().collect();
    let mut problems = Vec::new();
    for (name, uses) in edges() {
        let Some(cell) = table.get(&name) else {
            problems.push(format!("`{name}` has no row in the table of crates"));
            continue;
        };
        let allowed = allowed(&name, cell, &all);
        for used in uses.difference(&allowed) {
            problems.push(format!("`{name}` uses `{used}`, but may use: {cell}"));
        }
    }
    support::assert_none("edges that docs/architecture.md does not allow", &problems);
}

#[test]
fn a_row_allows_only_crates_that_have_a_row() {
    let table = support::crate_table();
    let all: BTreeSet<String> = table.iter().map(|(name, _)| name.clone()).collect();
    for (name, cell) in &table {
        let allowed = allowed(name, cell, &all);
        assert!(
            allowed.is_subset(&all),
            "`{name}` may use {cell}, which names an unknown crate"
        );
        assert!(!allowed.contains(name), "`{name}` may use itself");
    }
}

#[test]
fn the_judge_cannot_see_scenario_agent_or_fake() {
    // Law 4, once more in plain words, in case the table itself is changed.
    let edges = edges();
    let judge = &edges["judge"];
    for hidden in ["scenario", "agent", "fake", "runner"] {
        assert!(
            !judge.contains(hidden),
            "the judge sees only what an outsider could see, and no `{hidden}`"
        );
    }
    let agent = &edges["agent"];
    assert!(
        !agent.contains("judge") && !agent.contains("fake"),
        "the agent is a client: {agent:?}"
    );
}

#[test]
fn the_pure_crates_are_those_that_the_table_calls_pure() {
    let text = support::text("docs/architecture.md").unwrap();
    let pure: Vec<&str> = support::PURE
        .into_iter()
        .filter(|name| text.contains(&format!("| `{name}` (pure) |")))
        .collect();
    assert_eq!(pure, support::PURE);
    assert_eq!(text.matches("` (pure) |").count(), support::PURE.len());
}
