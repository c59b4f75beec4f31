//! Law 4 of `docs/architecture.md`: the judge sees only what an outsider could see.
//!
//! If a name of a slip or a scenario stood in the judge's sources, a rule could know what was planted. The names
//! are read from the catalogue of slips (one file each) and from the scenario files.

use std::collections::BTreeSet;

use regex::Regex;

use crate::support;

/// Values of an audit record, after which two scenarios are called.
const POLICIES: [&str; 2] = ["preserve", "omit"];

#[test]
fn the_judge_knows_no_name_of_a_slip() {
    let rules = rule_names();
    let planted: BTreeSet<String> = slip_names().difference(&rules).cloned().collect();
    let spellings = planted
        .iter()
        .flat_map(|name| [name.clone(), name.replace('-', "_"), camel_case(name)]);
    let words: Vec<Regex> = spellings.map(|word| whole(&word)).collect();
    support::assert_none("names of slips in the judge", &hits(&words));
}

#[test]
fn the_judge_knows_no_name_of_a_scenario() {
    let rules = rule_names();
    let planted = scenario_names()
        .into_iter()
        .filter(|name| !rules.contains(&name.replace('_', "-")) && !POLICIES.contains(&name.as_str()));
    // A scenario may be called by an ordinary word, so that only the quoted word is a name.
    let ordinary = |name: &str| name.chars().all(|c| c.is_ascii_lowercase());
    let words: Vec<Regex> = planted
        .map(|name| {
            if ordinary(&name) {
                quoted(&name)
            } else {
                whole(&name)
            }
        })
        .collect();
    support::assert_none("names of scenarios in the judge", &hits(&words));
}

#[test]
fn no_rule_is_called_like_a_slip() {
    let slips = slip_names();
    let both: Vec<String> = rule_names().intersection(&slips).cloned().collect();
    support::assert_none("a name that is both hides a planted name from this test", &both);
}

/// `text-only-append` is there as `text_only_append.rs`: the folder is the catalogue.
fn slip_names() -> BTreeSet<String> {
    let folder = "crates/agent/src/slips/";
    let stems = support::tracked()
        .into_iter()
        .filter_map(|path| Some(path.strip_prefix(folder)?.strip_suffix(".rs")?.to_owned()));
    let names: BTreeSet<String> = stems
        .filter(|stem| stem != "mod")
        .map(|stem| stem.replace('_', "-"))
        .collect();
    assert!(
        names.contains("text-only-append"),
        "the slips are not in {folder}: {names:?}"
    );
    names
}

fn scenario_names() -> BTreeSet<String> {
    let files = support::tracked()
        .into_iter()
        .filter(|path| path.starts_with("scenarios/") && support::has_extension(path, "toml"));
    let name = |path: String| {
        support::text(&path)?
            .parse::<toml::Table>()
            .ok()?
            .get("name")?
            .as_str()
            .map(str::to_owned)
    };
    let names: BTreeSet<String> = files.filter_map(name).collect();
    assert!(
        names.contains("baseline_None"),
        "the scenarios are not where they were: {names:?}"
    );
    names
}

/// The names in backticks under "Rules of the judge" in `docs/architecture.md`, from its lists by group.
fn rule_names() -> BTreeSet<String> {
    let text = support::text("docs/architecture.md").unwrap();
    let section = text.split("\n## Rules of the judge\n").nth(1).unwrap();
    let groups = section.split("\nDefault severity").next().unwrap();
    let lists = groups.split("\n- ").skip(1);
    let names = lists.flat_map(|list| {
        list.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let names: BTreeSet<String> = names.filter(|name| name.contains('-')).collect();
    assert!(
        names.contains("text-only-rebuild"),
        "the rules are not where they were: {names:?}"
    );
    names
}

/// `TextOnlyAppend` for `text-only-append`.
fn camel_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('-').map(capital).collect()
}

/// The word, not as a part of a longer name.
fn whole(word: &str) -> Regex {
    Regex::new(&format!(
        r"(?:^|[^A-Za-z0-9_-]){}(?:$|[^A-Za-z0-9_-])",
        regex::escape(word)
    ))
    .unwrap()
}

fn quoted(word: &str) -> Regex {
    Regex::new(&format!("[\"`]{}[\"`]", regex::escape(word))).unwrap()
}

/// Every line of the judge's sources, data and tests in which a word stands.
fn hits(words: &[Regex]) -> Vec<String> {
    let mut found = Vec::new();
    for path in support::tracked()
        .into_iter()
        .filter(|path| path.starts_with("crates/judge/"))
    {
        let Some(text) = support::text(&path) else {
            continue;
        };
        for (index, line) in text.lines().enumerate() {
            if words.iter().any(|word| word.is_match(line)) {
                found.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn a_name_is_found_in_each_spelling_and_not_inside_another() {
    assert_eq!(camel_case("half-strip"), "HalfStrip");
    assert!(whole("half-strip").is_match("// a half-strip, say"));
    assert!(!whole("half-strip").is_match("`half-stripped-group`"));
    assert!(quoted("cut").is_match(r#"if name == "cut" {"#));
    assert!(!quoted("cut").is_match("a cut stream"));
}
