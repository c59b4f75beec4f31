//! Items as who said what.

use holdover_wire::{Item, ItemKind, Wire};
use serde_json::Value;

use crate::peer::Peer;
use crate::wires::part::Origin;

/// One message of a talk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said<'a> {
    /// The user.
    User(String),
    /// Outputs of tools, as they follow one another.
    Outputs(Vec<&'a Item>),
    /// The model, over this very wire: items of one answer.
    Issued(Vec<&'a Item>),
    /// The model, elsewhere, or as the client remembers it: text, calls, and what it brought of reasoning.
    Told(Vec<&'a Item>),
}

/// What goes back of reasoning that another provider issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// Nothing: its new provider cannot read it.
    Dropped,
    /// Its payload, as if it were the new provider's own.
    Sent,
}

/// The items as messages for a peer.
pub(crate) fn talk<'a>(items: &'a [Item], peer: &Peer) -> Vec<Said<'a>> {
    let mut said: Vec<Said<'a>> = Vec::new();
    for item in items {
        match speaker(item) {
            Speaker::User => said.push(Said::User(item.text())),
            Speaker::Tool => match said.last_mut() {
                Some(Said::Outputs(outputs)) => outputs.push(item),
                _ => said.push(Said::Outputs(vec![item])),
            },
            Speaker::Model => match (issued_by(item, peer), said.last_mut()) {
                (Some(answer), Some(Said::Issued(list)))
                    if list.iter().all(|held| issued_by(held, peer) == Some(answer)) =>
                {
                    list.push(item);
                }
                (Some(_), _) => said.push(Said::Issued(vec![item])),
                (None, Some(Said::Told(list))) => list.push(item),
                (None, _) => said.push(Said::Told(vec![item])),
            },
        }
    }
    said
}

/// Who an item is of.
enum Speaker {
    User,
    Tool,
    Model,
}

fn speaker(item: &Item) -> Speaker {
    match item.kind() {
        ItemKind::Message if item.role() != Some("assistant") => Speaker::User,
        ItemKind::FunctionCallOutput | ItemKind::CustomToolCallOutput | ItemKind::OtherOutput => {
            Speaker::Tool
        }
        ItemKind::Message
        | ItemKind::Reasoning
        | ItemKind::FunctionCall
        | ItemKind::CustomToolCall
        | ItemKind::Compaction
        | ItemKind::CompactionTrigger
        | ItemKind::ItemReference
        | ItemKind::OtherCall
        | ItemKind::Unknown => Speaker::Model,
    }
}

/// The answer that an item was part of, where the peer can take it back as it came.
fn issued_by<'a>(item: &'a Item, peer: &Peer) -> Option<&'a str> {
    let origin = Origin::of(item)?;
    peer.reads_from(origin.profile()).then(|| origin.answer())
}

/// Reasoning of another provider, as text and payload.
pub(crate) struct Blob<'a> {
    /// What can be read of it.
    pub(crate) text: String,
    /// What only its issuer can read.
    pub(crate) payload: Option<&'a str>,
}

/// What a message of another provider holds.
pub(crate) struct Told<'a> {
    /// Reasoning that is sent all the same.
    pub(crate) blobs: Vec<Blob<'a>>,
    /// Visible text.
    pub(crate) text: String,
    /// Calls.
    pub(crate) calls: Vec<Call<'a>>,
}

/// A call of another provider.
pub(crate) struct Call<'a> {
    /// Its id.
    pub(crate) id: &'a str,
    /// Name of the tool.
    pub(crate) name: &'a str,
    /// Arguments as JSON text.
    pub(crate) arguments: String,
}

/// Reads the items of a [`Said::Told`].
pub(crate) fn told<'a>(items: &[&'a Item], foreign: Foreign) -> Told<'a> {
    let mut told = Told {
        blobs: Vec::new(),
        text: String::new(),
        calls: Vec::new(),
    };
    for item in items {
        match item.kind() {
            ItemKind::Message => told.text.push_str(&item.text()),
            ItemKind::FunctionCall | ItemKind::CustomToolCall => told.calls.push(call(item)),
            _ => {}
        }
        // A payload may stand beside a text or a call as well.
        let has_payload = item.encrypted_content().is_some();
        if foreign == Foreign::Sent && (has_payload || item.kind() == ItemKind::Reasoning) {
            told.blobs.push(Blob {
                text: item.view().summary_texts().collect::<Vec<_>>().join("\n"),
                payload: item.encrypted_content(),
            });
        }
    }
    told
}

fn call(item: &Item) -> Call<'_> {
    let text = |name: &str| item.object().get(name).and_then(Value::as_str);
    let input = text("input").map(|input| serde_json::json!({"input": input}).to_string());
    Call {
        id: item.call_id().unwrap_or_default(),
        name: item.view().name().unwrap_or_default(),
        arguments: text("arguments")
            .map(str::to_owned)
            .or(input)
            .unwrap_or_else(|| "{}".to_owned()),
    }
}

/// The name of the tool whose call an output answers.
pub(crate) fn tool_of<'a>(items: &'a [Item], output: &Item) -> &'a str {
    let calls = items.iter().filter(|item| item.kind().is_client_call());
    let mut same = calls.filter(|call| call.call_id() == output.call_id());
    same.next()
        .and_then(|call| call.view().name())
        .unwrap_or_default()
}

/// The text of an output.
pub(crate) fn output_text(item: &Item) -> String {
    match item.object().get("output") {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

/// A tool that the client declares, free of a wire.
pub(crate) struct Tool<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// What it is for.
    pub(crate) about: Option<&'a str>,
    /// JSON Schema of its arguments.
    pub(crate) parameters: Value,
}

/// The tools of the client that every wire has a word for: functions, and custom tools as functions of one text.
pub(crate) fn tools(tools: &[Value]) -> Vec<Tool<'_>> {
    let text = |tool: &'_ Value, name: &str| tool.get(name).and_then(Value::as_str).map(str::to_owned);
    let declared = tools.iter().filter_map(|tool| {
        let parameters = match text(tool, "type").as_deref() {
            Some("function") => tool
                .get("parameters")
                .filter(|schema| schema.is_object())
                .cloned(),
            Some("custom") => {
                Some(serde_json::json!({"type": "object", "properties": {"input": {"type": "string"}}}))
            }
            _ => return None,
        };
        Some(Tool {
            name: tool.get("name")?.as_str()?,
            about: tool.get("description").and_then(Value::as_str),
            parameters: parameters.unwrap_or_else(|| serde_json::json!({"type": "object", "properties": {}})),
        })
    });
    declared.collect()
}

/// Whether an item holds reasoning that the peer cannot read. Without a peer it is the Responses API.
pub(crate) fn is_foreign(item: &Item, peer: Option<&Peer>) -> bool {
    let is_reasoning = item.kind() == ItemKind::Reasoning || item.encrypted_content().is_some();
    let readable = match (Origin::of(item), peer) {
        (None, None) => true,
        (None, Some(peer)) => peer.wire() == Wire::Responses,
        (Some(_), None) => false,
        (Some(origin), Some(peer)) => peer.reads_from(origin.profile()),
    };
    is_reasoning && !readable
}
