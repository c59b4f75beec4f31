//! Keys of what an item says, by which a rebuilt item is known again.

use holdover_wire::Members as _;
use holdover_wire::item::{ItemKind, ItemView};

use crate::hash::{Hash, Hasher};

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
            let input = object.member("arguments").or_else(|| object.member("input"));
            let mut hasher = Hasher::new("call");
            hasher.optional_text(view.name());
            hasher.optional(input);
            Some(hasher.finish())
        }
        ItemKind::Reasoning => {
            let mut summary = view.summary_texts().peekable();
            summary.peek()?;
            let mut hasher = Hasher::new("summary");
            summary.for_each(|text| hasher.text(text));
            Some(hasher.finish())
        }
        _ => None,
    }
}
