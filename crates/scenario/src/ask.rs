//! Checks that need the knowledge of another crate: the caller hands in the answer, the place is found here.

use crate::expand::expand;
use crate::problem::{Code, Located, Problem};
use crate::spec::Scenario;

/// A problem for each pattern of `[export]` that `reason` has something against: why it is no regular expression.
pub fn bad_patterns(scenario: &Scenario, reason: impl Fn(&str) -> Option<String>) -> Vec<Problem> {
    let allowed = scenario.export.allowlist.iter().map(|entry| &entry.pattern);
    let patterns = scenario.export.patterns.iter().chain(allowed);
    let bad = patterns.filter_map(|pattern| {
        let reason = reason(&pattern.value)?;
        let message = format!("`{}` is not a regular expression", pattern.value);
        let problem = Problem::new(Code::BadPattern, &scenario.file, pattern.span.clone(), message);
        Some(problem.label("this pattern").help(reason))
    });
    bad.collect()
}

/// A problem for each slip that has no place in the client of its case; `needs` says of a slip in a scenario what it
/// would need, and nothing where it has it. A slip that fits in no case of a matrix is named once.
pub fn misplaced_slips(
    scenario: &Scenario,
    needs: impl Fn(&str, &Scenario) -> Option<String>,
) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    for case in expand(scenario) {
        for slip in case.scenario.agent.iter().flat_map(|agent| &agent.slips) {
            let Some(needs) = needs(&slip.value, &case.scenario) else {
                continue;
            };
            let problem = misplaced(&case.scenario, slip, &needs);
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
    problems
}

fn misplaced(scenario: &Scenario, slip: &Located<String>, needs: &str) -> Problem {
    let message = format!("the slip `{}` has no place in this client", slip.value);
    let problem = Problem::new(Code::SlipCannotExist, &scenario.file, slip.span.clone(), message);
    problem.label("this slip").help(format!("it needs {needs}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Vocabulary, parse};

    fn read(text: &str) -> Scenario {
        parse("a.toml", text, &Vocabulary::default()).expect("a scenario")
    }

    #[test]
    fn a_bad_pattern_is_marked_wherever_it_stands() {
        let text =
            "name = 'a'\n[export]\npatterns = ['ok', '(']\nallowlist = [{ file = 'log', pattern = '(' }]\n";
        let reason = |pattern: &str| (pattern == "(").then(|| "unclosed group".to_owned());
        let problems = bad_patterns(&read(text), reason);
        let marked: Vec<_> = problems.iter().map(|one| &text[one.at.span.clone()]).collect();
        assert_eq!(marked, ["'('", "'('"]);
        assert_eq!(problems[0].code, Code::BadPattern);
        assert_ne!(problems[0].at.span, problems[1].at.span);
    }

    #[test]
    fn a_slip_without_its_place_is_named_once_for_all_cases() {
        let text =
            "name = 'a'\n[agent]\nslip = 'x'\n[matrix]\nstream = [true, false]\nstore = [true, false]\n";
        let needs = |_: &str, scenario: &Scenario| {
            let streams = scenario
                .agent
                .as_ref()
                .is_some_and(|agent| agent.stream == crate::Streaming::Sse);
            (!streams).then(|| "a stream".to_owned())
        };
        let problems = misplaced_slips(&read(text), needs);
        assert_eq!(problems.len(), 1);
        assert_eq!(&text[problems[0].at.span.clone()], "'x'");
        assert_eq!(problems[0].help.as_deref(), Some("it needs a stream"));
        assert_eq!(misplaced_slips(&read(text), |_, _| None), []);
    }
}
