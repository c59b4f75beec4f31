//! To what stands before it a signature is bound (`tests/facts/providers.md` section 1.4).
//!
//! The prefix is `system`, `tools` and every earlier message, without reasoning: leading and trailing reasoning may go.
//! What may not go is reasoning between two others, so each signature names the one before it as well.

use holdover_wire::neutral::{History, Part};
use holdover_wire::{Object, Wire};
use serde_json::Value;

use crate::sign::Signer;

/// Hashes of what stands before each message of a request.
#[derive(Clone, Debug, Default)]
pub struct Bound {
    /// Before each message of the list, and before the answer.
    before: Vec<[u8; 8]>,
    /// Places and signatures of reasoning, in order.
    signatures: Vec<(usize, String)>,
}

impl Bound {
    /// Of a request; on a wire that binds nothing to what stands before, nothing.
    pub fn of(history: &History, body: &Object, signer: &Signer) -> Self {
        let head = match history.wire {
            Wire::AnthropicMessages => ["system", "tools"],
            Wire::BedrockConverse => ["system", "toolConfig"],
            Wire::Responses | Wire::ChatCompletions | Wire::GeminiGenerate | Wire::GeminiInteractions => {
                return Self::default();
            }
        };
        let mut bytes = Vec::new();
        for name in head {
            write(body.get(name).unwrap_or(&Value::Null), &mut bytes);
        }
        let mut before = vec![signer.hash(&bytes)];
        let messages = body.get("messages").and_then(Value::as_array);
        for message in messages.into_iter().flatten() {
            let mut bytes = before[before.len() - 1].to_vec();
            write(message, &mut bytes);
            before.push(signer.hash(&bytes));
        }
        let assistant = history.assistant().into_iter();
        let signatures = assistant.flat_map(|(message, turn, _)| {
            let parts = turn.parts.iter().filter(|part| part.carrier().is_some());
            let found = parts.filter_map(|part| part.signature.clone());
            found.map(|signature| (message.at, signature)).collect::<Vec<_>>()
        });
        Self {
            signatures: signatures.collect(),
            before,
        }
    }

    /// The hash of what stands before the answer.
    pub fn prefix(&self) -> [u8; 8] {
        self.before.last().copied().unwrap_or_default()
    }

    /// The hash of the latest signature.
    pub fn latest(&self, signer: &Signer) -> [u8; 8] {
        let latest = self.signatures.last();
        latest.map_or([0; 8], |(_, signature)| signer.hash(signature.as_bytes()))
    }

    /// The hash of what stands before a message.
    pub fn prefix_of(&self, message: usize) -> [u8; 8] {
        self.before.get(message).copied().unwrap_or_default()
    }

    /// The hash of the signature before that of a part; `None` where it is the first.
    pub fn previous(&self, message: usize, part: &Part, signer: &Signer) -> Option<[u8; 8]> {
        let own = part.signature.as_ref()?;
        let mut places = self.signatures.iter();
        let at = places.position(|(at, signature)| *at == message && signature == own)?;
        let (_, before) = self.signatures.get(at.checked_sub(1)?)?;
        Some(signer.hash(before.as_bytes()))
    }
}

/// A value in one form: members in order, a text as one block, and without what may move (`cache_control`,
/// `defer_loading`) or go (reasoning).
fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Object(object) => {
            let mut members: Vec<(&String, &Value)> = object.iter().collect();
            members.retain(|(name, _)| !MOVABLE.contains(&name.as_str()));
            members.sort_unstable_by_key(|(name, _)| *name);
            out.push(b'{');
            for (name, value) in members {
                write_text(name, out);
                match value {
                    Value::String(text) if name == "content" => {
                        write(&serde_json::json!([{"type": "text", "text": text}]), out);
                    }
                    value => write(value, out),
                }
            }
            out.push(b'}');
        }
        Value::Array(list) => {
            out.push(b'[');
            let kept = list.iter().filter(|value| !is_reasoning(value));
            kept.for_each(|value| write(value, out));
            out.push(b']');
        }
        Value::String(text) => write_text(text, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            out.extend_from_slice(value.to_string().as_bytes());
            out.push(b',');
        }
    }
}

const MOVABLE: [&str; 2] = ["cache_control", "defer_loading"];

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(text.len().to_string().as_bytes());
    out.push(b':');
    out.extend_from_slice(text.as_bytes());
}

fn is_reasoning(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    matches!(kind, Some("thinking" | "redacted_thinking")) || value.get("reasoningContent").is_some()
}

#[cfg(test)]
mod tests {
    use holdover_seal::Key;
    use serde_json::json;

    use super::*;

    fn prefix(body: &Value) -> [u8; 8] {
        let body = body.as_object().expect("an object");
        let history = History::read(Wire::AnthropicMessages, "/v1/messages", body).expect("a history");
        Bound::of(&history, body, &Signer::new(&Key::of_seed(7), "org", "us")).prefix()
    }

    /// What is allowed, and what breaks it: `tests/facts/providers.md` section 1.4.
    #[test]
    fn the_prefix_is_system_tools_and_messages_without_reasoning() {
        let plain = prefix(&json!({"system": "s", "tools": [{"name": "f"}], "messages": [
            {"role": "user", "content": "one"}, {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}]}));
        let moved = prefix(
            &json!({"max_tokens": 5, "system": "s", "tools": [{"defer_loading": true, "name": "f"}], "messages": [
            {"content": [{"type": "text", "text": "one", "cache_control": {"type": "ephemeral"}}], "role": "user"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "s"}, {"type": "text", "text": "ok"}]}]}),
        );
        assert_eq!(plain, moved);
        for other in [
            json!({"system": "t", "tools": [{"name": "f"}], "messages": [
                {"role": "user", "content": "one"}, {"role": "assistant", "content": "ok"}]}),
            json!({"system": "s", "tools": [], "messages": [
                {"role": "user", "content": "one"}, {"role": "assistant", "content": "ok"}]}),
            json!({"system": "s", "tools": [{"name": "f"}], "messages": [
                {"role": "user", "content": "One"}, {"role": "assistant", "content": "ok"}]}),
        ] {
            assert_ne!(plain, prefix(&other), "{other}");
        }
    }
}
