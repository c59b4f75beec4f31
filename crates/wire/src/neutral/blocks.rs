//! The message that the events of an Anthropic stream make together (`tests/facts/providers.md` section 15.2).

use serde_json::Value;

use crate::Object;
use crate::event::Event;

/// The message; `None` where none began.
pub(super) fn joined(events: &[Event]) -> Option<Object> {
    let mut message = None;
    let mut blocks: Vec<Value> = Vec::new();
    let mut inputs: Vec<String> = Vec::new();
    for event in events {
        let event = event.object();
        match event.get("type").and_then(Value::as_str) {
            Some("message_start") => message = event.get("message").and_then(Value::as_object).cloned(),
            Some("content_block_start") => {
                blocks.extend(event.get("content_block").cloned());
                inputs.push(String::new());
            }
            Some("content_block_delta") => {
                if let (Some(block), Some(input)) = (blocks.last_mut(), inputs.last_mut()) {
                    add(block, input, event.get("delta"));
                }
            }
            _ => {}
        }
    }
    let mut message = message?;
    for (block, input) in blocks.iter_mut().zip(&inputs) {
        if let (Value::Object(block), Ok(input)) = (block, serde_json::from_str::<Value>(input)) {
            block.insert("input".to_owned(), input);
        }
    }
    message.insert("content".to_owned(), Value::Array(blocks));
    Some(message)
}

/// Blocks come one after the other, so a delta is of the last one.
fn add(block: &mut Value, input: &mut String, delta: Option<&Value>) {
    let Some(Value::Object(delta)) = delta else { return };
    for (name, value) in delta {
        let Value::String(piece) = value else { continue };
        match (name.as_str(), block.get_mut(name)) {
            ("partial_json", _) => input.push_str(piece),
            ("text" | "thinking" | "signature", Some(Value::String(text))) => text.push_str(piece),
            ("signature" | "content", _) => {
                if let Value::Object(block) = block {
                    block.insert(name.clone(), piece.clone().into());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_become_the_message_that_a_client_keeps() {
        let events: Vec<Event> = [
            json!({"type": "message_start", "message": {"role": "assistant", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            json!({"type": "ping"}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let "}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "me"}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"a\""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ":1}"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "content_block_start", "index": 2, "content_block": {"type": "compaction", "content": null, "signature": ""}}),
            json!({"type": "content_block_delta", "index": 2, "delta": {"type": "compaction_delta", "content": "So far."}}),
            json!({"type": "content_block_delta", "index": 2, "delta": {"type": "signature_delta", "signature": "c"}}),
            json!({"type": "message_stop"}),
        ]
        .iter()
        .map(|event| Event::new(event.as_object().expect("an object").clone()))
        .collect();
        let message = joined(&events).map(Value::Object);
        let expected = json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "Let me", "signature": "s"},
            {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
            {"type": "compaction", "content": "So far.", "signature": "c"}]});
        assert_eq!(message, Some(expected));
        assert_eq!(joined(&events[1..]), None);
    }
}
