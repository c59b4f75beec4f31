//! `[matrix]` and `[twin]`: values that stand in the place of others. Each variant of the file is read like a file of
//! its own, so a value of a matrix is checked like the value that it replaces.

use super::fields::Reader;
use super::root;
use crate::keys::{AGENT, SERVER, Section, TWIN};
use crate::problem::{Code, Located, Span};
use crate::spec::{Axis, Case, Expect, Scenario};
use crate::suggest::hint;
use crate::tree::{Entry, Node, Value};

/// Most cases that one file makes.
const CASES_MAX: usize = 256;

/// One setting and the value that it gets.
struct Setting<'t> {
    section: &'static str,
    /// The key as the file names it: `store`, `agent.effort`.
    shown: String,
    entry: &'t Entry,
}

/// One setting of the matrix with all its values.
struct Line<'t> {
    setting: Setting<'t>,
    values: &'t [Node],
}

/// What `[twin]` says.
#[derive(Default)]
struct Twin<'t> {
    span: Option<Span>,
    settings: Vec<Setting<'t>>,
    result: Option<Located<String>>,
}

/// Reads the file: the scenario of the first case, with all cases and twins in it.
pub(crate) fn cases(reader: &mut Reader<'_>, tree: &Node) -> Option<Scenario> {
    let lines = tree
        .get("matrix")
        .map(|entry| matrix(reader, entry))
        .unwrap_or_default();
    let twin = tree
        .get("twin")
        .map(|entry| twin(reader, entry))
        .unwrap_or_default();
    let base = without(tree, &["matrix", "twin"]);
    expected_cases(reader, &base, &lines);
    if lines.is_empty() {
        return variant(reader, &base, &twin, &[]).map(|case| case.scenario);
    }
    let mut cases = Vec::new();
    for chosen in product(&lines) {
        cases.extend(variant(reader, &base, &twin, &chosen));
    }
    let first = cases.first()?.scenario.clone();
    let name = root_name(&base).unwrap_or_else(|| first.name.value.clone());
    let name = Located::new(name, first.name.span.clone());
    Some(Scenario {
        name,
        matrix: lines.iter().map(axis).collect(),
        cases,
        ..first
    })
}

/// What `[[expect.case]]` names must be in the matrix, or it would never hold.
fn expected_cases(reader: &mut Reader<'_>, base: &Node, lines: &[Line<'_>]) {
    let cases = base.get("expect").and_then(|expect| expect.node.get("case"));
    let Some(Value::List(cases)) = cases.map(|entry| &entry.node.value) else {
        return;
    };
    let whens = cases.iter().filter_map(|case| case.get("when"));
    for entry in whens.flat_map(|when| when.node.entries()) {
        let Some(line) = lines.iter().find(|line| line.setting.shown == entry.key) else {
            let names: Vec<&str> = lines.iter().map(|line| line.setting.shown.as_str()).collect();
            let message = format!("`[matrix]` has no setting `{}`", entry.key);
            let problem = reader.problem(Code::ExpectCase, &entry.key_span, message);
            let help = hint(&entry.key, &names, "the settings of `[matrix]` are");
            reader.report(problem.label("no such setting").help(help));
            continue;
        };
        let shown: Vec<String> = line.values.iter().map(Node::shown).collect();
        let known: Vec<&str> = shown.iter().map(String::as_str).collect();
        let one = std::slice::from_ref(&entry.node);
        let values = match &entry.node.value {
            Value::List(values) => values.as_slice(),
            _ => one,
        };
        for value in values.iter().filter(|value| !shown.contains(&value.shown())) {
            let message = format!("`{}` of `[matrix]` has no value `{}`", entry.key, value.shown());
            let problem = reader.problem(Code::ExpectCase, &value.span, message);
            let help = hint(&value.shown(), &known, "its values are");
            reader.report(problem.label("no such value").help(help));
        }
    }
}

fn root_name(tree: &Node) -> Option<String> {
    match &tree.get("name")?.node.value {
        Value::Text(name) => Some(name.clone()),
        _ => None,
    }
}

/// The case with the chosen values, and its twin.
fn variant(
    reader: &mut Reader<'_>,
    base: &Node,
    twin: &Twin<'_>,
    chosen: &[(&Line<'_>, &Node)],
) -> Option<Case> {
    let mut tree = base.clone();
    for (line, value) in chosen {
        set(&mut tree, &line.setting, value);
    }
    let mut scenario = root::read(reader, &tree)?;
    let settings: Vec<_> = chosen
        .iter()
        .map(|(line, value)| (line.setting.shown.clone(), value.shown()))
        .collect();
    if !settings.is_empty() {
        let shown: Vec<_> = settings
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        scenario.name.value = format!("{}[{}]", scenario.name.value, shown.join(","));
    }
    let meant = scenario.expect.cases.iter().find(|case| case.fits(&settings));
    if let Some(meant) = meant.cloned() {
        scenario.expect = meant.expect;
    }
    scenario.twin = twin_of(reader, &tree, &scenario, twin).map(Box::new);
    Some(Case {
        name: scenario.name.value.clone(),
        settings,
        scenario,
    })
}

fn twin_of(reader: &mut Reader<'_>, tree: &Node, scenario: &Scenario, twin: &Twin<'_>) -> Option<Scenario> {
    if let (Some(client), Some(span)) = (&scenario.client, &twin.span) {
        let problem = reader.problem(Code::TwinOfClient, span, "a scenario with `[client]` has no twin");
        let problem = problem
            .label("asked for here")
            .other(client.command.span.clone(), "the real client");
        reader.report(problem.help("drop `[twin]`: nothing can be undone in a real client"));
        return None;
    }
    if !scenario.has_slip() && twin.settings.is_empty() && !has_twin_request(tree) {
        if let Some(span) = &twin.span {
            let problem = reader.problem(
                Code::TwinWithoutChange,
                span,
                "`[twin]` changes nothing, and there is no slip to undo",
            );
            reader.report(
                problem
                    .label("the same scenario again")
                    .help("name a setting: `set = { include = \"encrypted\" }`"),
            );
        }
        return None;
    }
    let mut tree = without(tree, &["expect"]);
    undo(&mut tree);
    for setting in &twin.settings {
        set(&mut tree, setting, &setting.entry.node);
    }
    let mut read = root::read(reader, &tree)?;
    read.world = Some(scenario.world().to_owned());
    read.name = scenario.name.clone().map(|name| format!("{name}.twin"));
    read.expect = Expect {
        findings: Some(Vec::new()),
        result: twin.result.clone(),
        ..Expect::default()
    };
    Some(read)
}

/// Whether a turn says what the twin sends in its place.
fn has_twin_request(tree: &Node) -> bool {
    let Some(Value::List(turns)) = tree.get("turn").map(|entry| &entry.node.value) else {
        return false;
    };
    turns.iter().any(|turn| turn.get("twin-request").is_some())
}

/// The turn of the twin: what it sends in the place of the request, and nothing that the turn expects.
fn twin_turn(turn: &Node) -> Node {
    let own = turn.get("twin-request").map(|entry| Entry {
        key: "request".to_owned(),
        ..entry.clone()
    });
    let replaced: &[&str] = if own.is_some() {
        &["expect", "twin-request", "request"]
    } else {
        &["expect"]
    };
    let mut twin = without(turn, replaced);
    if let Value::Table(entries) = &mut twin.value {
        entries.extend(own);
    }
    twin
}

/// Takes the slips and what the turns expect out of the tree.
fn undo(tree: &mut Node) {
    let Value::Table(entries) = &mut tree.value else {
        return;
    };
    for entry in entries {
        match (entry.key.as_str(), &mut entry.node.value) {
            ("agent", Value::Table(_)) => entry.node = without(&entry.node, &["slip"]),
            ("turn", Value::List(turns)) => {
                for turn in turns {
                    *turn = twin_turn(turn);
                }
            }
            _ => {}
        }
    }
}

fn without(tree: &Node, keys: &[&str]) -> Node {
    let kept = tree
        .entries()
        .iter()
        .filter(|entry| !keys.contains(&entry.key.as_str()));
    Node {
        value: Value::Table(kept.cloned().collect()),
        span: tree.span.clone(),
    }
}

/// Puts the value into its section, which is made when it is absent.
fn set(tree: &mut Node, setting: &Setting<'_>, value: &Node) {
    let Value::Table(entries) = &mut tree.value else {
        return;
    };
    let put = Entry {
        node: value.clone(),
        ..setting.entry.clone()
    };
    let section = entries.iter_mut().find(|entry| entry.key == setting.section);
    let Some(section) = section else {
        let span = setting.entry.key_span.clone();
        let node = Node {
            value: Value::Table(vec![put]),
            span: span.clone(),
        };
        entries.push(Entry {
            key: setting.section.to_owned(),
            key_span: span,
            node,
        });
        return;
    };
    if let Value::Table(members) = &mut section.node.value {
        members.retain(|member| member.key != put.key);
        members.push(put);
    }
}

fn twin<'t>(reader: &mut Reader<'_>, entry: &'t Entry) -> Twin<'t> {
    let Some(fields) = reader.open(&TWIN, &entry.node) else {
        return Twin::default();
    };
    let settings = fields
        .get("set")
        .map(|entry| settings(reader, "`set`", entry))
        .unwrap_or_default();
    let result = reader.name(&fields, "result");
    Twin {
        span: Some(entry.node.span.clone()),
        settings,
        result,
    }
}

fn matrix<'t>(reader: &mut Reader<'_>, entry: &'t Entry) -> Vec<Line<'t>> {
    let settings = settings(reader, "`[matrix]`", entry);
    let lines: Vec<_> = settings
        .into_iter()
        .filter_map(|setting| line(reader, setting))
        .collect();
    let count = lines
        .iter()
        .map(|line| line.values.len())
        .fold(1_usize, usize::saturating_mul);
    if count <= CASES_MAX {
        return lines;
    }
    let message = format!("`[matrix]` makes {count} cases, and a file has at most {CASES_MAX}");
    let problem = reader.problem(Code::MatrixTooLarge, &entry.key_span, message);
    reader.report(problem.label("too many").help("split it into several files"));
    Vec::new()
}

fn line<'t>(reader: &mut Reader<'_>, setting: Setting<'t>) -> Option<Line<'t>> {
    let node = &setting.entry.node;
    let Value::List(values) = &node.value else {
        reader.wrong_type(
            &format!("`{}` of `[matrix]`", setting.shown),
            "a list of values",
            node,
        );
        return None;
    };
    if values.is_empty() {
        let message = format!("`{}` of `[matrix]` has no values", setting.shown);
        let problem = reader.problem(Code::EmptyValue, &node.span, message);
        reader.report(
            problem
                .label("nothing here")
                .help("name at least one value, or drop the line"),
        );
        return None;
    }
    Some(Line { setting, values })
}

fn axis(line: &Line<'_>) -> Axis {
    let values = line
        .values
        .iter()
        .map(|value| Located::new(value.shown(), value.span.clone()));
    Axis {
        key: Located::new(line.setting.shown.clone(), line.setting.entry.key_span.clone()),
        values: values.collect(),
    }
}

/// Every combination, the last line turning fastest.
fn product<'l, 't>(lines: &'l [Line<'t>]) -> Vec<Vec<(&'l Line<'t>, &'t Node)>> {
    let mut all = vec![Vec::new()];
    for line in lines {
        let longer = all.iter().flat_map(|chosen| {
            line.values.iter().map(move |value| {
                let mut chosen: Vec<(&Line<'t>, &'t Node)> = chosen.clone();
                chosen.push((line, value));
                chosen
            })
        });
        all = longer.collect();
    }
    all
}

/// The settings that a table names: `store`, or `agent.store` where both tables have the key.
fn settings<'t>(reader: &mut Reader<'_>, what: &str, entry: &'t Entry) -> Vec<Setting<'t>> {
    if !matches!(entry.node.value, Value::Table(_)) {
        reader.wrong_type(what, "a table", &entry.node);
    }
    let mut settings = Vec::new();
    for entry in entry.node.entries() {
        match section_of(&entry.key) {
            Some((name, section)) => {
                for inner in entry.node.entries() {
                    let shown = format!("{name}.{}", inner.key);
                    settings.extend(in_section(reader, name, section, shown, inner));
                }
            }
            None => settings.extend(bare(reader, what, entry)),
        }
    }
    settings
}

fn section_of(key: &str) -> Option<(&'static str, &'static Section)> {
    match key {
        "server" => Some(("server", &SERVER)),
        "agent" => Some(("agent", &AGENT)),
        _ => None,
    }
}

fn has(section: &Section, key: &str) -> bool {
    section.keys.iter().any(|known| known.name == key)
}

fn in_section<'t>(
    reader: &mut Reader<'_>,
    name: &'static str,
    section: &'static Section,
    shown: String,
    entry: &'t Entry,
) -> Option<Setting<'t>> {
    if has(section, &entry.key) {
        return Some(Setting {
            section: name,
            shown,
            entry,
        });
    }
    let names: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
    let message = format!("{} has no key `{}`", section.title(), entry.key);
    let problem = reader.problem(Code::UnknownSetting, &entry.key_span, message);
    reader.report(
        problem
            .label("no such setting")
            .help(hint(&entry.key, &names, "the settings are")),
    );
    None
}

fn bare<'t>(reader: &mut Reader<'_>, what: &str, entry: &'t Entry) -> Option<Setting<'t>> {
    let key = entry.key.as_str();
    let section = match (has(&SERVER, key), has(&AGENT, key)) {
        (true, false) => "server",
        (false, true) => "agent",
        (true, true) => {
            let message = format!("`{key}` is a setting of `[server]` and one of `[agent]`");
            let problem = reader.problem(Code::AmbiguousSetting, &entry.key_span, message);
            reader.report(
                problem
                    .label("which one?")
                    .help(format!("write `server.{key}` or `agent.{key}`")),
            );
            return None;
        }
        (false, false) => {
            let keys = SERVER.keys.iter().chain(AGENT.keys);
            let names: Vec<&str> = keys.map(|key| key.name).collect();
            let message = format!("{what} names no setting `{key}`");
            let problem = reader.problem(Code::UnknownSetting, &entry.key_span, message);
            reader.report(
                problem
                    .label("no such setting")
                    .help(hint(key, &names, "the settings are")),
            );
            return None;
        }
    };
    Some(Setting {
        section,
        shown: key.to_owned(),
        entry,
    })
}
