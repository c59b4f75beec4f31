//! A script as the text of a scenario file.

use std::fmt::Write as _;

use holdover_scenario::PastedMethod;
use holdover_wire::ReplyPart;
use holdover_wire::reply::ReplyEnd;
use serde_json::Value;

use super::{Script, ScriptTurn};

impl Script {
    /// The file.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "name = {}", string(&self.name));
        if !self.about.is_empty() {
            let _ = writeln!(out, "about = {}", string(&self.about));
        }
        if !self.server.is_empty() {
            out.push_str("\n[server]\n");
            for (key, value) in &self.server {
                let _ = writeln!(out, "{key} = {}", inline(value));
            }
        }
        for turn in &self.turns {
            turn.write(&mut out);
        }
        for fault in &self.faults {
            let on = table(&fault.on);
            let does = if fault.options.is_empty() {
                string(&fault.name)
            } else {
                let mut members = vec![("name".to_owned(), Value::from(fault.name.as_str()))];
                members.extend(fault.options.iter().cloned());
                table(&members)
            };
            let _ = write!(out, "\n[[fault]]\non = {on}\ndo = {does}\n");
        }
        if let Some(findings) = &self.findings {
            let _ = write!(out, "\n[expect]\nfindings = {}\n", strings(findings));
        }
        out
    }
}

impl ScriptTurn {
    fn write(&self, out: &mut String) {
        out.push_str("\n[[turn]]\n");
        if self.method != PastedMethod::Post {
            let _ = writeln!(out, "method = {}", string(self.method.as_str()));
        }
        if self.path != "/v1/responses" {
            let _ = writeln!(out, "path = {}", string(&self.path));
        }
        let _ = writeln!(out, "request = {}", pasted(&body(&self.body)));
        if let Some(parts) = &self.reply {
            let parts: Vec<String> = parts.iter().map(part).collect();
            let _ = writeln!(out, "reply = [{}]", parts.join(", "));
        }
        let mut expect = Vec::new();
        if let Some(refusal) = &self.refusal {
            expect.push(format!("refusal = {}", string(refusal)));
        }
        if !self.findings.is_empty() {
            expect.push(format!("findings = {}", strings(&self.findings)));
        }
        if !expect.is_empty() {
            let _ = writeln!(out, "expect = {{ {} }}", expect.join(", "));
        }
    }
}

fn strings(values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| string(value)).collect();
    format!("[{}]", values.join(", "))
}

/// A basic string. Control characters that TOML does not take are escaped as JSON escapes them.
fn string(text: &str) -> String {
    let json = Value::from(text).to_string();
    // JSON leaves this one as it is, and TOML does not take it.
    json.replace('\u{7f}', "\\u007F")
}

/// JSON in a literal string where it can stand in one.
fn pasted(json: &str) -> String {
    let legal = |c: char| c == '\n' || c == '\t' || !c.is_control();
    if json.contains("'''") || json.ends_with('\'') || !json.chars().all(legal) {
        return string(json);
    }
    format!("'''\n{json}'''")
}

/// A body with an item a line.
fn body(value: &Value) -> String {
    let Some(object) = value.as_object() else {
        return value.to_string();
    };
    let members = object.iter().map(|(name, value)| {
        let value = match value {
            Value::Array(items) if name == "input" && !items.is_empty() => {
                let items: Vec<String> = items.iter().map(|item| format!("    {item}")).collect();
                format!("[\n{}\n  ]", items.join(",\n"))
            }
            value => value.to_string(),
        };
        format!("  {}: {value}", Value::from(name.as_str()))
    });
    format!("{{\n{}\n}}", members.collect::<Vec<_>>().join(",\n"))
}

fn part(part: &ReplyPart) -> String {
    match part {
        ReplyPart::Reasoning { summary: None } => string("reasoning"),
        ReplyPart::Reasoning {
            summary: Some(summary),
        } => {
            format!("{{ reasoning = {{ summary = {} }} }}", strings(summary))
        }
        // The format has no word for an end: a fault ends an answer.
        ReplyPart::Message { text: None, .. }
        | ReplyPart::End(ReplyEnd::Incomplete { .. } | ReplyEnd::Failed { .. }) => string("message"),
        ReplyPart::Message {
            text: Some(text),
            phase: None,
        } => format!("{{ message = {} }}", string(text)),
        ReplyPart::Message {
            text: Some(text),
            phase: Some(phase),
        } => format!(
            "{{ message = {{ text = {}, phase = {} }} }}",
            string(text),
            string(phase)
        ),
        ReplyPart::Call { id, name, arguments } => {
            let id = id
                .as_ref()
                .map(|id| format!("id = {}, ", string(id)))
                .unwrap_or_default();
            let arguments = arguments
                .as_ref()
                .map(|text| format!(", arguments = {}", string(text)));
            format!(
                "{{ call = {{ {id}name = {}{} }} }}",
                string(name),
                arguments.unwrap_or_default()
            )
        }
        ReplyPart::CustomCall { id, name, input } => {
            let mut item = serde_json::json!({"type": "custom_tool_call", "name": name, "input": input.as_deref().unwrap_or("")});
            if let Some(id) = id {
                item["call_id"] = id.as_str().into();
            }
            format!("{{ item = {} }}", string(&item.to_string()))
        }
        ReplyPart::Refusal(text) => format!("{{ refusal = {} }}", string(text)),
        ReplyPart::Item(item) => format!("{{ item = {} }}", string(&item.to_value().to_string())),
    }
}

fn table(members: &[(String, Value)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, value)| format!("{} = {}", bare(key), inline(value)))
        .collect();
    format!("{{ {} }}", members.join(", "))
}

fn bare(key: &str) -> String {
    let is_bare = !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if is_bare { key.to_owned() } else { string(key) }
}

/// A value in a line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(values) => format!("[{}]", values.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(object) => {
            let members: Vec<(String, Value)> = object
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect();
            table(&members)
        }
        // TOML has no null; no member of the format takes one.
        Value::Null => string(""),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
