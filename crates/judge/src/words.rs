//! Keys of what an item says, by which a rebuilt item is known again.

use holdover_wire::item::{ItemKind, ItemView};
use serde_json::json;

use crate::hash::Hash;

/// The key of a visible text: without space around it, because clients trim.
pub(crate) fn text_key(text: &str) -> Hash {
    Hash::of(text.trim().as_bytes())
}

/// The key of an item's words: the text of a message, name and arguments of a call, the summary of reasoning. `None`
/// where there are none, and for other items.
pub(crate) fn key(view: ItemView<'_>) -> Option<Hash> {
    match view.kind() {
        ItemKind::Message => {
            let text = view.text();
            (!text.trim().is_empty()).then(|| text_key(&text))
        }
        ItemKind::FunctionCall | ItemKind::CustomToolCall => {
            let object = view.object();
            let input = object.get("arguments").or_else(|| object.get("input"));
            Some(Hash::of_json(&json!(["call", view.name(), input])))
        }
        ItemKind::Reasoning => {
            let summary: Vec<&str> = view.summary_texts().collect();
            (!summary.is_empty()).then(|| Hash::of_json(&json!(["summary", summary])))
        }
        _ => None,
    }
}
