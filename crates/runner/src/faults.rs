//! The faults of a scenario: checked against the catalogue, with the place of everything that is wrong.

use holdover_fault::{Clash, Fault, FaultProblem, Part, clashes};
use holdover_scenario::spec::FaultSpec;
use holdover_scenario::{Code, Located, Problem, Scenario};
use serde_json::Value;

type Members = Vec<(Located<String>, Value)>;

/// The faults of a scenario that [`problems`] found nothing wrong with, in file order.
pub fn lower(scenario: &Scenario) -> Vec<Fault> {
    let faults = scenario.faults.iter();
    faults.filter_map(|spec| parse(spec).ok()).collect()
}

/// Everything that is wrong with the faults of a scenario whose names are known.
pub fn problems(scenario: &Scenario) -> Vec<Problem> {
    let mut faults = Vec::new();
    let mut found = Vec::new();
    for spec in &scenario.faults {
        match parse(spec) {
            Ok(fault) => faults.push(fault),
            Err(problems) => found.extend(problems.iter().map(|problem| located(scenario, spec, problem))),
        }
    }
    if found.is_empty() {
        found.extend(
            clashes(&faults)
                .iter()
                .map(|clash| contradiction(scenario, clash)),
        );
    }
    found
}

fn parse(spec: &FaultSpec) -> Result<Fault, Vec<FaultProblem>> {
    Fault::parse(&spec.name.value, &plain(&spec.options), &plain(&spec.on))
}

fn plain(members: &Members) -> Vec<(String, Value)> {
    let members = members.iter();
    members
        .map(|(key, value)| (key.value.clone(), value.clone()))
        .collect()
}

fn located(scenario: &Scenario, spec: &FaultSpec, problem: &FaultProblem) -> Problem {
    let span_in = |members: &Members, key: &str| {
        let member = members.iter().find(|(known, _)| known.value == key);
        member.map_or_else(|| spec.span.clone(), |(known, _)| known.span.clone())
    };
    let (code, span) = match &problem.part {
        Part::Name => (Code::UnknownFault, spec.name.span.clone()),
        Part::Option(key) => (Code::FaultOption, span_in(&spec.options, key)),
        Part::On(key) => (Code::FaultTrigger, span_in(&spec.on, key)),
    };
    Problem::new(code, &scenario.file, span, problem.message.clone())
        .label("here")
        .help(problem.help.clone())
}

fn contradiction(scenario: &Scenario, clash: &Clash) -> Problem {
    let (first, second) = (&scenario.faults[clash.first], &scenario.faults[clash.second]);
    Problem::new(
        Code::FaultsClash,
        &scenario.file,
        second.name.span.clone(),
        clash.message.clone(),
    )
    .label("never happens")
    .other(first.name.span.clone(), "always comes first")
    .help(clash.help.clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use holdover_scenario::{parse, suites};

    use super::*;
    use crate::settings::Settings;
    use crate::vocabulary::vocabulary;

    /// Code, the text that it points at, message.
    fn found(faults: &str) -> Vec<(Code, String, String)> {
        let text = format!("name = \"a\"\n[[turn]]\nuser = \"Hi\"\n{faults}");
        let scenario = parse("a.toml", &text, &vocabulary(&Settings::default())).expect("a scenario");
        problems(&scenario)
            .into_iter()
            .map(|problem| {
                let at = text[problem.at.span.clone()].to_owned();
                (problem.code, at, problem.message)
            })
            .collect()
    }

    #[test]
    fn a_problem_points_at_its_key() {
        let faults = "[[fault]]\non = { tun = 1 }\ndo = { name = \"cut-after-done\", afetr = 2 }\n";
        assert_eq!(
            found(faults),
            [
                (
                    Code::FaultOption,
                    "afetr".to_owned(),
                    "`cut-after-done` has no option `afetr`".to_owned()
                ),
                (
                    Code::FaultTrigger,
                    "tun".to_owned(),
                    "a trigger has no `tun`".to_owned()
                ),
            ]
        );
    }

    #[test]
    fn a_contradiction_points_at_both() {
        let faults = "[[fault]]\non = {}\ndo = \"quota\"\n[[fault]]\non = { turn = 1 }\ndo = \"refuse\"\n";
        let text = format!("name = \"a\"\n[[turn]]\nuser = \"Hi\"\n{faults}");
        let scenario = parse("a.toml", &text, &vocabulary(&Settings::default())).expect("a scenario");
        let [problem] = problems(&scenario).try_into().expect("one problem");
        assert_eq!(problem.code, Code::FaultsClash);
        assert_eq!(text[problem.at.span.clone()], *"\"refuse\"");
        assert_eq!(text[problem.other.expect("the other half").span], *"\"quota\"");
    }

    #[test]
    fn every_fault_has_a_scenario_in_the_suite() {
        let mut planted = BTreeSet::new();
        for file in suites::all() {
            let scenario =
                parse(file.path, file.text, &vocabulary(&Settings::default())).expect("a scenario");
            planted.extend(lower(&scenario).iter().map(|fault| fault.card().name));
        }
        let all = holdover_fault::catalogue::all();
        let all: BTreeSet<&str> = all.iter().map(|card| card.name).collect();
        let missing: Vec<&str> = all.difference(&planted).copied().collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn right_faults_are_lowered_in_order() {
        let text = "name = \"a\"\n[[turn]]\nuser = \"Hi\"\n[[fault]]\non = { turn = 1 }\ndo = \"cut\"\n[[fault]]\non = {}\ndo = { name = \"pause\", ms = 1 }\n";
        let scenario = parse("a.toml", text, &vocabulary(&Settings::default())).expect("a scenario");
        assert_eq!(problems(&scenario), []);
        let names: Vec<&str> = lower(&scenario).iter().map(|fault| fault.card().name).collect();
        assert_eq!(names, ["cut", "pause"]);
    }
}
