//! How Anthropic Messages are read (`tests/facts/providers.md` section 1).

use serde_json::Value;

use crate::Object;
use crate::neutral::history::{Choice, Delivery, History, Message, Role, Tool};
use crate::neutral::part::{Carrier, Part, PartKind, ToolCall};
use crate::neutral::turn::{AssistantTurn, Form};
use crate::wires::Wire;

/// The request in neutral form; `None` where `messages` is no list of messages whose content is a text or blocks.
pub(crate) fn read(body: &Object) -> Option<History> {
    let messages = body.get("messages")?.as_array()?.iter().enumerate();
    let messages: Option<Vec<Message>> = messages
        .map(|(at, message)| read_message(at, message.as_object()?))
        .collect();
    let system = body
        .get("system")
        .map(|system| Message::text(Role::System, 0, content_text(system)));
    let stream = body.get("stream").and_then(Value::as_bool) == Some(true);
    Some(History {
        wire: Wire::AnthropicMessages,
        model: text_of(body.get("model")).to_owned(),
        delivery: if stream { Delivery::Stream } else { Delivery::Whole },
        messages: system.into_iter().chain(messages?).collect(),
        tools: tools(body),
        choice: choice(body.get("tool_choice")),
    })
}

fn read_message(at: usize, message: &Object) -> Option<Message> {
    let content = message.get("content")?;
    let blocks = match content {
        Value::String(_) => &[],
        Value::Array(blocks) if blocks.iter().all(Value::is_object) => blocks.as_slice(),
        _ => return None,
    };
    let results = blocks.iter().filter(|block| is(block, "tool_result"));
    let answers: Vec<String> = results
        .map(|block| text_of(block.get("tool_use_id")).to_owned())
        .collect();
    let role = match text_of(message.get("role")) {
        "assistant" => Role::Assistant,
        "user" if !answers.is_empty() && answers.len() == blocks.len() => Role::Tool,
        "user" => Role::User,
        "system" => Role::System,
        _ => return None,
    };
    Some(Message {
        role,
        at,
        text: content_text(content),
        answers,
        turn: (role == Role::Assistant).then(|| assistant(message)),
    })
}

/// A message of the assistant in parts.
pub fn assistant(message: &Object) -> AssistantTurn {
    let mut turn = AssistantTurn::of(message);
    match message.get("content") {
        Some(raw @ Value::String(text)) => turn.take("content", Form::Whole, vec![text_part(text, raw)]),
        Some(Value::Array(blocks)) => turn.take("content", Form::List, blocks.iter().map(block).collect()),
        _ => {}
    }
    turn
}

fn text_part(text: &str, raw: &Value) -> Part {
    Part {
        kind: PartKind::Text,
        text: text.to_owned(),
        signature: None,
        member: "content",
        raw: raw.clone(),
    }
}

fn block(raw: &Value) -> Part {
    let text = |name: &str| text_of(raw.get(name));
    let signed = |name: &str| raw.get(name).and_then(Value::as_str).map(str::to_owned);
    let (kind, shown, signature) = match text("type") {
        "text" => return text_part(text("text"), raw),
        "thinking" => (
            PartKind::Reasoning(Carrier::ThinkingBlock),
            text("thinking"),
            signed("signature"),
        ),
        "redacted_thinking" => (PartKind::Reasoning(Carrier::RedactedThinking), "", signed("data")),
        "compaction" => (
            PartKind::Reasoning(Carrier::CompactionBlock),
            text("content"),
            signed("signature"),
        ),
        "tool_use" => {
            let call = ToolCall {
                id: text("id").to_owned(),
                name: text("name").to_owned(),
                arguments: raw.get("input").map(Value::to_string).unwrap_or_default(),
            };
            (PartKind::Call(call), "", None)
        }
        _ => (PartKind::Other, "", None),
    };
    Part {
        kind,
        text: shown.to_owned(),
        signature,
        member: "content",
        raw: raw.clone(),
    }
}

/// The visible text of a content: of its text blocks, and of those inside results of tools.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|block| match text_of(block.get("type")) {
                "text" => text_of(block.get("text")).to_owned(),
                "tool_result" => block.get("content").map(content_text).unwrap_or_default(),
                _ => String::new(),
            });
            texts.collect()
        }
        _ => String::new(),
    }
}

fn tools(body: &Object) -> Vec<Tool> {
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    tools
        .filter_map(|tool| {
            Some(Tool {
                name: tool.get("name")?.as_str()?.to_owned(),
                parameters: tool.get("input_schema").cloned(),
            })
        })
        .collect()
}

fn choice(value: Option<&Value>) -> Choice {
    let Some(value) = value else {
        return Choice::Auto;
    };
    match text_of(value.get("type")) {
        "any" => Choice::Required,
        "none" => Choice::None,
        "tool" => Choice::Named(text_of(value.get("name")).to_owned()),
        _ => Choice::Auto,
    }
}

fn is(block: &Value, kind: &str) -> bool {
    text_of(block.get("type")) == kind
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Object {
        value.as_object().expect("an object").clone()
    }

    /// Shapes of `tests/facts/providers.md` section 1.1, and some that nobody should send.
    fn contents() -> Vec<Value> {
        vec![
            json!("Hello"),
            json!([]),
            json!([{"type": "thinking", "thinking": "Let me look.", "signature": "s", "extra": 1},
                {"type": "text", "text": "Looking", "citations": null},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"b": 1, "a": [2]}}]),
            json!([{"signature": "s", "type": "thinking", "thinking": ""}, {"type": "redacted_thinking", "data": "d"}]),
            json!([{"type": "thinking", "thinking": "a"}, {"type": "thinking", "thinking": "b", "signature": null}]),
            json!([{"type": "server_tool_use", "id": "x"}, {}, {"type": 5}]),
            json!([{"type": "compaction", "content": "So far.", "signature": "s", "encrypted_content": null}]),
            json!([5, "odd"]),
            json!(5),
            json!(null),
        ]
    }

    #[test]
    fn a_message_comes_back_as_it_was_member_for_member() {
        for content in contents() {
            let message = object(&json!({"id": "msg_1", "role": "assistant", "content": content, "x": null}));
            let again = assistant(&message).value();
            assert_eq!(
                serde_json::to_string(&again).expect("json"),
                serde_json::to_string(&message).expect("json")
            );
        }
        let bare = object(&json!({"role": "assistant"}));
        assert_eq!(assistant(&bare).value(), bare);
    }

    #[test]
    fn blocks_become_parts() {
        let found = |at: usize| {
            let message = object(&json!({"role": "assistant", "content": contents()[at]}));
            let parts = assistant(&message).parts.into_iter();
            let parts = parts.map(|part| (part.carrier(), part.text.clone(), part.signature));
            parts.collect::<Vec<_>>()
        };
        let thinking = |text: &str, signature: Option<&str>| {
            (
                Some(Carrier::ThinkingBlock),
                text.to_owned(),
                signature.map(str::to_owned),
            )
        };
        assert_eq!(found(0), [(None, "Hello".to_owned(), None)]);
        assert_eq!(found(2)[0], thinking("Let me look.", Some("s")));
        assert_eq!(found(3)[0], thinking("", Some("s")));
        let redacted = (
            Some(Carrier::RedactedThinking),
            String::new(),
            Some("d".to_owned()),
        );
        assert_eq!(found(3)[1], redacted);
        assert_eq!(found(4), [thinking("a", None), thinking("b", None)]);
        let compaction = (
            Some(Carrier::CompactionBlock),
            "So far.".to_owned(),
            Some("s".to_owned()),
        );
        assert_eq!(found(6), [compaction]);
        let call = &assistant(&object(&json!({"content": contents()[2]}))).parts[2];
        let arguments = call.call().map(|call| call.arguments.as_str());
        assert_eq!(arguments, Some(r#"{"b":1,"a":[2]}"#));
    }

    #[test]
    fn a_message_of_results_alone_begins_no_turn() {
        let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "42"}]});
        let body = object(
            &json!({"model": "m", "stream": true, "system": [{"type": "text", "text": "Be brief."}],
            "tool_choice": {"type": "tool", "name": "f"}, "tools": [{"name": "f", "input_schema": {"type": "object"}}, 5],
            "messages": [{"role": "user", "content": "look"}, {"role": "assistant", "content": contents()[2]},
                {"role": "user", "content": [result]}]}),
        );
        let history = read(&body).expect("a history");
        assert_eq!((history.asked(), history.is_answered()), ("look", true));
        assert_eq!(history.messages[3].answers, ["toolu_1"]);
        assert_eq!(history.messages[3].text, "42");
        assert_eq!(history.choice, Choice::Named("f".to_owned()));
        assert_eq!((history.tools.len(), history.delivery), (1, Delivery::Stream));
        let (message, _, place) = history.assistant()[0];
        assert_eq!(
            (message.at, place.open, place.last, place.calls),
            (1, true, true, true)
        );
        let mixed = object(
            &json!({"messages": [{"role": "user", "content": [result, {"type": "text", "text": "and"}]}]}),
        );
        let role = read(&mixed).map(|history| history.messages[0].role);
        assert_eq!(role, Some(Role::User));
    }

    #[test]
    fn what_is_no_request_is_none() {
        for body in [
            json!({}),
            json!({"messages": {}}),
            json!({"messages": ["hi"]}),
            json!({"messages": [{"role": "user"}]}),
            json!({"messages": [{"role": "user", "content": 5}]}),
            json!({"messages": [{"role": "user", "content": ["hi"]}]}),
            json!({"messages": [{"role": "robot", "content": "hi"}]}),
        ] {
            assert_eq!(read(&object(&body)), None, "{body}");
        }
    }
}
