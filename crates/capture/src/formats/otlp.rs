//! OpenTelemetry spans with GenAI attributes, as OTLP JSON: one document, or a document a line.
//!
//! Spans hold messages and not items: no ids, no tokens. What they prove by absence is nothing.

use std::io::BufRead;

use holdover_wire::recording::{RequestRecord, ResponseRecord, Transport};
use holdover_wire::{Exchange, Object};
use serde_json::{Value, json};

use super::lines;
use crate::sink::{Sink, Unread};

/// A span with what orders it.
struct Span {
    start: u64,
    session: String,
    exchange: Exchange,
}

/// Reads the spans of a file, and tells them in the order of their start.
pub(crate) fn read(reader: impl BufRead, sink: &mut dyn Sink) {
    let mut spans = Vec::new();
    let mut text = String::new();
    let mut began = 1;
    for (number, line) in lines::numbered(reader) {
        let Ok(line) = line else {
            sink.unread(Unread::new(
                format!("line {number}"),
                "the file cannot be read on",
            ));
            break;
        };
        if text.trim().is_empty() {
            began = number;
            text.clear();
        }
        text.push_str(&line);
        text.push('\n');
        if line.trim_end().ends_with('}')
            && let Ok(document) = serde_json::from_str::<Value>(&text)
        {
            collect(&document, &mut spans, sink);
            text.clear();
        }
    }
    if !text.trim().is_empty() {
        sink.unread(Unread::new(
            format!("line {began}"),
            "the JSON that begins here breaks off or is damaged",
        ));
    }
    spans.sort_by_key(|span| span.start);
    let mut sessions: Vec<String> = Vec::new();
    for mut span in spans {
        if !sessions.contains(&span.session) {
            sessions.push(span.session.clone());
            sink.lossy(&span.session, "spans hold messages, without ids and tokens");
        }
        span.exchange.at_ms = 0;
        sink.exchange(&span.session, span.exchange);
    }
}

fn collect(document: &Value, spans: &mut Vec<Span>, sink: &mut dyn Sink) {
    let list = |value: &Value, names: [&str; 2]| -> Vec<Value> {
        let found = names.iter().find_map(|name| value.get(*name)?.as_array());
        found.cloned().unwrap_or_default()
    };
    for resource in list(document, ["resourceSpans", "resource_spans"]) {
        for scope in list(&resource, ["scopeSpans", "scope_spans"]) {
            for span in list(&scope, ["spans", "spans"]) {
                match read_span(&span) {
                    Some(span) => spans.push(span),
                    None => sink.other("a span that is no call of a model"),
                }
            }
        }
    }
}

fn read_span(span: &Value) -> Option<Span> {
    let attributes = attributes(span.get("attributes")?);
    let text = |name: &str| attributes.get(name).and_then(Value::as_str);
    let operation = text("gen_ai.operation.name");
    let is_call = matches!(
        operation,
        Some("chat" | "generate_content" | "text_completion" | "responses")
    ) || (operation.is_none() && attributes.contains_key("gen_ai.request.model"))
        || text("openinference.span.kind") == Some("LLM");
    if !is_call {
        return None;
    }
    let (input, output) = (messages(&attributes, "input"), messages(&attributes, "output"));
    let mut body = Object::new();
    if let Some(model) = text("gen_ai.request.model").or(text("llm.model_name")) {
        body.insert("model".to_owned(), model.into());
    }
    if let Some(system) = attributes.get("gen_ai.system_instructions") {
        body.insert("instructions".to_owned(), joined(&decoded(system)).into());
    }
    body.insert("input".to_owned(), input.unwrap_or_default().into());
    let request = RequestRecord {
        method: "POST".to_owned(),
        path: "/v1/responses".to_owned(),
        headers: Object::new(),
        body: Value::Object(body),
    };
    let response = output.map(|output| {
        let mut body = json!({"object": "response", "status": "completed", "output": output});
        if let Some(id) = text("gen_ai.response.id") {
            body["id"] = id.into();
        }
        if let Some(model) = text("gen_ai.response.model") {
            body["model"] = model.into();
        }
        ResponseRecord {
            status: 200,
            body: Some(body.into()),
            ..ResponseRecord::default()
        }
    });
    let start = span
        .get("startTimeUnixNano")
        .or_else(|| span.get("start_time_unix_nano"));
    let start = start.and_then(|start| start.as_u64().or_else(|| start.as_str()?.parse().ok()));
    let session = text("gen_ai.conversation.id").or_else(|| span.get("traceId")?.as_str());
    Some(Span {
        start: start.unwrap_or(0),
        session: session.unwrap_or("default").to_owned(),
        exchange: Exchange {
            exchange: 0,
            transport: Transport::Json,
            at_ms: 0,
            request,
            response,
        },
    })
}

/// Attributes by name; a later one of the same name wins.
fn attributes(list: &Value) -> Object {
    let entries = list.as_array().into_iter().flatten();
    entries
        .filter_map(|entry| {
            Some((
                entry.get("key")?.as_str()?.to_owned(),
                any_value(entry.get("value")?),
            ))
        })
        .collect()
}

fn any_value(value: &Value) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|object| object.iter().next()) else {
        return Value::Null;
    };
    match kind.as_str() {
        "intValue" | "int_value" => match inner {
            Value::String(text) => text.parse::<i64>().map_or(Value::Null, Value::from),
            inner => inner.clone(),
        },
        "arrayValue" | "array_value" => {
            let values = inner
                .get("values")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            values.map(any_value).collect()
        }
        "kvlistValue" | "kvlist_value" => {
            Value::Object(attributes(inner.get("values").unwrap_or(&Value::Null)))
        }
        _ => inner.clone(),
    }
}

/// JSON in a string is what is meant.
fn decoded(value: &Value) -> Value {
    match value {
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        value => value.clone(),
    }
}

/// The items of one side: messages of the conventions, or a whole body where a tracer kept one.
fn messages(attributes: &Object, side: &str) -> Option<Vec<Value>> {
    let raw = attributes.get(&format!("{side}.value")).map(decoded);
    let (from_body, key) = match side {
        "input" => (
            raw.as_ref().and_then(|body| body.get("input")),
            "gen_ai.input.messages",
        ),
        _ => (
            raw.as_ref().and_then(|body| body.get("output")),
            "gen_ai.output.messages",
        ),
    };
    if let Some(Value::Array(items)) = from_body {
        return Some(items.clone());
    }
    let older = if side == "input" {
        "gen_ai.prompt"
    } else {
        "gen_ai.completion"
    };
    let messages = attributes
        .get(key)
        .or_else(|| attributes.get(older))
        .map(decoded)?;
    let messages = messages.as_array().cloned().unwrap_or_else(|| vec![messages]);
    Some(messages.iter().flat_map(items_of).collect())
}

/// One message of the conventions to the items that it stands for.
fn items_of(message: &Value) -> Vec<Value> {
    let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
    let Some(parts) = message.get("parts").and_then(Value::as_array) else {
        let content = message.get("content").map(joined).unwrap_or_default();
        return vec![json!({"type": "message", "role": role, "content": content})];
    };
    parts.iter().map(|part| item_of(role, part)).collect()
}

fn item_of(role: &str, part: &Value) -> Value {
    let text = |name: &str| part.get(name).map(joined).unwrap_or_default();
    match part.get("type").and_then(Value::as_str) {
        Some("tool_call") => json!({
            "type": "function_call", "call_id": text("id"), "name": text("name"), "arguments": text("arguments"),
        }),
        Some("tool_call_response") => {
            let output = part.get("response").or_else(|| part.get("result")).map(joined);
            json!({"type": "function_call_output", "call_id": text("id"), "output": output.unwrap_or_default()})
        }
        Some("reasoning" | "thinking") => {
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": text("content")}]})
        }
        _ if role == "assistant" => json!({
            "type": "message", "role": role, "status": "completed",
            "content": [{"type": "output_text", "text": text("content"), "annotations": []}],
        }),
        _ => json!({"type": "message", "role": role, "content": text("content")}),
    }
}

/// The text of a value: a string as it is, parts joined, anything else as JSON.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts
                .iter()
                .filter_map(|part| part.get("content").or_else(|| part.get("text"))?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        value => value.to_string(),
    }
}
