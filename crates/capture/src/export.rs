//! Recordings to the forms of other tools: what they hold of it, and nothing that was not there.

use std::fmt::Write as _;

use holdover_wire::item::ItemView;
use holdover_wire::recording::{ResponseRecord, Transport};
use holdover_wire::{Exchange, Object, Recording, sse};
use serde_json::{Value, json};

use crate::kind::Kind;
use crate::message::stamp_of;

/// Second of the first exchange in forms that have a clock.
const BEGAN_MS: u64 = 1_795_000_000_000;

/// A recording as a file of this kind; `None` for a folder, see [`folder`].
pub fn file(kind: Kind, recording: &Recording) -> Option<Vec<u8>> {
    let text = match kind {
        Kind::Recording => recording.to_lines(),
        Kind::Pairs => pairs(recording),
        Kind::Har => har(recording).to_string(),
        Kind::Flows => return Some(flows(recording)),
        Kind::Sse => return Some(transcript(recording)),
        Kind::Rollout => rollout(recording),
        Kind::PythonLog => python_log(recording),
        Kind::NodeLog => node_log(recording),
        Kind::Otlp => otlp(recording).to_string(),
        Kind::Folder => return None,
    };
    Some(text.into_bytes())
}

/// A recording as the files of a folder, by name.
pub fn folder(recording: &Recording) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for exchange in &recording.exchanges {
        let number = exchange.exchange;
        files.push((
            format!("{number:05}-a-request.json"),
            exchange.request.body.to_string().into_bytes(),
        ));
        if let Some(response) = &exchange.response {
            let ending = if response.events.is_some() { "sse" } else { "json" };
            files.push((format!("{number:05}-b-response.{ending}"), body(response)));
        }
    }
    files
}

/// The bytes of a response's body.
fn body(response: &ResponseRecord) -> Vec<u8> {
    let mut bytes = Vec::new();
    match (&response.body, &response.events) {
        (Some(body), _) => bytes = body.to_string().into_bytes(),
        (None, Some(events)) => events.iter().for_each(|event| sse::encode(event, &mut bytes)),
        (None, None) => {}
    }
    bytes
}

fn pairs(recording: &Recording) -> String {
    let line = |exchange: &Exchange| {
        let request = json!({"method": exchange.request.method, "path": exchange.request.path, "headers": exchange.request.headers, "body": exchange.request.body});
        let mut line =
            json!({"session": recording.header.session, "transport": exchange.transport, "request": request});
        if let Some(response) = &exchange.response {
            line["response"] = json!({"status": response.status, "headers": response.headers, "body": response.body, "events": response.events, "end": response.end});
        }
        format!("{line}\n")
    };
    recording.exchanges.iter().map(line).collect()
}

fn har(recording: &Recording) -> Value {
    let entries: Vec<Value> = recording
        .exchanges
        .iter()
        .map(|exchange| entry(exchange, &recording.header.session))
        .collect();
    json!({"log": {"version": "1.2", "creator": {"name": "holdover", "version": "1"}, "entries": entries}})
}

fn entry(exchange: &Exchange, session: &str) -> Value {
    let url = format!("https://api.openai.com/s/{session}{}", exchange.request.path);
    let started = stamp_of(BEGAN_MS + exchange.at_ms);
    let named = |headers: &Object| -> Vec<Value> {
        headers
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect()
    };
    let mut request =
        json!({"method": exchange.request.method, "url": url, "headers": named(&exchange.request.headers)});
    if exchange.transport == Transport::Ws {
        let events = exchange
            .response
            .iter()
            .flat_map(|response| response.events.iter().flatten());
        let mut frames =
            vec![json!({"type": "send", "opcode": 1, "data": exchange.request.body.to_string()})];
        frames.extend(events.map(|event| json!({"type": "receive", "opcode": 1, "data": Value::Object(event.object().clone()).to_string()})));
        return json!({"startedDateTime": started, "request": request, "_webSocketMessages": frames});
    }
    if !exchange.request.body.is_null() {
        let text = exchange.request.body.to_string();
        request["postData"] = json!({"mimeType": "application/json", "text": text});
    }
    let response = exchange.response.as_ref().map_or_else(
        // A browser that lost a body still has the line of status.
        || json!({"status": 200, "headers": [], "content": {"size": -1, "mimeType": "text/event-stream"}}),
        |response| {
            let kind = if response.events.is_some() { "text/event-stream" } else { "application/json" };
            let text = String::from_utf8_lossy(&body(response)).into_owned();
            json!({"status": response.status, "headers": named(&response.headers), "content": {"size": text.len(), "mimeType": kind, "text": text}})
        },
    );
    json!({"startedDateTime": started, "request": request, "response": response})
}

/// A tagged netstring.
fn tagged(payload: &[u8], tag: u8) -> Vec<u8> {
    let mut out = format!("{}:", payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out.push(tag);
    out
}

fn map(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let payload: Vec<u8> = entries
        .iter()
        .flat_map(|(key, value)| [tagged(key.as_bytes(), b';'), value.clone()].concat())
        .collect();
    tagged(&payload, b'}')
}

fn flow_headers(headers: &Object) -> Vec<u8> {
    let pair = |(name, value): (&String, &Value)| {
        let value = value.as_str().unwrap_or_default();
        let payload = [tagged(name.as_bytes(), b','), tagged(value.as_bytes(), b',')].concat();
        tagged(&payload, b']')
    };
    let payload: Vec<u8> = headers.iter().flat_map(pair).collect();
    tagged(&payload, b']')
}

fn flows(recording: &Recording) -> Vec<u8> {
    let session = &recording.header.session;
    recording
        .exchanges
        .iter()
        .flat_map(|exchange| flow(exchange, session))
        .collect()
}

fn flow(exchange: &Exchange, session: &str) -> Vec<u8> {
    let text = |text: &str| tagged(text.as_bytes(), b',');
    let millis = BEGAN_MS + exchange.at_ms;
    let seconds = format!("{}.{:03}", millis / 1000, millis % 1000);
    let content = match &exchange.request.body {
        Value::Null => Vec::new(),
        body => body.to_string().into_bytes(),
    };
    let request = map(&[
        ("method", text(&exchange.request.method)),
        ("path", text(&format!("/s/{session}{}", exchange.request.path))),
        ("headers", flow_headers(&exchange.request.headers)),
        ("content", tagged(&content, b',')),
        ("timestamp_start", tagged(seconds.as_bytes(), b'^')),
    ]);
    let mut entries = vec![("type", text("http")), ("request", request)];
    if exchange.transport == Transport::Ws {
        let frame = |from_client: &str, data: String| {
            let parts = [
                tagged(b"1", b'#'),
                tagged(from_client.as_bytes(), b'!'),
                tagged(data.as_bytes(), b','),
                tagged(b"0.0", b'^'),
            ];
            tagged(&parts.concat(), b']')
        };
        let events = exchange
            .response
            .iter()
            .flat_map(|response| response.events.iter().flatten());
        let mut frames = frame("true", exchange.request.body.to_string());
        events.for_each(|event| {
            frames.extend(frame("false", Value::Object(event.object().clone()).to_string()));
        });
        entries.push(("websocket", map(&[("messages", tagged(&frames, b']'))])));
    } else {
        let response = exchange.response.as_ref().map_or_else(
            || {
                map(&[
                    ("status_code", tagged(b"200", b'#')),
                    ("content", tagged(b"", b'~')),
                ])
            },
            |response| {
                let kept = body(response);
                map(&[
                    (
                        "status_code",
                        tagged(response.status.to_string().as_bytes(), b'#'),
                    ),
                    ("headers", flow_headers(&response.headers)),
                    ("content", tagged(&kept, b',')),
                ])
            },
        );
        entries.push(("response", response));
    }
    map(&entries)
}

fn transcript(recording: &Recording) -> Vec<u8> {
    let responses = recording
        .exchanges
        .iter()
        .filter_map(|exchange| exchange.response.as_ref());
    responses
        .filter(|response| response.events.is_some())
        .flat_map(body)
        .collect()
}

/// The items that are new in each request, and those of its answer.
fn rollout(recording: &Recording) -> String {
    let line = |kind: &str, payload: Value| {
        format!(
            "{}\n",
            json!({"timestamp": stamp_of(BEGAN_MS), "type": kind, "payload": payload})
        )
    };
    let mut text = line("session_meta", json!({"id": recording.header.session}));
    let mut told: Vec<Value> = Vec::new();
    for exchange in &recording.exchanges {
        let body = &exchange.request.body;
        text.push_str(&line("turn_context", json!({"model": body.get("model")})));
        let input = match body.get("input") {
            Some(Value::Array(items)) => items.clone(),
            Some(Value::String(words)) => vec![json!({"type": "message", "role": "user", "content": words})],
            _ => Vec::new(),
        };
        let output = exchange.response.as_ref().and_then(ResponseRecord::terminal);
        let output: Vec<Value> = output
            .map(|response| {
                response
                    .output()
                    .map(|(_, item)| Value::Object(item.object().clone()))
                    .collect()
            })
            .unwrap_or_default();
        for item in input.into_iter().chain(output) {
            let known = item
                .as_object()
                .map(ItemView::new)
                .and_then(ItemView::id)
                .is_some_and(|id| told.iter().any(|old| old["id"] == id));
            if !known && !told.contains(&item) {
                text.push_str(&line("response_item", item.clone()));
                told.push(item);
            }
        }
    }
    text
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!(
            "'{}'",
            text.replace('\\', "\\\\")
                .replace('\'', "\\'")
                .replace('\n', "\\n")
                .replace('\r', "\\r")
        ),
        Value::Array(values) => format!("[{}]", values.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(object) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", python(&name.as_str().into()), python(value))
            };
            format!("{{{}}}", object.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

fn python_log(recording: &Recording) -> String {
    let mut text = String::new();
    for exchange in recording
        .exchanges
        .iter()
        .filter(|exchange| exchange.transport != Transport::Ws)
    {
        let options = json!({"method": exchange.request.method.to_lowercase(), "url": exchange.request.path, "headers": exchange.request.headers, "files": null, "json_data": exchange.request.body});
        let _ = writeln!(
            text,
            "DEBUG:openai._base_client:Request options: {}",
            python(&options)
        );
        if let Some(response) = &exchange.response {
            let _ = writeln!(
                text,
                "DEBUG:openai._base_client:HTTP Response: POST https://api.openai.com{} \"{} \" Headers({{}})",
                exchange.request.path, response.status
            );
        }
    }
    text
}

fn node_log(recording: &Recording) -> String {
    let mut text = String::new();
    for exchange in recording
        .exchanges
        .iter()
        .filter(|exchange| exchange.transport != Transport::Ws)
    {
        let key = format!("log_{:06x}", exchange.exchange);
        let request = json!({"method": exchange.request.method.to_lowercase(), "url": format!("https://api.openai.com{}", exchange.request.path), "options": {"body": exchange.request.body}, "headers": exchange.request.headers});
        let _ = writeln!(text, "[{key}] sending request {request}");
        if let Some(body) = exchange
            .response
            .as_ref()
            .and_then(|response| response.body.as_ref())
        {
            let status = exchange.response.as_ref().map_or(200, |response| response.status);
            let _ = writeln!(
                text,
                "[{key}] response parsed {}",
                json!({"status": status, "body": body})
            );
        }
    }
    text
}

fn otlp(recording: &Recording) -> Value {
    let attribute = |name: &str, value: String| json!({"key": name, "value": {"stringValue": value}});
    let message = |item: &Value| {
        let view = item.as_object().map(ItemView::new);
        let role = view.and_then(ItemView::role).unwrap_or("assistant").to_owned();
        json!({"role": role, "parts": [{"type": "text", "content": view.map(ItemView::text).unwrap_or_default()}]})
    };
    let span = |exchange: &Exchange| {
        let body = &exchange.request.body;
        let input = match body.get("input") {
            Some(Value::Array(items)) => items.iter().map(message).collect(),
            Some(Value::String(text)) => {
                json!([{"role": "user", "parts": [{"type": "text", "content": text}]}])
            }
            _ => json!([]),
        };
        let response = exchange.response.as_ref().and_then(ResponseRecord::terminal);
        let output: Vec<Value> = response
            .map(|response| {
                response
                    .output()
                    .map(|(_, item)| message(&Value::Object(item.object().clone())))
                    .collect()
            })
            .unwrap_or_default();
        let attributes = json!([
            attribute("gen_ai.operation.name", "chat".to_owned()),
            attribute(
                "gen_ai.request.model",
                body.get("model")
                    .and_then(Value::as_str)
                    .unwrap_or_default()
                    .to_owned()
            ),
            attribute("gen_ai.conversation.id", recording.header.session.clone()),
            attribute("gen_ai.input.messages", input.to_string()),
            attribute("gen_ai.output.messages", Value::from(output).to_string()),
        ]);
        json!({"name": "chat", "startTimeUnixNano": (exchange.exchange * 1000).to_string(), "attributes": attributes})
    };
    let spans: Vec<Value> = recording.exchanges.iter().map(span).collect();
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
}
