//! The names that others build on: the rules of `docs/architecture.md` are the rules of the program.

use std::collections::BTreeSet;
use std::path::Path;

use holdover_judge::rules;

/// Pairs of class and rule, from the list under "Rules of the judge".
fn documented() -> BTreeSet<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let text = std::fs::read_to_string(path).unwrap();
    let section = text.split("\n## Rules of the judge\n").nth(1).unwrap();
    let list = section.split("\nDefault severity").next().unwrap();
    let mut found = BTreeSet::new();
    for group in list.split("\n- ").skip(1) {
        let (class, names) = group.split_once(':').unwrap();
        let class = class.split(' ').next().unwrap();
        let names = names
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|name| name.contains('-'));
        found.extend(names.map(|name| (class.to_owned(), name.to_owned())));
    }
    found
}

#[test]
fn every_rule_stands_in_the_document_under_its_class() {
    let documented = documented();
    let built: BTreeSet<_> = rules::all()
        .iter()
        .map(|rule| (rule.class.as_str().to_owned(), rule.name.to_owned()))
        .collect();
    let missing: Vec<_> = documented.difference(&built).collect();
    let unknown: Vec<_> = built.difference(&documented).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "only in the document: {missing:?}; only built: {unknown:?}"
    );
}
