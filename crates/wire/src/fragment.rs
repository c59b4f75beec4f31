//! `frag_hash`: the hash of the reasoning that a request carries.

use sha2::{Digest, Sha256};

use crate::item::{ItemKind, ItemView};
use crate::request::CreateRequest;

/// SHA-256, in lower-case hex, of the reasoning items of a request's input: in order, members in wire order, compact
/// JSON, as one JSON array. `None` when the input holds no reasoning item. Test vector below.
pub fn frag_hash(request: CreateRequest<'_>) -> Option<String> {
    let fragment: Vec<_> = reasoning(request).map(ItemView::object).collect();
    if fragment.is_empty() {
        return None;
    }
    let bytes = serde_json::to_vec(&fragment).ok()?;
    Some(hex(&Sha256::digest(bytes)))
}

/// Whether the reasoning items of a request's input have ids: `None` when there is no such item, `Some(true)` when at
/// least one has.
pub fn ids_present(request: CreateRequest<'_>) -> Option<bool> {
    let mut items = reasoning(request).peekable();
    items.peek()?;
    Some(items.any(|item| item.id().is_some()))
}

fn reasoning(request: CreateRequest<'_>) -> impl Iterator<Item = ItemView<'_>> {
    request
        .items()
        .map(|(_, item)| item)
        .filter(|item| item.kind() == ItemKind::Reasoning)
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hash(input: &serde_json::Value) -> Option<String> {
        let body = json!({"input": input});
        frag_hash(CreateRequest::new(body.as_object().expect("object")))
    }

    #[test]
    fn the_test_vector_of_the_repository() {
        // printf '[{"id":"rs_1","type":"reasoning","summary":[]}]' | sha256sum
        let input =
            json!([{"role": "user", "content": "x"}, {"id": "rs_1", "type": "reasoning", "summary": []}]);
        let expected = "5ea18b8be77dd9fbfaf5855519d9e23028de733613698a7bafc11162a249711c";
        assert_eq!(hash(&input).as_deref(), Some(expected));
    }

    #[test]
    fn the_order_of_members_and_the_id_count() {
        let with_id = json!([{"id": "rs_1", "type": "reasoning", "summary": []}]);
        let without = json!([{"type": "reasoning", "summary": []}]);
        let reordered = json!([{"type": "reasoning", "id": "rs_1", "summary": []}]);
        assert_ne!(hash(&with_id), hash(&without));
        assert_ne!(hash(&with_id), hash(&reordered));
        assert_eq!(hash(&json!("text")), None);
    }
}
