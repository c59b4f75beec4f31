//! `scenarios/incidents/` is made from data: a public report, the template that reaches it, and what the template is.
//!
//! `tests/facts/cases/reports.csv` has the reports; `scenarios/incidents/reports.csv` says which template each one
//! takes, or why none does. `HOLDOVER_BLESS=1` writes the scenarios and the table of `docs/incidents.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use holdover_runner::expect;
use holdover_runner::lower::{Case, lower};
use holdover_runner::play;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{Scenario, expand, parse};

/// Why a report is not reproduced: nothing else counts.
const REASONS: [(&str, &str); 6] = [
    (
        "client-type",
        "it is about a type of a client library; nothing crosses the wire",
    ),
    (
        "disputed-fact",
        "the facts disagree about it, and the fake accepts the shape",
    ),
    ("no-profile", "only a server without a profile refuses it"),
    ("not-judged", "the API accepts it, and no rule speaks of it"),
    ("other-wire", "it is about a wire that the fake does not speak"),
    ("websocket", "a limit of the socket that no fault plays"),
];

/// Reports that must be reproduced at least.
const REPRODUCED_MIN: usize = 113;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of a CSV file by the names of its columns.
fn rows(path: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(root().join(path)).expect(path);
    reader.deserialize().collect::<Result<_, _>>().expect(path)
}

fn choices() -> Vec<BTreeMap<String, String>> {
    rows("scenarios/incidents/reports.csv")
}

/// The scenario of a report.
fn scenario(choice: &BTreeMap<String, String>, about: &str) -> String {
    let template = &choice["template"];
    let path = root().join(format!("scenarios/incidents/templates/{template}.toml.txt"));
    let text = fs::read_to_string(&path).expect(template);
    let name = format!("{}_{template}", choice["report"]);
    let about = about.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace("@report@", &name).replace("@about@", &about)
}

/// Every scenario by its file name.
fn scenarios() -> BTreeMap<String, String> {
    let reports: BTreeMap<String, BTreeMap<String, String>> = rows("tests/facts/cases/reports.csv")
        .into_iter()
        .map(|row| (row["report"].clone(), row))
        .collect();
    let made = choices()
        .into_iter()
        .filter(|choice| !choice["template"].is_empty())
        .map(|choice| {
            let about = reports.get(&choice["report"]).map_or_else(
                || "a template that no report needs".to_owned(),
                |report| format!("{}: {}", report["client"], report["symptom"]),
            );
            (format!("{}.toml", choice["report"]), scenario(&choice, &about))
        });
    made.collect()
}

/// The table of reports.
fn table() -> String {
    let choices: BTreeMap<String, BTreeMap<String, String>> = choices()
        .into_iter()
        .map(|choice| (choice["report"].clone(), choice))
        .collect();
    let mut table = String::from(
        "| report | client | template | scenario | not reproduced because |\n|---|---|---|---|---|\n",
    );
    for report in rows("tests/facts/cases/reports.csv") {
        let choice = &choices[&report["report"]];
        let cell = |text: &str| text.replace('|', "\\|");
        let file = match choice["template"].as_str() {
            "" => String::new(),
            template => format!("`{template}`"),
        };
        let why = REASONS
            .iter()
            .find(|(name, _)| *name == choice["reason"])
            .map_or("", |(_, why)| why);
        let _ = writeln!(
            table,
            "| {} | {} | {} | {file} | {why} |",
            report["report"],
            cell(&report["client"]),
            cell(&report["template"])
        );
    }
    table
}

fn compare(path: &Path, made: &str) -> Option<String> {
    if std::env::var("HOLDOVER_BLESS").is_ok_and(|value| value == "1") {
        fs::write(path, made).expect("written");
        return None;
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    (committed != made).then(|| path.display().to_string())
}

#[test]
fn the_scenarios_are_those_of_the_data() {
    let folder = root().join("scenarios/incidents");
    let made = scenarios();
    let stale: Vec<String> = made
        .iter()
        .filter_map(|(name, text)| compare(&folder.join(name), text))
        .collect();
    assert_eq!(stale, Vec::<String>::new(), "HOLDOVER_BLESS=1 writes them");
    let files = fs::read_dir(&folder)
        .expect("folder")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let there: BTreeSet<String> = files
        .filter(|name| name.rsplit_once('.').is_some_and(|(_, ending)| ending == "toml"))
        .collect();
    assert_eq!(there, made.keys().cloned().collect::<BTreeSet<_>>());
}

#[test]
fn the_table_says_which_reports_are_reproduced() {
    const MARK: &str = "<!-- From here on: written by `cargo xtask bless`. -->\n";
    let path = root().join("docs/incidents.md");
    let text = fs::read_to_string(&path).expect("docs/incidents.md");
    let (head, _) = text.split_once(MARK).expect("the mark");
    let made = format!("{head}{MARK}\n{}", table());
    assert_eq!(compare(&path, &made), None, "HOLDOVER_BLESS=1 writes it");
}

#[test]
fn every_report_is_reproduced_or_has_a_reason_of_the_list() {
    let choices = choices();
    let names: Vec<&str> = choices.iter().map(|choice| choice["report"].as_str()).collect();
    let reports = rows("tests/facts/cases/reports.csv");
    for report in &reports {
        let times = names.iter().filter(|name| **name == report["report"]).count();
        assert_eq!(times, 1, "{}", report["report"]);
    }
    let of_reports: Vec<_> = choices
        .iter()
        .filter(|choice| choice["report"].starts_with('B'))
        .collect();
    assert_eq!(of_reports.len(), reports.len());
    for choice in &of_reports {
        let known = REASONS.iter().any(|(name, _)| *name == choice["reason"]);
        assert!(choice["template"].is_empty() == known, "{choice:?}");
    }
    let reproduced = of_reports
        .iter()
        .filter(|choice| !choice["template"].is_empty())
        .count();
    assert!(reproduced >= REPRODUCED_MIN, "{reproduced}");
}

/// Each shows a refusal or a finding, its twin none, and two turns come after the fault.
#[test]
fn every_incident_plays_as_it_says() {
    let settings = Settings::default();
    let vocabulary = vocabulary(&settings);
    for (name, text) in scenarios() {
        let scenario = parse(&name, &text, &vocabulary).expect(&name);
        let asks = |list: Option<usize>| list.is_some_and(|count| count > 0);
        let expect = &scenario.expect;
        let shows =
            asks(expect.findings.as_ref().map(Vec::len)) || asks(expect.refusals.as_ref().map(Vec::len));
        assert!(shows, "{name} asks for nothing");
        assert!(scenario.twin.is_some(), "{name} has no twin");
        let fault = scenario
            .turns
            .iter()
            .position(|turn| turn.expect.is_refusal())
            .unwrap_or(0);
        assert!(
            scenario.turns.len() >= fault + 3 || fault == 0 && scenario.turns.len() >= 3,
            "{name}: too few turns after the fault"
        );
        for (case, messages) in unmet(&scenario, &settings) {
            assert_eq!(messages, Vec::<String>::new(), "{name}, twin: {}", case.twin);
        }
    }
}

/// Plays a scenario and its twin, and says what of its expectations was not met.
fn unmet(scenario: &Scenario, settings: &Settings) -> Vec<(Case, Vec<String>)> {
    let cases = expand(scenario);
    let cases = cases
        .iter()
        .flat_map(|case| lower(case, settings).expect("names"));
    let play = |case: Case| {
        let played = play::play(&case.setup).expect("patterns");
        let report = holdover_report::CaseReport {
            audit: played.audit,
            exports_scanned: played.exports.len(),
            ..holdover_report::CaseReport::new(&case.name, played.recording, played.verdict)
        };
        let unmet = expect::unmet(&case, &report, &played.turns);
        (case, unmet.into_iter().map(|unmet| unmet.message).collect())
    };
    cases.map(play).collect()
}

/// A twin of which every request is refused shows no finding, and is not clean for that.
#[test]
fn a_twin_that_cannot_be_judged_is_not_clean() {
    let settings = Settings::default();
    let (name, text) = scenarios()
        .into_iter()
        .find(|(name, _)| name == "B017.toml")
        .expect("a report of a model without reasoning");
    // E14: a model without reasoning refuses to be asked for its tokens.
    let (right, wrong) = (
        "\"model\": \"plain-1\",\n  \"store\": false,\n  \"input\"",
        "\"model\": \"plain-1\",\n  \"include\": [\"reasoning.encrypted_content\"],\n  \"store\": false,\n  \"input\"",
    );
    assert!(text.contains(right));
    let scenario = parse(&name, &text.replace(right, wrong), &vocabulary(&settings)).expect("a scenario");
    let of_twin: Vec<String> = unmet(&scenario, &settings)
        .into_iter()
        .filter(|(case, _)| case.twin)
        .flat_map(|(_, messages)| messages)
        .collect();
    assert_eq!(of_twin.len(), 1, "{of_twin:?}");
    assert!(of_twin[0].contains("it cannot be judged"), "{of_twin:?}");
}
