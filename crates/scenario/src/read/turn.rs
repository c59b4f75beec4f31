//! `[[turn]]`.

use super::expect;
use super::fields::{Fields, Reader};
use super::json;
use super::reply::{self, ScriptedCall};
use crate::keys::TURN;
use crate::problem::{Code, Located};
use crate::spec::{PastedMethod, PastedRequest, ToolOutput, Turn};
use crate::tree::{Node, Value};

/// Each turn carries all before it, so that playing them costs their square.
const TURNS_MAX: u32 = 1000;

/// The turns, and the calls that their replies make.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) turns: Vec<Turn>,
    pub(crate) calls: Vec<MadeCall>,
}

/// A scripted call and the turn whose reply makes it.
pub(crate) struct MadeCall {
    pub(crate) turn: u32,
    pub(crate) call: ScriptedCall,
}

pub(crate) fn read(reader: &mut Reader<'_>, root: &Fields<'_>) -> Script {
    let mut script = Script::default();
    for (number, node) in (1..).zip(reader.tables(root, "turn")) {
        if number > TURNS_MAX {
            let message = format!("turn {number} is one too many: a scenario has at most {TURNS_MAX}");
            let problem = reader.problem(Code::TooManyTurns, &node.span, message);
            reader.report(
                problem
                    .label("the first too many")
                    .help("split it into several files"),
            );
            break;
        }
        turn(reader, number, node, &mut script);
    }
    script
}

fn turn(reader: &mut Reader<'_>, number: u32, node: &Node, script: &mut Script) {
    let Some(fields) = reader.open(&TURN, node) else {
        return;
    };
    let user = reader.plain(&fields, "user");
    let effort = reader.plain(&fields, "effort");
    let profile = reader.name(&fields, "profile");
    let tool_outputs = outputs(reader, &fields);
    let request = request(reader, &fields);
    let scripted = fields
        .get("reply")
        .and_then(|entry| reply::read(reader, &entry.node));
    let expect = expect::of_turn(reader, &fields);
    let reply = scripted.map(|scripted| {
        let made = scripted
            .calls
            .into_iter()
            .map(|call| MadeCall { turn: number, call });
        script.calls.extend(made);
        scripted.reply
    });
    script.turns.push(Turn {
        number,
        user,
        effort,
        profile,
        tool_outputs,
        request,
        reply,
        expect,
        span: node.span.clone(),
    });
}

fn request(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Option<PastedRequest> {
    let method = reader.word(fields, "method");
    let path = reader.plain(fields, "path");
    // That of the twin is read as its own; here only its form is looked at.
    body(reader, fields, "twin-request");
    let body = body(reader, fields, "request")?;
    Some(PastedRequest {
        method: method.map_or(PastedMethod::Post, |method| method.value),
        path: path.unwrap_or_else(|| "/v1/responses".to_owned()),
        body,
    })
}

fn body(reader: &mut Reader<'_>, fields: &Fields<'_>, key: &'static str) -> Option<serde_json::Value> {
    let node = &fields.get(key)?.node;
    match &node.value {
        Value::Text(_) => {
            let text = reader.text_of(key, node)?;
            json::parse(reader, &text)
        }
        Value::Table(_) => Some(node.to_json()),
        _ => {
            reader.wrong_type(&format!("`{key}`"), "a table or JSON in a string", node);
            None
        }
    }
}

fn outputs(reader: &mut Reader<'_>, fields: &Fields<'_>) -> Vec<ToolOutput> {
    let Some(entry) = fields.get("tool-output") else {
        return Vec::new();
    };
    let Value::Table(entries) = &entry.node.value else {
        reader.wrong_type("`tool-output`", "a table", &entry.node);
        return Vec::new();
    };
    if entries.is_empty() {
        let problem = reader.problem(
            Code::EmptyValue,
            &entry.node.span,
            "`tool-output` holds no output",
        );
        reader.report(
            problem
                .label("nothing here")
                .help("write `{ call_id = \"output\" }`"),
        );
    }
    let outputs = entries.iter().map(|entry| ToolOutput {
        key: Located::new(entry.key.clone(), entry.key_span.clone()),
        output: reply::as_text(&entry.node),
    });
    outputs.collect()
}
