//! An item that was a part of a message on another wire, and the message again.

use holdover_wire::neutral::{AssistantTurn, Part, PartKind, anthropic, chat, gemini};
use holdover_wire::{Item, Object, Wire};
use serde_json::{Value, json};

use crate::peer::Peer;

/// Member of an item that says what it was. It never leaves the client.
const ORIGIN: &str = "holdover_origin";

/// Where an item came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a>(&'a Object);

impl<'a> Origin<'a> {
    /// Of an item; `None` where it came over the Responses API, or was made anew.
    pub(crate) fn of(item: &'a Item) -> Option<Self> {
        item.object().get(ORIGIN)?.as_object().map(Self)
    }

    /// The profile of the endpoint that issued it.
    pub(crate) fn profile(self) -> &'a str {
        self.text("profile")
    }

    /// The answer that it was part of.
    pub(crate) fn answer(self) -> &'a str {
        self.text("answer")
    }

    fn text(self, name: &str) -> &'a str {
        self.0.get(name).and_then(Value::as_str).unwrap_or("")
    }

    fn at(self) -> Option<usize> {
        usize::try_from(self.0.get("at")?.as_u64()?).ok()
    }

    fn message(self) -> Option<&'a Object> {
        self.0.get("message")?.as_object()
    }
}

/// The item without what it says of its origin.
pub(crate) fn without_origin(mut item: Item) -> Item {
    item.object_mut().shift_remove(ORIGIN);
    item
}

/// The parts of a message as items. `answer` tells this answer from every other one.
pub(crate) fn items(peer: &Peer, answer: &str, turn: &AssistantTurn) -> Vec<Item> {
    let message = Value::Object(turn.value());
    let parts = turn.parts.iter().enumerate();
    let items = parts.map(|(at, part)| {
        let mut item = canonical(part, answer, at);
        if let Some(signature) = &part.signature {
            item.insert("encrypted_content".to_owned(), signature.clone().into());
        }
        let profile = &peer.endpoint().name;
        let origin = json!({"profile": profile, "answer": answer, "at": at, "message": message});
        item.insert(ORIGIN.to_owned(), origin);
        Item::new(item)
    });
    items.collect()
}

/// A part in the words of the Responses API.
fn canonical(part: &Part, answer: &str, at: usize) -> Object {
    let value = match &part.kind {
        PartKind::Text => {
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": part.text}]})
        }
        PartKind::Reasoning(_) if part.text.is_empty() => json!({"type": "reasoning", "summary": []}),
        PartKind::Reasoning(_) => {
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": part.text}]})
        }
        PartKind::Call(call) => {
            let id = match call.id.as_str() {
                "" => format!("call_{answer}_{at}"),
                id => id.to_owned(),
            };
            json!({"type": "function_call", "call_id": id, "name": call.name, "arguments": call.arguments})
        }
        PartKind::Other => json!({"type": "other"}),
    };
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// The message that these items of one answer were, with what is left of it; `None` where nothing is.
pub(crate) fn message(wire: Wire, items: &[&Item]) -> Option<Object> {
    let turn = read(wire, Origin::of(items.first()?)?.message()?)?;
    let parts: Vec<Part> = items.iter().filter_map(|item| again(&turn, item)).collect();
    (!parts.is_empty()).then(|| turn.with(&parts))
}

fn read(wire: Wire, message: &Object) -> Option<AssistantTurn> {
    match wire {
        Wire::ChatCompletions => Some(chat::assistant(message)),
        Wire::AnthropicMessages => Some(anthropic::assistant(message)),
        Wire::GeminiGenerate => Some(gemini::assistant(message)),
        Wire::Responses | Wire::GeminiInteractions | Wire::BedrockConverse => None,
    }
}

/// The part that an item was; its signature is what the client made of it since.
fn again(turn: &AssistantTurn, item: &Item) -> Option<Part> {
    let mut part = turn.parts.get(Origin::of(item)?.at()?)?.clone();
    // An empty signature is one as well, where nobody verifies it.
    let now = item.object().get("encrypted_content").and_then(Value::as_str);
    if let Some(old) = part.signature.clone()
        && now != Some(old.as_str())
    {
        resign(&mut part.raw, &old, now);
    }
    Some(part)
}

/// Puts another signature in the place of the old one, or takes it out.
fn resign(raw: &mut Value, old: &str, new: Option<&str>) {
    let Value::Object(members) = raw else { return };
    if let Some(new) = new {
        for value in members.values_mut() {
            match value {
                Value::String(text) if text == old => new.clone_into(text),
                other => resign(other, old, Some(new)),
            }
        }
    } else {
        members.retain(|_, value| value.as_str() != Some(old));
        members.values_mut().for_each(|value| resign(value, old, None));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claude() -> (Peer, AssistantTurn) {
        let message = json!({"id": "msg_1", "role": "assistant", "odd": [1], "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "sig-of-thought", "odd": 1},
            {"type": "text", "text": "Looking.", "citations": null},
            {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"b": 1, "a": [2]}}]});
        let turn = anthropic::assistant(message.as_object().expect("an object"));
        (Peer::named("claude-5").expect("an endpoint"), turn)
    }

    fn sent(items: &[Item]) -> Value {
        let items: Vec<&Item> = items.iter().collect();
        Value::Object(message(Wire::AnthropicMessages, &items).expect("a message"))
    }

    #[test]
    fn a_message_comes_back_byte_for_byte() {
        let (peer, turn) = claude();
        let items = items(&peer, "msg_1", &turn);
        assert_eq!(sent(&items).to_string(), Value::Object(turn.value()).to_string());
        // Through the text of a session store as well.
        let text = serde_json::to_string(&items).expect("JSON");
        let again: Vec<Item> = serde_json::from_str(&text).expect("items");
        assert_eq!(sent(&again).to_string(), Value::Object(turn.value()).to_string());
    }

    #[test]
    fn items_say_what_the_parts_were() {
        let (peer, turn) = claude();
        let found: Vec<Value> = items(&peer, "msg_1", &turn)
            .into_iter()
            .map(|item| without_origin(item).into_value())
            .collect();
        let expected = [
            json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "sig-of-thought"}),
            json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]}),
            json!({"type": "function_call", "call_id": "toolu_1", "name": "f", "arguments": "{\"b\":1,\"a\":[2]}"}),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_the_client_did_to_an_item_shows_in_the_message() {
        let (peer, turn) = claude();
        let mut items = items(&peer, "msg_1", &turn);
        items[0]
            .object_mut()
            .insert("encrypted_content".to_owned(), "sig".into());
        assert_eq!(sent(&items)["content"][0]["signature"], "sig");
        items[0].object_mut().shift_remove("encrypted_content");
        assert_eq!(
            sent(&items)["content"][0],
            json!({"type": "thinking", "thinking": "Hm.", "odd": 1})
        );
        items.remove(0);
        assert_eq!(sent(&items)["content"][0]["type"], "text");
        let nothing: [&Item; 0] = [];
        assert_eq!(message(Wire::AnthropicMessages, &nothing), None);
    }

    #[test]
    fn a_signature_is_found_wherever_it_stands() {
        let message_of = json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function",
            "function": {"name": "f", "arguments": "{}"}, "extra_content": {"google": {"thought_signature": "sig"}}}]});
        let turn = chat::assistant(message_of.as_object().expect("an object"));
        let peer = Peer::named("gemini-compat").expect("an endpoint");
        let mut items = items(&peer, "a", &turn);
        items[0]
            .object_mut()
            .insert("encrypted_content".to_owned(), "s".into());
        let items: Vec<&Item> = items.iter().collect();
        let again = Value::Object(message(Wire::ChatCompletions, &items).expect("a message"));
        assert_eq!(
            again.pointer("/tool_calls/0/extra_content/google/thought_signature"),
            Some(&json!("s"))
        );
    }
}
