//! The message of the assistant in an answer, whether it came whole or in pieces.

use serde_json::Value;

use crate::Object;
use crate::event::Event;
use crate::neutral::{AssistantTurn, anthropic, bedrock, blocks, chat, gemini, interactions};
use crate::recording::ResponseRecord;
use crate::wires::Wire;

/// What the assistant said in an answer of a wire; `None` for a refusal, and for a wire that is not read yet.
pub fn answered(wire: Wire, response: &ResponseRecord) -> Option<AssistantTurn> {
    match wire {
        Wire::ChatCompletions => {
            let message = match (response.body.as_deref(), &response.events) {
                (Some(body), _) => body.pointer("/choices/0/message")?.as_object()?.clone(),
                (None, Some(events)) => joined(events)?,
                (None, None) => return None,
            };
            Some(chat::assistant(&message))
        }
        Wire::AnthropicMessages => {
            let message = match (response.body.as_deref(), &response.events) {
                (Some(body), _) => body
                    .as_object()
                    .filter(|body| body.contains_key("content"))?
                    .clone(),
                (None, Some(events)) => blocks::joined(events)?,
                (None, None) => return None,
            };
            Some(anthropic::assistant(&message))
        }
        Wire::GeminiGenerate => match (response.body.as_deref(), &response.events) {
            (Some(Value::Array(chunks)), _) => gemini::joined(chunks.iter()),
            (Some(body), _) => gemini::joined(std::iter::once(body)),
            (None, Some(events)) => gemini::joined(gemini::documents(events).iter()),
            (None, None) => None,
        },
        Wire::BedrockConverse => match (&response.body, &response.events) {
            (Some(body), _) => Some(bedrock::assistant(body.pointer("/output/message")?.as_object()?)),
            (None, Some(events)) => bedrock::joined(events),
            (None, None) => None,
        },
        Wire::GeminiInteractions => match (&response.body, &response.events) {
            (Some(body), _) => interactions::answered(body),
            (None, Some(events)) => interactions::joined(events),
            (None, None) => None,
        },
        Wire::Responses => None,
    }
}

/// The message that the chunks of a stream make together; `None` where there is no chunk.
fn joined(events: &[Event]) -> Option<Object> {
    let mut message = Object::new();
    let mut seen = false;
    for event in events {
        let choices = event.object().get("choices").and_then(Value::as_array);
        let Some(delta) = choices.and_then(|choices| choices.first()?.get("delta")?.as_object()) else {
            continue;
        };
        seen = true;
        for (name, value) in delta {
            add(&mut message, name, value);
        }
    }
    seen.then_some(message)
}

fn add(message: &mut Object, name: &str, value: &Value) {
    match (name, value) {
        ("role", _) => {
            message.insert(name.to_owned(), value.clone());
        }
        ("tool_calls", Value::Array(calls)) => merge(message, name, calls, CALL_TEXTS),
        ("reasoning_details", Value::Array(entries)) => merge(message, name, entries, DETAIL_TEXTS),
        ("content", Value::Array(chunks)) => chunks.iter().for_each(|chunk| add_chunk(message, chunk)),
        ("content", Value::String(piece)) if message.get("content").is_some_and(Value::is_array) => {
            add_chunk(message, &serde_json::json!({"type": "text", "text": piece}));
        }
        (_, Value::String(piece)) => match message.get_mut(name) {
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                message.insert(name.to_owned(), value.clone());
            }
        },
        (_, value) => {
            message.entry(name.to_owned()).or_insert_with(|| value.clone());
        }
    }
}

/// Texts of a call that come in pieces.
const CALL_TEXTS: &[&str] = &["/function/arguments"];
/// Texts of an entry of `reasoning_details` that come in pieces.
const DETAIL_TEXTS: &[&str] = &["/text", "/summary", "/data", "/signature"];

/// Entries of one `index` are one; one without is a whole.
fn merge(message: &mut Object, name: &str, pieces: &[Value], texts: &[&str]) {
    if !message.get(name).is_some_and(Value::is_array) {
        message.insert(name.to_owned(), Value::Array(Vec::new()));
    }
    let Some(Value::Array(list)) = message.get_mut(name) else {
        return;
    };
    for piece in pieces {
        let index = piece.get("index").filter(|index| index.is_number());
        let held = index.and_then(|index| list.iter_mut().find(|held| held.get("index") == Some(index)));
        let Some(held) = held else {
            list.push(piece.clone());
            continue;
        };
        for text in texts {
            if let Some(Value::String(more)) = piece.pointer(text) {
                put(held, text, more);
            }
        }
    }
}

fn put(held: &mut Value, pointer: &str, more: &str) {
    match held.pointer_mut(pointer) {
        Some(Value::String(text)) => text.push_str(more),
        Some(place) => *place = more.into(),
        None => {
            let name = pointer.trim_start_matches('/');
            if let (Value::Object(held), false) = (held, name.contains('/')) {
                held.insert(name.to_owned(), more.into());
            }
        }
    }
}

/// Chunks of a content list: pieces of one type that follow each other are one.
fn add_chunk(message: &mut Object, chunk: &Value) {
    if !message.get("content").is_some_and(Value::is_array) {
        message.insert("content".to_owned(), Value::Array(Vec::new()));
    }
    let Some(Value::Array(list)) = message.get_mut("content") else {
        return;
    };
    let same = list
        .last_mut()
        .filter(|last| last.get("type") == chunk.get("type"));
    let Some(held) = same else {
        list.push(chunk.clone());
        return;
    };
    for pointer in ["/text", "/thinking/0/text"] {
        if let Some(Value::String(more)) = chunk.pointer(pointer) {
            put(held, pointer, more);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(deltas: &[Value]) -> Value {
        let events: Vec<Event> = deltas
            .iter()
            .map(|delta| {
                let chunk = json!({"choices": [{"index": 0, "delta": delta}]});
                Event::new(chunk.as_object().expect("an object").clone())
            })
            .collect();
        let response = ResponseRecord {
            events: Some(events),
            ..ResponseRecord::default()
        };
        let turn = answered(Wire::ChatCompletions, &response).expect("a message");
        Value::Object(turn.value())
    }

    /// The chunks of `tests/facts/providers.md` section 15.1.
    #[test]
    fn pieces_become_the_message_that_a_client_keeps() {
        let joined = message(&[
            json!({"role": "assistant", "content": null, "reasoning_content": ""}),
            json!({"content": null, "reasoning_content": "Let me"}),
            json!({"content": null, "reasoning_content": " look"}),
            json!({"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"a\":"}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}),
            json!({"content": "", "reasoning_content": null}),
        ]);
        let expected = json!({"role": "assistant", "content": "", "reasoning_content": "Let me look", "tool_calls": [
            {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}}]});
        assert_eq!(joined, expected);
    }

    #[test]
    fn a_signature_may_come_after_its_text() {
        let joined = message(&[
            json!({"reasoning_details": [{"type": "reasoning.text", "text": "a", "signature": null, "index": 0}]}),
            json!({"reasoning_details": [{"type": "reasoning.text", "text": "b", "signature": null, "index": 0}]}),
            json!({"reasoning_details": [{"type": "reasoning.text", "text": "", "signature": "s", "index": 0}]}),
        ]);
        assert_eq!(
            joined["reasoning_details"],
            json!([{"type": "reasoning.text", "text": "ab", "signature": "s", "index": 0}])
        );
    }

    #[test]
    fn thinking_chunks_are_one_and_text_follows() {
        let thinking = |text: &str| json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]});
        let joined = message(&[
            thinking("a"),
            thinking("b"),
            json!({"content": "Hel"}),
            json!({"content": "lo"}),
        ]);
        let expected = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "ab"}]},
            {"type": "text", "text": "Hello"}]);
        assert_eq!(joined["content"], expected);
    }
}
