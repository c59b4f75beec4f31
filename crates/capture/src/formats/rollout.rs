//! Session files of the Codex command line: the items of a session in order. What was really sent is not in them, so
//! each request is rebuilt: everything before the items that the model said.

use std::io::BufRead;

use holdover_wire::item::{ItemKind, ItemView};
use holdover_wire::recording::{RequestRecord, ResponseRecord, Transport};
use holdover_wire::{Exchange, Object};
use serde_json::{Value, json};

use super::lines;
use crate::sink::{Sink, Unread};

/// Reads line after line.
pub(crate) fn read(reader: impl BufRead, sink: &mut dyn Sink) {
    let mut rollout = Rollout {
        sink,
        session: "default".to_owned(),
        model: String::new(),
        instructions: None,
        sent: Vec::new(),
        said: Vec::new(),
    };
    for (number, line) in lines::numbered(reader) {
        let place = format!("line {number}");
        match line.map(|line| (line.trim().is_empty(), serde_json::from_str::<Value>(&line))) {
            Ok((true, _)) => {}
            Ok((false, Ok(value))) => rollout.line(&value, &place),
            Ok((false, Err(error))) => rollout
                .sink
                .unread(Unread::new(place, format!("the line is no JSON: {error}"))),
            Err(error) => {
                rollout
                    .sink
                    .unread(Unread::new(place, format!("the file cannot be read on: {error}")));
                break;
            }
        }
    }
    rollout.tell();
    let waiting = rollout.sent.last().is_some_and(|item| !is_said(item));
    if waiting {
        rollout.exchange(None);
    }
}

struct Rollout<'a> {
    sink: &'a mut dyn Sink,
    session: String,
    model: String,
    instructions: Option<String>,
    /// The history so far.
    sent: Vec<Value>,
    /// What the model said since the last input.
    said: Vec<Value>,
}

impl Rollout<'_> {
    fn line(&mut self, line: &Value, place: &str) {
        let payload = line.get("payload").unwrap_or(line);
        match line.get("type").and_then(Value::as_str) {
            Some("session_meta") => self.begin(payload),
            Some("turn_context") => {
                if let Some(model) = payload.get("model").and_then(Value::as_str) {
                    model.clone_into(&mut self.model);
                }
            }
            Some("response_item") => self.item(payload),
            Some("compacted") => self.compacted(payload),
            Some("event_msg" | "event") => {}
            // The first release wrote items without a frame.
            Some(_) if line.get("payload").is_none() => self.item(line),
            Some(_) => {}
            None if payload.get("role").is_some() => self.item(payload),
            None if payload.get("id").is_some() => self.begin(payload),
            None => self
                .sink
                .unread(Unread::new(place, "neither an item nor a mark of the session")),
        }
    }

    fn begin(&mut self, meta: &Value) {
        self.tell();
        if !self.sent.is_empty() {
            self.sent.clear();
        }
        let id = meta.get("id").and_then(Value::as_str).unwrap_or("default");
        id.clone_into(&mut self.session);
        let instructions = meta
            .pointer("/base_instructions/text")
            .or_else(|| meta.get("instructions"));
        self.instructions = instructions.and_then(Value::as_str).map(str::to_owned);
        let why = "a rollout holds items, and the requests are rebuilt from them";
        self.sink.lossy(&self.session, why);
    }

    fn item(&mut self, item: &Value) {
        if is_said(item) {
            self.said.push(item.clone());
        } else {
            self.tell();
            self.sent.push(item.clone());
        }
    }

    fn compacted(&mut self, payload: &Value) {
        self.tell();
        let kept = payload.get("replacement_history").and_then(Value::as_array);
        self.sent = match (kept, payload.get("message")) {
            (Some(items), _) => items.clone(),
            (None, Some(message)) => vec![json!({"role": "user", "content": message})],
            (None, None) => return,
        };
    }

    fn tell(&mut self) {
        if self.said.is_empty() {
            return;
        }
        let said = std::mem::take(&mut self.said);
        self.exchange(Some(&said));
        self.sent.extend(said);
    }

    fn exchange(&mut self, said: Option<&[Value]>) {
        let mut body = Object::new();
        body.insert("model".to_owned(), self.model.as_str().into());
        if let Some(instructions) = &self.instructions {
            body.insert("instructions".to_owned(), instructions.as_str().into());
        }
        body.insert("store".to_owned(), false.into());
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
        body.insert("input".to_owned(), self.sent.clone().into());
        let request = RequestRecord {
            method: "POST".to_owned(),
            path: "/v1/responses".to_owned(),
            headers: Object::new(),
            body: Value::Object(body),
        };
        let response = said.map(|output| ResponseRecord {
            status: 200,
            body: Some(
                json!({"object": "response", "status": "completed", "model": self.model, "output": output})
                    .into(),
            ),
            ..ResponseRecord::default()
        });
        let exchange = Exchange {
            exchange: 0,
            transport: Transport::Json,
            at_ms: 0,
            request,
            response,
        };
        self.sink.exchange(&self.session, exchange);
    }
}

/// Whether the model says an item of this kind.
fn is_said(item: &Value) -> bool {
    let Some(view) = item.as_object().map(ItemView::new) else {
        return false;
    };
    match view.kind() {
        ItemKind::Message => view.role() == Some("assistant"),
        ItemKind::Reasoning
        | ItemKind::FunctionCall
        | ItemKind::CustomToolCall
        | ItemKind::OtherCall
        | ItemKind::Compaction => true,
        ItemKind::FunctionCallOutput
        | ItemKind::CustomToolCallOutput
        | ItemKind::CompactionTrigger
        | ItemKind::ItemReference
        | ItemKind::OtherOutput
        | ItemKind::Unknown => false,
    }
}
