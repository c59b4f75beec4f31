//! The replay policy of a scenario: one of the binary's, a file beside the scenario, or a table in it.

use std::path::Path;

use holdover_profile::policy::Policy;
use holdover_scenario::spec::PolicySpec;
use holdover_scenario::{Code, Problem, Scenario, expand};

/// Reads it, or says what is wrong with it. A file is looked for beside the scenario.
pub fn read(spec: &PolicySpec, scenario: &str) -> Result<Policy, String> {
    match spec {
        PolicySpec::Named(name) => {
            Policy::builtin(&name.value).ok_or_else(|| format!("there is no policy `{}`", name.value))
        }
        PolicySpec::File(file) => {
            let folder = Path::new(scenario).parent().unwrap_or(Path::new(""));
            let path = folder.join(&file.value);
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("`{}` cannot be read: {error}", path.display()))?;
            Policy::parse(&text).map_err(|error| first_line(&error.to_string()))
        }
        PolicySpec::Inline(table) => {
            serde_json::from_value(table.value.clone()).map_err(|error| error.to_string())
        }
    }
}

/// Everything that is wrong with the policies of a scenario: of each case of its matrix, and of the twins.
pub fn problems(scenario: &Scenario) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    for case in expand(scenario) {
        let played = [Some(&case.scenario), case.scenario.twin.as_deref()];
        for problem in played.into_iter().flatten().filter_map(wrong) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    problems
}

/// What is wrong with the policy of one session.
fn wrong(scenario: &Scenario) -> Option<Problem> {
    let spec = scenario.agent.as_ref()?.replay_policy.as_ref()?;
    let reason = read(spec, &scenario.file).err()?;
    let problem = Problem::new(Code::BadPolicy, &scenario.file, spec.span().clone(), reason);
    Some(problem.label("this policy").help(
        "a policy has `policy_id`, `fallback_on_unknown` and `[[rule]]`s of `conditions` and an `action`",
    ))
}

/// The message of a parser, without the picture that it draws.
fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let head = lines.next().unwrap_or_default().to_owned();
    lines
        .next_back()
        .map_or(head.clone(), |last| format!("{head}: {last}"))
}

#[cfg(test)]
mod tests {
    use holdover_scenario::parse;

    use super::*;
    use crate::lower::lower;
    use crate::settings::Settings;
    use crate::vocabulary::vocabulary;

    fn scenario(policy: &str) -> Scenario {
        let text = format!("name = \"a\"\n[agent]\nreplay-policy = {policy}\n[[turn]]\nuser = \"Hi\"\n");
        parse("a.toml", &text, &vocabulary(&Settings::default())).expect("a scenario")
    }

    #[test]
    fn a_policy_is_named_or_stands_in_the_file() {
        let inline = "{ policy_id = \"p\", fallback_on_unknown = \"drop_reasoning\" }";
        for (policy, id) in [("\"tool-loop-only\"", "tool-loop-only"), (inline, "p")] {
            let scenario = scenario(policy);
            assert_eq!(problems(&scenario), []);
            let spec = scenario
                .agent
                .and_then(|agent| agent.replay_policy)
                .expect("a policy");
            assert_eq!(
                read(&spec, "a.toml").map(|policy| policy.policy_id),
                Ok(id.to_owned())
            );
        }
    }

    #[test]
    fn what_is_wrong_with_one_is_said_at_its_place() {
        for (policy, said) in [
            ("\"missing.toml\"", "`missing.toml` cannot be read"),
            (
                "{ policy_id = \"p\", fallback_on_unknown = \"guess\" }",
                "unknown variant `guess`",
            ),
        ] {
            let scenario = scenario(policy);
            let [problem] = problems(&scenario).try_into().expect("one problem");
            assert_eq!(problem.code, Code::BadPolicy);
            assert!(problem.message.contains(said), "{}", problem.message);
        }
    }

    /// A policy of the file is in order; one that the matrix or the twin puts in its place is not.
    #[test]
    fn policies_of_a_matrix_and_a_twin_are_read_as_well() {
        let given = "name = \"a\"\n[agent]\nreplay-policy = \"drop-all\"\n[[turn]]\nuser = \"Hi\"\n";
        for other in [
            "[matrix]\nreplay-policy = [\"drop-all\", \"missing.toml\", \"drop-all\"]\n",
            "[matrix]\nstore = [true, false]\nreplay-policy = [\"drop-all\", \"missing.toml\"]\n",
            "[twin]\nset = { replay-policy = \"missing.toml\" }\n",
        ] {
            let text = format!("{given}{other}");
            let scenario = parse("a.toml", &text, &vocabulary(&Settings::default())).expect("a scenario");
            let [problem] = problems(&scenario).try_into().expect("one problem");
            assert_eq!(problem.code, Code::BadPolicy);
            assert_eq!(&text[problem.at.span.clone()], "\"missing.toml\"");
            assert!(problem.help.is_some(), "{problem:?}");
            let cases = expand(&scenario);
            let lowered = cases.iter().map(|case| lower(case, &Settings::default()));
            let refused: Vec<String> = lowered
                .filter_map(|cases| Some(cases.err()?.to_string()))
                .collect();
            let [first, ..] = refused.as_slice() else {
                panic!("a case without its policy");
            };
            assert!(first.contains("`missing.toml` cannot be read"), "{first}");
        }
    }
}
