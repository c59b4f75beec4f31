//! How the input of the Responses API is read: each item of the model is a message of its own.

use serde_json::Value;

use crate::Object;
use crate::neutral::history::{Choice, Delivery, History, Message, Role};
use crate::neutral::part::{Carrier, Part, PartKind, ToolCall};
use crate::neutral::turn::AssistantTurn;
use crate::wires::Wire;

/// The request in neutral form; tools and the choice among them are the Responses API's own matter.
pub(crate) fn read(body: &Object) -> Option<History> {
    let messages = match body.get("input")? {
        Value::String(text) => vec![Message::text(Role::User, 0, text)],
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items
                .filter_map(|(at, item)| Some(message(at, item.as_object()?)))
                .collect()
        }
        _ => return None,
    };
    let stream = body.get("stream").and_then(Value::as_bool) == Some(true);
    Some(History {
        wire: Wire::Responses,
        model: text_of(body.get("model")).to_owned(),
        delivery: if stream { Delivery::Stream } else { Delivery::Whole },
        messages,
        tools: Vec::new(),
        choice: Choice::Auto,
    })
}

fn message(at: usize, item: &Object) -> Message {
    let kind = text_of(item.get("type"));
    let role = match (kind, text_of(item.get("role"))) {
        ("reasoning" | "function_call" | "custom_tool_call", _) | (_, "assistant") => Role::Assistant,
        (kind, _) if kind.ends_with("_output") => Role::Tool,
        (_, "system" | "developer") => Role::System,
        _ => Role::User,
    };
    let text = texts(item.get("content"));
    let call_id = item.get("call_id").and_then(Value::as_str);
    let answers = call_id.filter(|_| role == Role::Tool).map(str::to_owned);
    Message {
        role,
        at,
        answers: answers.into_iter().collect(),
        turn: (role == Role::Assistant).then(|| turn(kind, item, &text)),
        text,
    }
}

/// An item as a message of one part.
fn turn(kind: &str, item: &Object, text: &str) -> AssistantTurn {
    let (kind, signature) = match kind {
        "reasoning" => (
            PartKind::Reasoning(Carrier::ReasoningItem),
            item.get("encrypted_content").and_then(Value::as_str),
        ),
        "function_call" | "custom_tool_call" => {
            let arguments = item.get("arguments").or_else(|| item.get("input"));
            let call = ToolCall {
                id: text_of(item.get("call_id")).to_owned(),
                name: text_of(item.get("name")).to_owned(),
                arguments: text_of(arguments).to_owned(),
            };
            (PartKind::Call(call), None)
        }
        _ => (PartKind::Text, None),
    };
    let mut turn = AssistantTurn::of(item);
    turn.parts.push(Part {
        kind,
        text: text.to_owned(),
        signature: signature.map(str::to_owned),
        member: "",
        raw: Value::Object(item.clone()),
    });
    turn
}

/// The texts of a content list, or a content that is one.
fn texts(content: Option<&Value>) -> String {
    match content {
        Some(Value::Array(list)) => list.iter().map(|part| text_of(part.get("text"))).collect(),
        other => text_of(other).to_owned(),
    }
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_item_of_the_model_is_a_message_and_comes_back_as_it_was() {
        let body = json!({"model": "m", "input": [
            {"role": "user", "content": "look"},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA", "odd": 1},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "42"}]});
        let history = read(body.as_object().expect("an object")).expect("a history");
        let roles: Vec<Role> = history.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Assistant, Role::Tool]);
        let assistant = history.assistant();
        let (message, turn, place) = &assistant[0];
        assert_eq!((message.at, place.open), (1, true));
        assert_eq!(turn.parts[0].signature.as_deref(), Some("gAAA"));
        assert_eq!(Value::Object(turn.value()), body["input"][1]);
    }
}
