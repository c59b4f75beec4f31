//! The played client speaks some wires, and on those of other providers it is the plain one, which holds its history itself.

use crate::problem::{Code, Located};
use crate::read::fields::Reader;
use crate::spec::{DEFAULT_PROFILE, Scenario};
use crate::tree::Node;

/// Keys of `[agent]`, the value that every wire has a word for, and why no other one.
const ONLY: &[(&str, &str, &str)] = &[
    ("preset", "plain", "imitates a client of the Responses API"),
    (
        "state",
        "client-replay",
        "is state that only the Responses API keeps",
    ),
    (
        "session-store",
        "",
        "is an API of its own beside the Responses API",
    ),
    ("transport", "", "is a way of the Responses API alone"),
    ("compact-before", "", "is a call of the Responses API"),
];

/// Values of keys that exist on any wire.
const ANYWHERE: &[&str] = &["memory", "sqlite", "json", "sse"];

pub(crate) fn check(reader: &mut Reader<'_>, root: &Node, scenario: &Scenario) {
    policy_beside_state(reader, root);
    let turns = scenario.turns.iter().filter_map(|turn| turn.profile.as_ref());
    let mut named = scenario.server.profile.iter().chain(turns);
    if is_played(root, scenario) {
        for profile in named.clone() {
            spoken(reader, profile);
        }
        told_apart(reader, scenario);
    }
    let known = &reader.vocabulary.other_wires;
    let Some(profile) = named.find(|profile| known.contains_key(&profile.value)) else {
        return;
    };
    let Some(agent) = root.get("agent") else { return };
    for (key, right, why) in ONLY {
        let Some(entry) = agent.node.get(key) else {
            continue;
        };
        let shown = entry.node.shown();
        if shown != *right && !ANYWHERE.contains(&shown.as_str()) {
            clash(reader, profile, (key, &shown), why, entry.node.span.clone());
        }
    }
}

/// Whether the played client sends something. A client of one's own counts where its table cannot be read, too.
fn is_played(root: &Node, scenario: &Scenario) -> bool {
    root.get("client").is_none() && scenario.is_played()
}

/// A policy rules over the history that a client sends again. Where the server holds it, none is sent.
fn policy_beside_state(reader: &mut Reader<'_>, root: &Node) {
    let Some(agent) = root.get("agent") else { return };
    let (Some(policy), Some(state)) = (agent.node.get("replay-policy"), agent.node.get("state")) else {
        return;
    };
    let shown = state.node.shown();
    if !matches!(shown.as_str(), "server-chain" | "conversation") {
        return;
    }
    let message =
        format!("`replay-policy` does nothing with `state = {shown}`: the server holds the history");
    let problem = reader.problem(Code::SettingsClash, &policy.key_span, message);
    reader.report(
        problem
            .label("this policy")
            .other(state.node.span.clone(), "and this state")
            .help("drop `replay-policy`, or let the client replay: `state = \"client-replay\"`"),
    );
}

/// Where several providers are asked, path and model of a request say which of them is meant. A profile that is told by
/// its name only must be the only such one, and the only one of its wire.
fn told_apart(reader: &mut Reader<'_>, scenario: &Scenario) {
    if !scenario.moves() {
        return;
    }
    let asked = scenario.asked();
    let by_name = |profile: &Located<String>| reader.vocabulary.by_name.contains(&profile.value);
    let name = |profile: Option<&Located<String>>| {
        profile
            .map_or(DEFAULT_PROFILE, |profile| &profile.value)
            .to_owned()
    };
    let wire = |profile: &str| reader.vocabulary.other_wires.get(profile);
    let mut clashes: Vec<(Located<String>, Option<Located<String>>)> = Vec::new();
    for (place, profile) in asked.iter().enumerate() {
        let Some(profile) = profile.filter(|profile| by_name(profile)) else {
            continue;
        };
        let clashing = asked.iter().enumerate().find(|(other_place, other)| {
            let other_name = name(**other);
            // Of two that are told by their names, the later one is told.
            let both = other.is_some_and(by_name);
            let speaks = wire(&other_name) == wire(&profile.value);
            other_name != profile.value && if both { *other_place < place } else { speaks }
        });
        clashes.extend(clashing.map(|(_, other)| (profile.clone(), other.cloned())));
    }
    for (profile, other) in clashes {
        let other_name = name(other.as_ref());
        let message = format!(
            "`{}` is told by its name only, and no request says whether it or `{other_name}` is asked",
            profile.value
        );
        let problem = reader.problem(Code::SettingsClash, &profile.span, message);
        let problem = problem.label("this profile");
        let problem = match &other {
            Some(other) => problem.other(other.span.clone(), "and this one"),
            None => problem,
        };
        reader.report(problem.help(
            "ask each of them in a scenario of its own, or name profiles that path and model tell apart",
        ));
    }
}

/// A wire that the played client does not speak: it would talk to nobody.
fn spoken(reader: &mut Reader<'_>, profile: &Located<String>) {
    if !reader.vocabulary.unspoken.contains(&profile.value) {
        return;
    }
    let message = format!("the played client does not speak the wire of `{}`", profile.value);
    let problem = reader.problem(Code::SettingsClash, &profile.span, message);
    reader.report(problem.label("this profile").help(format!(
        "take a client of your own: `holdover test --profile {} -- COMMAND`",
        profile.value
    )));
}

fn clash(
    reader: &mut Reader<'_>,
    profile: &Located<String>,
    (key, value): (&str, &str),
    why: &str,
    span: crate::problem::Span,
) {
    let message = format!(
        "`{key} = {value}` {why}, and `{}` is asked over another wire",
        profile.value
    );
    let problem = reader.problem(Code::SettingsClash, &span, message);
    reader.report(
        problem
            .label("this setting")
            .other(profile.span.clone(), "and this profile")
            .help(format!("drop `{key}`, or name a profile of the Responses API")),
    );
}
