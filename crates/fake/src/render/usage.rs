//! Token counts, with the real tokenizer over what the request and the answer hold.

use holdover_wire::Members as _;
use holdover_wire::item::ItemView;
use holdover_wire::text::{JsonText, Layout};
use holdover_wire::{ItemKind, Object};
use serde_json::Value;

use crate::tokens::count;

/// Tokens that frame one item.
const ITEM_TOKENS: u64 = 4;

/// Tokens that every request has around its items.
pub(crate) const REQUEST_TOKENS: u64 = 3;

/// Counts of one response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The whole context, also what state resolved.
    pub(crate) input: u64,
    /// Of those, what was read from the prompt cache.
    pub(crate) cached: u64,
    /// Of those, what was written to it.
    pub(crate) written: u64,
    /// What the model wrote, reasoning too.
    pub(crate) output: u64,
    /// Of those, reasoning.
    pub(crate) reasoning: u64,
}

impl Usage {
    /// Writes the object on the wire.
    pub(crate) fn write(self, text: &mut JsonText) {
        let put = |name: &'static str, number: u64, text: &mut JsonText| {
            text.name(name);
            text.number(number);
        };
        text.begin();
        put("input_tokens", self.input, text);
        text.name("input_tokens_details");
        text.begin();
        put("cache_write_tokens", self.written, text);
        put("cached_tokens", self.cached, text);
        text.end();
        put("output_tokens", self.output, text);
        text.name("output_tokens_details");
        text.begin();
        put("reasoning_tokens", self.reasoning, text);
        text.end();
        put("total_tokens", self.input + self.output, text);
        text.end();
    }

    /// The same as a value.
    pub(crate) fn object(self) -> Value {
        let mut text = JsonText::new(Layout::Compact, 256);
        self.write(&mut text);
        // It was written on the line before, so it parses.
        serde_json::from_slice(&text.finish()).unwrap_or_default()
    }
}

/// Tokens of a message that is one text.
pub(crate) fn message_tokens(text: &str) -> u64 {
    ITEM_TOKENS + u64::from(count(text))
}

/// Tokens of an item. Ids and tokens of reasoning are not counted, so no id policy changes the number (P13).
pub(crate) fn item_tokens(item: ItemView<'_>) -> u64 {
    let object = item.object();
    let counted = match item.kind() {
        ItemKind::Message => content_tokens(object.member("content")),
        ItemKind::Reasoning | ItemKind::Compaction => return 0,
        ItemKind::FunctionCall => text_tokens(object, "name") + text_tokens(object, "arguments"),
        ItemKind::CustomToolCall => text_tokens(object, "name") + text_tokens(object, "input"),
        ItemKind::FunctionCallOutput | ItemKind::CustomToolCallOutput => {
            content_tokens(object.member("output"))
        }
        ItemKind::CompactionTrigger | ItemKind::ItemReference => 0,
        ItemKind::OtherCall | ItemKind::OtherOutput | ItemKind::Unknown => json_tokens(object),
    };
    ITEM_TOKENS + counted
}

fn text_tokens(object: &Object, name: &str) -> u64 {
    let text = object.member(name).and_then(Value::as_str).unwrap_or("");
    u64::from(count(text))
}

fn content_tokens(content: Option<&Value>) -> u64 {
    match content {
        Some(Value::String(text)) => u64::from(count(text)),
        Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_object).map(part_tokens).sum(),
        _ => 0,
    }
}

fn part_tokens(part: &Object) -> u64 {
    text_tokens(part, "text") + text_tokens(part, "refusal")
}

fn json_tokens(object: &Object) -> u64 {
    // Serializing a JSON object into memory cannot fail.
    u64::from(count(&serde_json::to_string(object).unwrap_or_default()))
}

/// Tokens of the tools that a request declares.
pub(crate) fn tools_tokens(tools: Option<&Value>) -> u64 {
    match tools {
        Some(Value::Array(tools)) if !tools.is_empty() => {
            u64::from(count(&serde_json::to_string(tools).unwrap_or_default()))
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tokens(item: &Value) -> u64 {
        item_tokens(ItemView::new(item.as_object().expect("object")))
    }

    #[test]
    fn an_id_or_a_token_costs_nothing() {
        let with = json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "gAAAAAB"});
        let without = json!({"type": "reasoning", "summary": []});
        assert_eq!(tokens(&with), tokens(&without));
    }

    #[test]
    fn both_forms_of_a_message_cost_the_same() {
        let easy = json!({"role": "user", "content": "How many days are in a week?"});
        let full = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "How many days are in a week?"}]});
        // Eight o200k tokens: seven words and the question mark.
        assert_eq!(tokens(&easy), ITEM_TOKENS + 8);
        assert_eq!(tokens(&full), tokens(&easy));
    }
}
