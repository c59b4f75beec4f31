//! What the client remembers of a session: items as they came, or the messages it made of them.

use holdover_wire::{Item, ItemKind};
use serde::{Deserialize, Serialize};

use crate::chat::{ChatMessage, Content, ContentKind};
use crate::wires::part::Origin;

/// One element of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Entry {
    /// An item of the API.
    Item(Item),
    /// A message of `meai`.
    Message(ChatMessage),
}

impl Entry {
    /// Whether it holds a reasoning token.
    pub(crate) fn is_protected(&self) -> bool {
        match self {
            Self::Item(item) => {
                let may_hold = item.kind() == ItemKind::Reasoning || Origin::of(item).is_some();
                may_hold && item.encrypted_content().is_some()
            }
            Self::Message(message) => message.contents.iter().any(Content::is_protected),
        }
    }

    /// How many reasoning parts it holds.
    pub(crate) fn reasoning_parts(&self) -> usize {
        match self {
            Self::Item(item) => usize::from(item.kind() == ItemKind::Reasoning),
            Self::Message(message) => message
                .contents
                .iter()
                .filter(|content| matches!(content.kind, ContentKind::Reasoning { .. }))
                .count(),
        }
    }

    /// Changes every token it holds.
    pub(crate) fn map_tokens(&mut self, change: impl Fn(&str) -> String) {
        match self {
            Self::Item(item) => map_item_token(item, &change),
            Self::Message(message) => {
                for content in &mut message.contents {
                    if let ContentKind::Reasoning {
                        protected_data: Some(token),
                        ..
                    } = &mut content.kind
                    {
                        *token = change(token);
                    }
                    if let Some(raw) = &mut content.raw {
                        map_item_token(raw, &change);
                    }
                }
            }
        }
    }
}

fn map_item_token(item: &mut Item, change: &impl Fn(&str) -> String) {
    let changed = item.encrypted_content().map(change);
    if let Some(token) = changed {
        item.object_mut()
            .insert("encrypted_content".to_owned(), token.into());
    }
}

/// The items of a list as entries.
pub(crate) fn entries(items: Vec<Item>) -> Vec<Entry> {
    items.into_iter().map(Entry::Item).collect()
}
