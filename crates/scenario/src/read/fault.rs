//! `[[fault]]`: the name is checked, the members are kept for the fault itself.

use super::fields::{Fields, Reader};
use crate::keys::FAULT;
use crate::problem::{Code, Located};
use crate::spec::FaultSpec;
use crate::suggest::hint;
use crate::tree::{Entry, Node, Value};

type Members = Vec<(Located<String>, serde_json::Value)>;

pub(crate) fn read(reader: &mut Reader<'_>, root: &Fields<'_>) -> Vec<FaultSpec> {
    let nodes = reader.tables(root, "fault");
    nodes.iter().filter_map(|node| fault(reader, node)).collect()
}

fn fault(reader: &mut Reader<'_>, node: &Node) -> Option<FaultSpec> {
    let fields = reader.open(&FAULT, node)?;
    let on = fields
        .get("on")
        .map(|entry| condition(reader, entry))
        .unwrap_or_default();
    let (name, options) = action(reader, &fields.get("do")?.node)?;
    check_name(reader, &name);
    Some(FaultSpec {
        on,
        name,
        options,
        span: node.span.clone(),
    })
}

fn condition(reader: &mut Reader<'_>, entry: &Entry) -> Members {
    if !matches!(entry.node.value, Value::Table(_)) {
        reader.wrong_type("`on`", "a table", &entry.node);
    }
    members(entry.node.entries())
}

fn action(reader: &mut Reader<'_>, node: &Node) -> Option<(Located<String>, Members)> {
    match &node.value {
        Value::Text(name) => Some((Located::new(name.clone(), node.span.clone()), Vec::new())),
        Value::Table(entries) => {
            let Some(name) = node.get("name") else {
                let problem = reader.problem(Code::MissingKey, &node.span, "`do` has no `name`");
                reader.report(problem.label("it belongs here").help("add `name = …`: the fault"));
                return None;
            };
            let name = reader.text_of("`name`", &name.node)?;
            let options = entries
                .iter()
                .filter(|entry| entry.key != "name")
                .cloned()
                .collect::<Vec<_>>();
            Some((name, members(&options)))
        }
        _ => {
            reader.wrong_type("`do`", "a string or a table", node);
            None
        }
    }
}

fn members(entries: &[Entry]) -> Members {
    let members = entries.iter().map(|entry| {
        let key = Located::new(entry.key.clone(), entry.key_span.clone());
        (key, entry.node.to_json())
    });
    members.collect()
}

fn check_name(reader: &mut Reader<'_>, name: &Located<String>) {
    if reader.vocabulary.faults.has(&name.value) {
        return;
    }
    let known: Vec<&str> = reader
        .vocabulary
        .faults
        .list()
        .iter()
        .map(String::as_str)
        .collect();
    let help = if known.is_empty() {
        "this version has no faults yet".to_owned()
    } else {
        hint(&name.value, &known, "the faults are")
    };
    let problem = reader.problem(
        Code::UnknownFault,
        &name.span,
        format!("there is no fault `{}`", name.value),
    );
    reader.report(problem.label("no such fault").help(help));
}
