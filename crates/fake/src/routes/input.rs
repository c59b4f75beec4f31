//! Items of an input as the server lists them: with an id, messages in their full form (`tests/facts/endpoints.md`, List
//! object).

use holdover_wire::Members as _;
use holdover_wire::item::{ItemView, id_prefix};
use holdover_wire::{CreateRequest, ItemKind, Object};
use serde_json::{Value, json};

use crate::fake::Job;
use crate::ids::{Place, Stem};
use crate::render::item::object;
use crate::validate::entries::Entry;

/// The listed form of a whole input.
pub(crate) fn listed(
    job: &Job<'_>,
    stem: &Stem,
    request: CreateRequest<'_>,
    entries: &[Entry<'_>],
) -> Vec<Object> {
    match request.input_text() {
        Some(text) => vec![user_message(job, stem, text)],
        None => listed_entries(job, stem, entries),
    }
}

fn user_message(job: &Job<'_>, stem: &Stem, text: &str) -> Object {
    let mut item = Object::new();
    item.insert("role".to_owned(), "user".into());
    item.insert("content".to_owned(), text.into());
    one(job, stem, 0, ItemView::new(&item))
}

/// The listed form of items.
pub(crate) fn listed_entries(job: &Job<'_>, stem: &Stem, entries: &[Entry<'_>]) -> Vec<Object> {
    let entries = (0_u32..).zip(entries);
    entries
        .map(|(index, entry)| one(job, stem, index, entry.item))
        .collect()
}

/// The listed form of one item.
pub(crate) fn one(job: &Job<'_>, stem: &Stem, index: u32, item: ItemView<'_>) -> Object {
    let new_id = || job.fake.ids.id(prefix(item), stem, Place::Input(index));
    let id = item.id().map_or_else(new_id, ToOwned::to_owned);
    if item.kind() == ItemKind::Message {
        return message(id, item);
    }
    let mut listed = object([("id", id.into())]);
    let rest = item.object().iter().filter(|(name, _)| *name != "id");
    listed.extend(rest.map(|(name, value)| (name.clone(), value.clone())));
    listed
}

/// Key order `id, type, status, content, phase?, role`.
fn message(id: String, item: ItemView<'_>) -> Object {
    let role = item.role().unwrap_or("user");
    let kind = if role == "assistant" {
        "output_text"
    } else {
        "input_text"
    };
    let content = match item.object().member("content") {
        Some(Value::String(text)) => json!([{"type": kind, "text": text}]),
        Some(content) => content.clone(),
        None => json!([]),
    };
    let mut listed = object([
        ("id", id.into()),
        ("type", "message".into()),
        ("status", "completed".into()),
        ("content", content),
    ]);
    if let Some(phase) = item.phase() {
        listed.insert("phase".to_owned(), phase.into());
    }
    listed.insert("role".to_owned(), role.into());
    listed
}

fn prefix(item: ItemView<'_>) -> &'static str {
    match item.kind() {
        ItemKind::Message => "msg",
        // Both (unsure), `tests/facts/items.md`, Ids.
        ItemKind::FunctionCallOutput => "fco",
        ItemKind::CustomToolCallOutput => "ctco",
        _ => item.type_name().and_then(id_prefix).unwrap_or("item"),
    }
}
