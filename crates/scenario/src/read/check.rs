//! Contradictions: what no single key can see.

use super::fields::Reader;
use super::turn::Script;
use crate::problem::{Code, Located};
use crate::spec::Scenario;
use crate::tree::{Entry, Node, Value};

mod calls;
mod slips;
mod wires;

/// Reports every contradiction of one variant of the file.
pub(crate) fn contradictions(reader: &mut Reader<'_>, root: &Node, scenario: &Scenario, script: &Script) {
    agent_and_client(reader, root);
    inputs(reader, root);
    pasted(reader, root);
    resume(reader, root);
    turns_named(reader, root, scenario);
    calls::check(reader, scenario, script);
    slips::check(reader, root, scenario);
    wires::check(reader, root, scenario);
}

fn agent_and_client(reader: &mut Reader<'_>, root: &Node) {
    let (Some(agent), Some(client)) = (root.get("agent"), root.get("client")) else {
        return;
    };
    let message = "`[agent]` and `[client]` exclude each other";
    let problem = reader.problem(Code::AgentAndClient, &client.node.span, message);
    let problem = problem
        .label("a real client")
        .other(agent.node.span.clone(), "the played client");
    reader.report(problem.help("keep one of them"));
}

/// A played client needs something to send; a real one decides that itself. What is there with a wrong type is there.
fn inputs(reader: &mut Reader<'_>, root: &Node) {
    let turns = turns(root);
    let gives_input = |turn: &Node| {
        let keys = ["user", "tool-output", "request"];
        keys.iter().any(|key| turn.get(key).is_some())
    };
    if let Some(client) = root.get("client") {
        for (number, turn) in (1..).zip(turns).filter(|(_, turn)| gives_input(turn)) {
            turn_of_client(reader, number, turn, client);
        }
        return;
    }
    let is_script = root.get("agent").is_none() && !turns.iter().any(gives_input);
    if is_script {
        return;
    }
    for (number, turn) in (1..).zip(turns).filter(|(_, turn)| !gives_input(turn)) {
        let message = format!("turn {number} gives the client nothing to send");
        let problem = reader.problem(Code::TurnWithoutInput, &turn.span, message);
        reader.report(problem.label("this turn").help("add `user` or `tool-output`"));
    }
}

/// Pasted requests are all that is sent: no played client adds to them.
fn pasted(reader: &mut Reader<'_>, root: &Node) {
    let turns = turns(root);
    let Some(first) = turns.iter().find_map(|turn| turn.get("request")) else {
        return;
    };
    let own = |turn: &Node| {
        ["user", "tool-output", "effort"]
            .into_iter()
            .find_map(|key| turn.get(key).cloned())
    };
    let beside = turns.iter().find_map(own).or_else(|| root.get("agent").cloned());
    if let Some(beside) = beside {
        let message = "a pasted request is sent as it is, and a played client would send its own";
        let problem = reader.problem(Code::RequestBesideInput, &beside.key_span, message);
        let problem = problem
            .label("this is for a played client")
            .other(first.key_span.clone(), "a pasted request");
        reader.report(problem.help("paste every request of the file, or none"));
        return;
    }
    for (number, turn) in (1..).zip(turns).filter(|(_, turn)| turn.get("request").is_none()) {
        let message = format!("turn {number} has no `request`, though other turns have one");
        let problem = reader.problem(Code::RequestBesideInput, &turn.span, message);
        reader.report(
            problem
                .label("this turn")
                .help("paste every request of the file, or none"),
        );
    }
}

fn turn_of_client(reader: &mut Reader<'_>, number: usize, turn: &Node, client: &Entry) {
    let message = format!("turn {number} says what is sent, but `[client]` decides that itself");
    let problem = reader.problem(Code::TurnOfClient, &turn.span, message);
    let problem = problem
        .label("this turn")
        .other(client.node.span.clone(), "the real client");
    reader.report(problem.help("keep only `reply` and `expect`"));
}

fn turns(root: &Node) -> &[Node] {
    match root.get("turn").map(|entry| &entry.node.value) {
        Some(Value::List(turns)) => turns,
        _ => &[],
    }
}

/// A policy of a resume means nothing without a resume.
fn resume(reader: &mut Reader<'_>, root: &Node) {
    let Some(agent) = root
        .get("agent")
        .filter(|agent| agent.node.get("resume-before").is_none())
    else {
        return;
    };
    if let Some(entry) = agent.node.get("resume-policy") {
        let message = "`resume-policy` is set, but nothing is resumed";
        let problem = reader
            .problem(Code::SettingsClash, &entry.key_span, message)
            .label("no resume");
        let help = "add `resume-before = 2`: the turn before which the client is built again";
        reader.report(problem.help(help));
    }
}

/// Settings and faults name turns that the file has.
fn turns_named(reader: &mut Reader<'_>, root: &Node, scenario: &Scenario) {
    let count = scenario.turns.len();
    if count == 0 {
        return;
    }
    if let Some(agent) = &scenario.agent {
        for (key, turn) in [
            ("resume-before", &agent.resume_before),
            ("compact-before", &agent.compact_before),
        ] {
            if let Some(turn) = turn {
                turn_exists(reader, root, key, &turn.clone().map(i64::from), count);
            }
        }
    }
    for fault in &scenario.faults {
        for (key, value) in fault.on.iter().filter(|(key, _)| key.value == "turn") {
            if let Some(turn) = value.as_i64() {
                turn_exists(
                    reader,
                    root,
                    "on.turn",
                    &Located::new(turn, key.span.clone()),
                    count,
                );
            }
        }
    }
}

fn turn_exists(reader: &mut Reader<'_>, root: &Node, key: &str, turn: &Located<i64>, count: usize) {
    if usize::try_from(turn.value).is_ok_and(|turn| (1..=count).contains(&turn)) {
        return;
    }
    let last = turns(root).last().map(|turn| turn.span.clone());
    let message = format!("`{key}` names turn {}, but the file has {count}", turn.value);
    let problem = reader
        .problem(Code::NoSuchTurn, &turn.span, message)
        .label("no such turn");
    let problem = match last {
        Some(span) => problem.other(span, "the last turn"),
        None => problem,
    };
    reader.report(problem.help(format!("turns count from 1 to {count}")));
}
