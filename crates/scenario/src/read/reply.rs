//! `reply = […]`: what the model says, part by part.

use holdover_wire::{Item, ItemKind, Reply, ReplyEnd, ReplyPart};

use super::fields::Reader;
use super::{json, tool};
use crate::problem::{Code, Located, Span};
use crate::suggest::hint;
use crate::tree::{Entry, Node, Value};

/// Words that stand for a whole part.
const WORDS: &[&str] = &["reasoning", "message"];
/// Keys of a part that is a table.
const PARTS: &[&str] = &[
    "reasoning",
    "message",
    "call",
    "custom-call",
    "refusal",
    "item",
    "end",
];

/// A call that a reply makes, and where.
#[derive(Clone, Debug)]
pub(crate) struct ScriptedCall {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// The id where there is one, else the name.
    pub(crate) span: Span,
    /// The function as a request declares it; `None` for a call that no function answers.
    pub(crate) tool: Option<serde_json::Value>,
}

/// The reply and its calls.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) reply: Reply,
    pub(crate) calls: Vec<ScriptedCall>,
}

/// Reads the list of parts.
pub(crate) fn read(reader: &mut Reader<'_>, node: &Node) -> Option<Scripted> {
    let Value::List(nodes) = &node.value else {
        reader.wrong_type("`reply`", "a list", node);
        return None;
    };
    if nodes.is_empty() {
        let problem = reader.problem(Code::EmptyValue, &node.span, "`reply` has no parts");
        reader.report(
            problem
                .label("nothing here")
                .help("leave `reply` out for the default reply"),
        );
    }
    let mut scripted = Scripted::default();
    for node in nodes {
        if let Some(ReplyPart::End(_)) = scripted.reply.parts.last() {
            after_the_end(reader, node);
        }
        if let Some(part) = part(reader, node, &mut scripted.calls) {
            scripted.reply.parts.push(part);
        }
    }
    Some(scripted)
}

fn after_the_end(reader: &mut Reader<'_>, node: &Node) {
    let problem = reader.problem(
        Code::SettingsClash,
        &node.span,
        "a part stands after the end of its reply",
    );
    reader.report(
        problem
            .label("it is never said")
            .help("write `end` as the last part"),
    );
}

fn part(reader: &mut Reader<'_>, node: &Node, calls: &mut Vec<ScriptedCall>) -> Option<ReplyPart> {
    match &node.value {
        Value::Text(word) => match word.as_str() {
            "reasoning" => Some(ReplyPart::Reasoning { summary: None }),
            "message" => Some(ReplyPart::Message {
                text: None,
                phase: None,
            }),
            _ => {
                let problem = reader.problem(
                    Code::UnknownWord,
                    &node.span,
                    format!("a reply has no part `{word}`"),
                );
                let help = format!(
                    "{}; a text is `{{ message = \"…\" }}`",
                    hint(word, WORDS, "the words are")
                );
                reader.report(problem.label("no such part").help(help));
                None
            }
        },
        Value::Table(entries) => table_part(reader, node, entries, calls),
        _ => {
            reader.wrong_type("a part of `reply`", "a string or a table", node);
            None
        }
    }
}

fn table_part(
    reader: &mut Reader<'_>,
    node: &Node,
    entries: &[Entry],
    calls: &mut Vec<ScriptedCall>,
) -> Option<ReplyPart> {
    let [entry] = entries else {
        let message = format!("a part of `reply` has one key, not {}", entries.len());
        let problem = reader.problem(Code::WrongType, &node.span, message);
        reader.report(
            problem
                .label("one part, one key")
                .help("write each part as a table of its own"),
        );
        return None;
    };
    match entry.key.as_str() {
        "reasoning" => reasoning(reader, &entry.node),
        "message" => message(reader, &entry.node),
        "call" => call(reader, &entry.node, calls),
        "custom-call" => custom_call(reader, &entry.node, calls),
        "end" => end(reader, &entry.node),
        "refusal" => reader
            .text_of("`refusal`", &entry.node)
            .map(|text| ReplyPart::Refusal(text.value)),
        "item" => item(reader, &entry.node, calls),
        key => {
            let problem = reader.problem(
                Code::UnknownKey,
                &entry.key_span,
                format!("a reply has no part `{key}`"),
            );
            reader.report(
                problem
                    .label("no such part")
                    .help(hint(key, PARTS, "the parts are")),
            );
            None
        }
    }
}

/// The members of a part, each under a known key.
fn members<'t>(reader: &mut Reader<'_>, part: &str, known: &[&str], node: &'t Node) -> Option<&'t [Entry]> {
    let Value::Table(entries) = &node.value else {
        reader.wrong_type(&format!("`{part}`"), "a table", node);
        return None;
    };
    for entry in entries
        .iter()
        .filter(|entry| !known.contains(&entry.key.as_str()))
    {
        let message = format!("`{part}` has no key `{}`", entry.key);
        let problem = reader.problem(Code::UnknownKey, &entry.key_span, message);
        reader.report(
            problem
                .label("no such key")
                .help(hint(&entry.key, known, "the keys are")),
        );
    }
    Some(entries)
}

fn member<'t>(entries: &'t [Entry], key: &str) -> Option<&'t Node> {
    entries
        .iter()
        .find(|entry| entry.key == key)
        .map(|entry| &entry.node)
}

fn reasoning(reader: &mut Reader<'_>, node: &Node) -> Option<ReplyPart> {
    let entries = members(reader, "reasoning", &["summary"], node)?;
    let summary = match member(entries, "summary") {
        None => None,
        Some(node) => {
            let Value::List(texts) = &node.value else {
                reader.wrong_type("`summary`", "a list of strings", node);
                return None;
            };
            let texts = texts.iter().filter_map(|node| reader.text_of("`summary`", node));
            Some(texts.map(|text| text.value).collect())
        }
    };
    Some(ReplyPart::Reasoning { summary })
}

fn message(reader: &mut Reader<'_>, node: &Node) -> Option<ReplyPart> {
    if let Value::Text(text) = &node.value {
        return Some(ReplyPart::Message {
            text: Some(text.clone()),
            phase: None,
        });
    }
    if !matches!(node.value, Value::Table(_)) {
        reader.wrong_type("`message`", "a string or a table", node);
        return None;
    }
    let entries = members(reader, "message", &["text", "phase"], node)?;
    let text = member(entries, "text").and_then(|node| reader.text_of("`text`", node));
    let phase = member(entries, "phase").and_then(|node| reader.text_of("`phase`", node));
    let phases = ["commentary", "final_answer"];
    if let Some(phase) = phase
        .as_ref()
        .filter(|phase| !phases.contains(&phase.value.as_str()))
    {
        reader.unknown_word("`phase`", &phase.value, &phases, &phase.span);
    }
    Some(ReplyPart::Message {
        text: text.map(|text| text.value),
        phase: phase.map(|phase| phase.value),
    })
}

fn call(reader: &mut Reader<'_>, node: &Node, calls: &mut Vec<ScriptedCall>) -> Option<ReplyPart> {
    let entries = members(reader, "call", &["id", "name", "arguments"], node)?;
    let id = member(entries, "id").and_then(|node| reader.text_of("`id`", node));
    let arguments = member(entries, "arguments").map(as_text);
    let name = tool_name(reader, "call", node, entries)?;
    let tool = tool::of_call(&name.value, arguments.as_deref());
    calls.push(made(id.as_ref(), &name, tool));
    Some(ReplyPart::Call {
        id: id.map(|id| id.value),
        name: name.value,
        arguments,
    })
}

fn custom_call(reader: &mut Reader<'_>, node: &Node, calls: &mut Vec<ScriptedCall>) -> Option<ReplyPart> {
    let entries = members(reader, "custom-call", &["id", "name", "input"], node)?;
    let id = member(entries, "id").and_then(|node| reader.text_of("`id`", node));
    let input = member(entries, "input").and_then(|node| reader.text_of("`input`", node));
    let name = tool_name(reader, "custom-call", node, entries)?;
    calls.push(made(id.as_ref(), &name, tool::custom(&name.value)));
    Some(ReplyPart::CustomCall {
        id: id.map(|id| id.value),
        name: name.value,
        input: input.map(|input| input.value),
    })
}

/// `name` of a call, which each must have.
fn tool_name(reader: &mut Reader<'_>, part: &str, node: &Node, entries: &[Entry]) -> Option<Located<String>> {
    let Some(name) = member(entries, "name") else {
        let message = format!("`{part}` has no `name`");
        let problem = reader.problem(Code::MissingKey, &node.span, message);
        reader.report(
            problem
                .label("it belongs here")
                .help("add `name = …`: the function"),
        );
        return None;
    };
    reader.text_of("`name`", name)
}

fn made(id: Option<&Located<String>>, name: &Located<String>, tool: serde_json::Value) -> ScriptedCall {
    ScriptedCall {
        id: id.map(|id| id.value.clone()),
        span: id.map_or_else(|| name.span.clone(), |id| id.span.clone()),
        tool: Some(tool),
        name: name.value.clone(),
    }
}

/// `{ incomplete = "max_output_tokens" }`, or `{ failed = "server_error", message = "…" }`.
fn end(reader: &mut Reader<'_>, node: &Node) -> Option<ReplyPart> {
    let entries = members(reader, "end", &["incomplete", "failed", "message"], node)?;
    let mut text = |key: &str| {
        let node = member(entries, key)?;
        reader.text_of(&format!("`{key}`"), node)
    };
    let (incomplete, failed, message) = (text("incomplete"), text("failed"), text("message"));
    match (incomplete, failed, message) {
        (Some(reason), None, None) => Some(ReplyPart::End(ReplyEnd::Incomplete { reason: reason.value })),
        (None, Some(code), message) => Some(ReplyPart::End(ReplyEnd::Failed {
            code: code.value,
            message: message.map(|message| message.value),
        })),
        _ => {
            let problem = reader.problem(Code::SettingsClash, &node.span, "`end` says no one way to end");
            let help = "write `{ incomplete = \"max_output_tokens\" }`, or `{ failed = \"server_error\" }` with or without a `message`";
            reader.report(problem.label("one of two").help(help));
            None
        }
    }
}

/// A string as it is, anything else as compact JSON.
pub(crate) fn as_text(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        _ => node.to_json().to_string(),
    }
}

fn item(reader: &mut Reader<'_>, node: &Node, calls: &mut Vec<ScriptedCall>) -> Option<ReplyPart> {
    let value = match &node.value {
        Value::Text(_) => {
            let pasted = reader.text_of("`item`", node)?;
            json::parse(reader, &pasted)?
        }
        _ => node.to_json(),
    };
    let Some(item) = Item::from_value(&value) else {
        let problem = reader.problem(Code::BadJson, &node.span, "`item` is no JSON object");
        reader.report(
            problem
                .label("an item is an object")
                .help("paste one item as `'''{\"type\": …}'''`"),
        );
        return None;
    };
    if item.kind().is_client_call() {
        let name = item.view().name().unwrap_or_default();
        let arguments = item.object().get("arguments").and_then(serde_json::Value::as_str);
        let is_function = item.kind() == ItemKind::FunctionCall;
        calls.push(ScriptedCall {
            id: item.call_id().map(str::to_owned),
            name: name.to_owned(),
            span: node.span.clone(),
            tool: is_function.then(|| tool::of_call(name, arguments)),
        });
    }
    Some(ReplyPart::Item(item))
}
