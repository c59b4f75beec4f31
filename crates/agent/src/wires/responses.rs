//! The Responses API, where a session came from another wire.

use holdover_wire::{Item, ItemKind};
use serde_json::Value;

use crate::peer::Peer;
use crate::wires::part::{Origin, without_origin};
use crate::wires::talk::{Foreign, is_foreign};

/// The input of a request: items that came over this API as they are, those of other wires in its words.
pub(crate) fn input(items: Vec<Item>, peer: Option<&Peer>, foreign: Foreign) -> Vec<Item> {
    items
        .into_iter()
        .filter_map(|item| translated(item, peer, foreign))
        .collect()
}

fn translated(item: Item, peer: Option<&Peer>, foreign: Foreign) -> Option<Item> {
    if Origin::of(&item).is_none() {
        return Some(item);
    }
    let is_strange = is_foreign(&item, peer);
    let kind = item.kind();
    let mut item = without_origin(item);
    match kind {
        ItemKind::Reasoning if is_strange && foreign == Foreign::Dropped => return None,
        ItemKind::Reasoning => {}
        // A part that this API has no word for, and a text that says nothing.
        ItemKind::Unknown => return None,
        ItemKind::Message if item.text().is_empty() => return None,
        _ => {
            item.object_mut().shift_remove("encrypted_content");
        }
    }
    if kind == ItemKind::Message && item.role() == Some("assistant") {
        let text = item.text();
        item.object_mut()
            .insert("content".to_owned(), Value::String(text));
        item.object_mut().shift_remove("type");
    }
    Some(item)
}
