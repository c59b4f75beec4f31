//! A slip needs the stage that it breaks.

use crate::problem::{Code, Located};
use crate::read::fields::Reader;
use crate::spec::Scenario;
use crate::tree::Node;

/// What a key of `[agent]` is when the file does not set it.
const DEFAULTS: &[(&str, &str)] = &[
    ("preset", "plain"),
    ("state", "client-replay"),
    ("stream", "false"),
    ("session-store", "memory"),
    ("reasoning-item-id-policy", "none"),
];

pub(crate) fn check(reader: &mut Reader<'_>, root: &Node, scenario: &Scenario) {
    let Some(agent) = &scenario.agent else {
        return;
    };
    for slip in &agent.slips {
        twice(reader, slip, &agent.slips);
        impossible(reader, root, slip);
    }
}

fn twice(reader: &mut Reader<'_>, slip: &Located<String>, slips: &[Located<String>]) {
    let earlier = slips
        .iter()
        .find(|one| one.value == slip.value && one.span.start < slip.span.start);
    if let Some(earlier) = earlier {
        let problem = reader.problem(
            Code::SettingsClash,
            &slip.span,
            format!("the slip `{}` is named twice", slip.value),
        );
        reader.report(
            problem
                .label("named again")
                .other(earlier.span.clone(), "named here"),
        );
    }
}

fn impossible(reader: &mut Reader<'_>, root: &Node, slip: &Located<String>) {
    let vocabulary = reader.vocabulary;
    for rule in vocabulary
        .impossible
        .iter()
        .filter(|rule| rule.slip == slip.value)
    {
        let set = root.get("agent").and_then(|agent| agent.node.get(&rule.key));
        let default = DEFAULTS
            .iter()
            .find(|(key, _)| *key == rule.key)
            .map(|(_, value)| (*value).to_owned());
        if set.map(|entry| entry.node.shown()).or(default).as_ref() != Some(&rule.value) {
            continue;
        }
        let message = format!(
            "the slip `{}` cannot exist with `{} = {}`",
            slip.value, rule.key, rule.value
        );
        let problem = reader
            .problem(Code::SlipCannotExist, &slip.span, message)
            .label("this slip");
        let problem = match set {
            Some(entry) => problem.other(entry.node.span.clone(), "and this setting"),
            None => problem,
        };
        reader.report(problem.help(rule.reason.clone()));
    }
}
