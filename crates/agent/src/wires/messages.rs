//! Anthropic Messages (`tests/facts/providers.md` section 1).

use holdover_wire::{Item, Wire};
use serde_json::{Value, json};

use super::part;
use super::talk::{Foreign, Said, Told, output_text, told, tools};

/// Tokens of an answer; more than the thinking of [`crate::Peer`] takes.
pub(super) const TOKENS_MAX: u64 = 4096;

/// The messages of a history.
pub(super) fn messages(said: &[Said<'_>], foreign: Foreign) -> Vec<Value> {
    let each = said.iter().filter_map(|said| match said {
        Said::User(text) => Some(json!({"role": "user", "content": text})),
        Said::Outputs(outputs) => {
            let results: Vec<Value> = outputs.iter().map(|item| result(item)).collect();
            Some(json!({"role": "user", "content": results}))
        }
        Said::Issued(items) => {
            let message = part::message(Wire::AnthropicMessages, items)?;
            // What an answer says of itself is no member of a message.
            let content = message.get("content")?;
            Some(json!({"role": "assistant", "content": content}))
        }
        Said::Told(items) => retold(&told(items, foreign)),
    });
    each.collect()
}

/// The tools of a request.
pub(super) fn declared(list: &[Value]) -> Option<Value> {
    let declared: Vec<Value> = tools(list)
        .into_iter()
        .map(|tool| {
            let mut one = json!({"name": tool.name, "input_schema": tool.parameters});
            if let Some(about) = tool.about {
                one["description"] = about.into();
            }
            one
        })
        .collect();
    (!declared.is_empty()).then(|| declared.into())
}

fn result(item: &Item) -> Value {
    json!({"type": "tool_result", "tool_use_id": item.call_id(), "content": output_text(item)})
}

fn retold(told: &Told<'_>) -> Option<Value> {
    let thinking = told.blobs.iter().map(
        |blob| json!({"type": "thinking", "thinking": blob.text, "signature": blob.payload.unwrap_or_default()}),
    );
    let text = (!told.text.is_empty()).then(|| json!({"type": "text", "text": told.text}));
    let calls = told.calls.iter().map(|call| {
        let input: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    });
    let content: Vec<Value> = thinking.chain(text).chain(calls).collect();
    (!content.is_empty()).then(|| json!({"role": "assistant", "content": content}))
}
