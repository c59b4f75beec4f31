//! From a scenario to its cases.

use crate::problem::{Code, Problem};
use crate::spec::{Case, Scenario};

/// The cases of `[matrix]` in file order, the last line turning fastest; the scenario itself when it has no matrix.
pub fn expand(scenario: &Scenario) -> Vec<Case> {
    if scenario.matrix.is_empty() {
        let name = scenario.name.value.clone();
        return vec![Case {
            name,
            settings: Vec::new(),
            scenario: scenario.clone(),
        }];
    }
    scenario.cases.clone()
}

/// A problem for each scenario that has the name of an earlier one: a name is a row of a table and a file in `out/`.
pub fn duplicate_names(scenarios: &[Scenario]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, one) in scenarios.iter().enumerate() {
        let Some(earlier) = scenarios[..index]
            .iter()
            .find(|other| other.name.value == one.name.value)
        else {
            continue;
        };
        let message = format!(
            "the name `{}` is already taken by {}",
            one.name.value, earlier.file
        );
        let problem = Problem::new(Code::DuplicateName, &one.file, one.name.span.clone(), message);
        problems.push(
            problem
                .label("taken")
                .help("a name is used by one scenario of a run"),
        );
    }
    problems
}
