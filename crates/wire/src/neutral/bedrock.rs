//! How Converse of Amazon Bedrock is read (`tests/facts/providers.md` section 11).

use serde_json::Value;

use crate::Object;
use crate::event::Event;
use crate::neutral::history::{Choice, Delivery, History, Message, Role, Tool};
use crate::neutral::part::{Carrier, Part, PartKind, ToolCall};
use crate::neutral::turn::{AssistantTurn, Form};
use crate::wires::Wire;

/// The model that a path names: what stands between `/model/` and its last element.
pub(super) fn model(path: &str) -> &str {
    let (_, rest) = path.split_once("/model/").unwrap_or(("", ""));
    rest.trim_end_matches('/')
        .rsplit_once('/')
        .map_or("", |(model, _)| model)
}

/// The request in neutral form; `None` where `messages` is no list of messages with content blocks.
pub(crate) fn read(path: &str, body: &Object) -> Option<History> {
    let messages = body.get("messages")?.as_array()?.iter().enumerate();
    let messages: Option<Vec<Message>> = messages
        .map(|(at, message)| read_message(at, message.as_object()?))
        .collect();
    let system = body
        .get("system")
        .and_then(Value::as_array)
        .map(|blocks| Message::text(Role::System, 0, texts(blocks)));
    let config = body.get("toolConfig");
    let streams = path.trim_end_matches('/').ends_with("/converse-stream");
    Some(History {
        wire: Wire::BedrockConverse,
        model: model(path).to_owned(),
        delivery: if streams {
            Delivery::Stream
        } else {
            Delivery::Whole
        },
        messages: system.into_iter().chain(messages?).collect(),
        tools: tools(config),
        choice: choice(config),
    })
}

fn read_message(at: usize, message: &Object) -> Option<Message> {
    let blocks = message.get("content")?.as_array()?;
    if !blocks.iter().all(Value::is_object) {
        return None;
    }
    let results = blocks.iter().filter_map(|block| block.get("toolResult"));
    let answers: Vec<String> = results
        .map(|result| text_of(result.get("toolUseId")).to_owned())
        .collect();
    let role = match text_of(message.get("role")) {
        "assistant" => Role::Assistant,
        "user" if !answers.is_empty() && answers.len() == blocks.len() => Role::Tool,
        "user" => Role::User,
        _ => return None,
    };
    Some(Message {
        role,
        at,
        text: texts(blocks),
        answers,
        turn: (role == Role::Assistant).then(|| assistant(message)),
    })
}

/// A message of the assistant in parts.
pub fn assistant(message: &Object) -> AssistantTurn {
    let mut turn = AssistantTurn::of(message);
    if let Some(Value::Array(blocks)) = message.get("content") {
        turn.take("content", Form::List, blocks.iter().map(block).collect());
    }
    turn
}

fn block(raw: &Value) -> Part {
    let text = |pointer: &str| raw.pointer(pointer).and_then(Value::as_str);
    let (kind, shown, signature) = if let Some(shown) = text("/text") {
        (PartKind::Text, shown, None)
    } else if raw.pointer("/reasoningContent/reasoningText").is_some() {
        let shown = text("/reasoningContent/reasoningText/text").unwrap_or("");
        let signature = text("/reasoningContent/reasoningText/signature");
        (
            PartKind::Reasoning(Carrier::ReasoningBlock),
            shown,
            signature.map(str::to_owned),
        )
    } else if let Some(blob) = text("/reasoningContent/redactedContent") {
        (
            PartKind::Reasoning(Carrier::RedactedThinking),
            "",
            Some(unwrapped(blob)),
        )
    } else if let Some(call) = raw.get("toolUse") {
        let call = ToolCall {
            id: text_of(call.get("toolUseId")).to_owned(),
            name: text_of(call.get("name")).to_owned(),
            arguments: call.get("input").map(Value::to_string).unwrap_or_default(),
        };
        (PartKind::Call(call), "", None)
    } else {
        (PartKind::Other, "", None)
    };
    Part {
        kind,
        text: shown.to_owned(),
        signature,
        member: "content",
        raw: raw.clone(),
    }
}

/// A signature as the bytes that the wire calls a blob: in the alphabet of plain base64.
pub fn wrapped(signature: &str) -> String {
    signature.replace('-', "+").replace('_', "/")
}

fn unwrapped(blob: &str) -> String {
    blob.replace('+', "-").replace('/', "_")
}

/// The visible text of blocks, also of those inside results of tools.
fn texts(blocks: &[Value]) -> String {
    let texts = blocks.iter().map(|block| {
        let inside = block.pointer("/toolResult/content").and_then(Value::as_array);
        match inside {
            Some(blocks) => texts(blocks),
            None => text_of(block.get("text")).to_owned(),
        }
    });
    texts.collect()
}

fn tools(config: Option<&Value>) -> Vec<Tool> {
    let tools = config.and_then(|config| config.get("tools")?.as_array());
    let specs = tools
        .into_iter()
        .flatten()
        .filter_map(|tool| tool.get("toolSpec"));
    specs
        .filter_map(|spec| {
            Some(Tool {
                name: spec.get("name")?.as_str()?.to_owned(),
                parameters: spec.pointer("/inputSchema/json").cloned(),
            })
        })
        .collect()
}

fn choice(config: Option<&Value>) -> Choice {
    let choice = config.and_then(|config| config.get("toolChoice"));
    match choice {
        Some(choice) if choice.get("any").is_some() => Choice::Required,
        Some(choice) => match choice.pointer("/tool/name").and_then(Value::as_str) {
            Some(name) => Choice::Named(name.to_owned()),
            None => Choice::Auto,
        },
        None => Choice::Auto,
    }
}

/// The message that the events of a stream make together: each is an object of one member, its type.
pub(super) fn joined(events: &[Event]) -> Option<AssistantTurn> {
    let mut message = None;
    let mut blocks: Vec<Value> = Vec::new();
    for event in events {
        let event = event.object();
        if let Some(start) = event.get("messageStart") {
            message = start.as_object().cloned();
        }
        for kind in ["contentBlockStart", "contentBlockDelta"] {
            let Some(event) = event.get(kind) else { continue };
            let index = event.get("contentBlockIndex").and_then(Value::as_u64)?;
            let index = usize::try_from(index)
                .ok()
                .filter(|index| *index <= blocks.len())?;
            if index == blocks.len() {
                blocks.push(Value::Object(Object::new()));
            }
            add(
                &mut blocks[index],
                event.get("start").or_else(|| event.get("delta")),
            );
        }
    }
    let mut message = message?;
    blocks.iter_mut().for_each(close);
    message.insert("content".to_owned(), Value::Array(blocks));
    Some(assistant(&message))
}

/// A piece of a block: texts grow, and everything else is taken as it is.
fn add(block: &mut Value, piece: Option<&Value>) {
    let (Value::Object(block), Some(Value::Object(piece))) = (block, piece) else {
        return;
    };
    for (name, value) in piece {
        match (name.as_str(), value) {
            ("reasoningContent", Value::Object(inner)) if !inner.contains_key("redactedContent") => {
                let wrapped = Value::Object(
                    [("reasoningText".to_owned(), value.clone())]
                        .into_iter()
                        .collect(),
                );
                let held = block
                    .entry(name.clone())
                    .or_insert_with(|| Value::Object(Object::new()));
                add(held, Some(&wrapped));
            }
            (_, Value::Object(_)) => {
                let held = block
                    .entry(name.clone())
                    .or_insert_with(|| Value::Object(Object::new()));
                add(held, Some(value));
            }
            (_, Value::String(more)) => match block.get_mut(name) {
                Some(Value::String(text)) => text.push_str(more),
                _ => {
                    block.insert(name.clone(), value.clone());
                }
            },
            _ => {
                block.insert(name.clone(), value.clone());
            }
        }
    }
}

/// The input of a call comes as text, and is kept as what it says.
fn close(block: &mut Value) {
    if let Some(input) = block.pointer_mut("/toolUse/input")
        && let Some(Ok(value)) = input.as_str().map(serde_json::from_str)
    {
        *input = value;
    }
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PATH: &str = "/model/us.anthropic.claude-opus-4-5-20251101-v1:0/converse";

    fn object(value: &Value) -> Object {
        value.as_object().expect("an object").clone()
    }

    /// Shapes of `tests/facts/providers.md` section 11, and some that nobody should send.
    fn contents() -> Vec<Value> {
        vec![
            json!([]),
            json!([{"reasoningContent": {"reasoningText": {"text": "Let me look.", "signature": "s"}}},
                {"text": "Looking"}, {"toolUse": {"toolUseId": "t", "name": "f", "input": {"b": 1, "a": [2]}}}]),
            json!([{"reasoningContent": {"redactedContent": "a+b/"}}, {"cachePoint": {"type": "default"}}]),
            json!([{"reasoningContent": {"reasoningText": {"text": "a"}}, "x": 1}, {"reasoningContent": {}}]),
            json!("text"),
            json!(null),
        ]
    }

    #[test]
    fn a_message_comes_back_as_it_was_member_for_member() {
        for content in contents() {
            let message = object(&json!({"role": "assistant", "content": content, "x": null}));
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
        let turn = assistant(&object(&json!({"role": "assistant", "content": contents()[1]})));
        let found: Vec<_> = turn
            .parts
            .iter()
            .map(|part| (part.carrier(), part.text.as_str()))
            .collect();
        let reasoning = (Some(Carrier::ReasoningBlock), "Let me look.");
        assert_eq!(found, [reasoning, (None, "Looking"), (None, "")]);
        assert_eq!(turn.parts[0].signature.as_deref(), Some("s"));
        assert_eq!(
            turn.calls().next().map(|call| call.arguments.as_str()),
            Some(r#"{"b":1,"a":[2]}"#)
        );
        let turn = assistant(&object(&json!({"role": "assistant", "content": contents()[2]})));
        assert_eq!(turn.parts[0].carrier(), Some(Carrier::RedactedThinking));
        assert_eq!(turn.parts[0].signature.as_deref(), Some("a-b_"));
        assert_eq!(wrapped("a-b_"), "a+b/");
    }

    #[test]
    fn a_message_of_results_alone_begins_no_turn() {
        let result = json!({"toolResult": {"toolUseId": "t", "content": [{"text": "42"}]}});
        let body = object(&json!({"system": [{"text": "Be brief."}],
            "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}, {"cachePoint": {}}],
                "toolChoice": {"tool": {"name": "f"}}},
            "messages": [{"role": "user", "content": [{"text": "look"}]},
                {"role": "assistant", "content": contents()[1]}, {"role": "user", "content": [result]}]}));
        let history = read(PATH, &body).expect("a history");
        assert_eq!(history.model, "us.anthropic.claude-opus-4-5-20251101-v1:0");
        assert_eq!((history.asked(), history.is_answered()), ("look", true));
        assert_eq!(
            (history.messages[3].text.as_str(), history.delivery),
            ("42", Delivery::Whole)
        );
        assert_eq!(history.choice, Choice::Named("f".to_owned()));
        assert_eq!(history.tools.len(), 1);
        let (message, _, place) = history.assistant()[0];
        assert_eq!((message.at, place.open, place.calls), (1, true, true));
        let streamed = read("/model/arn:aws:x/y/converse-stream", &body).expect("a history");
        assert_eq!(
            (streamed.model.as_str(), streamed.delivery),
            ("arn:aws:x/y", Delivery::Stream)
        );
    }

    #[test]
    fn pieces_become_the_message_that_a_client_keeps() {
        let events: Vec<Event> = [
            json!({"messageStart": {"role": "assistant"}}),
            json!({"contentBlockDelta": {"delta": {"reasoningContent": {"text": "Let "}}, "contentBlockIndex": 0}}),
            json!({"contentBlockDelta": {"delta": {"reasoningContent": {"text": "me"}}, "contentBlockIndex": 0}}),
            json!({"contentBlockDelta": {"delta": {"reasoningContent": {"signature": "s"}}, "contentBlockIndex": 0}}),
            json!({"contentBlockStop": {"contentBlockIndex": 0}}),
            json!({"contentBlockDelta": {"delta": {"reasoningContent": {"redactedContent": "a+b/"}}, "contentBlockIndex": 1}}),
            json!({"contentBlockDelta": {"delta": {"text": "Hi"}, "contentBlockIndex": 2}}),
            json!({"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t", "name": "f"}}, "contentBlockIndex": 3}}),
            json!({"contentBlockDelta": {"delta": {"toolUse": {"input": "{\"a\""}}, "contentBlockIndex": 3}}),
            json!({"contentBlockDelta": {"delta": {"toolUse": {"input": ":1}"}}, "contentBlockIndex": 3}}),
            json!({"messageStop": {"stopReason": "tool_use"}}),
        ]
        .iter()
        .map(|event| Event::new(object(event)))
        .collect();
        let turn = joined(&events).expect("a message");
        let expected = json!({"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "Let me", "signature": "s"}}},
            {"reasoningContent": {"redactedContent": "a+b/"}}, {"text": "Hi"},
            {"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}}]});
        assert_eq!(Value::Object(turn.value()), expected);
        assert_eq!(joined(&events[1..]), None);
    }

    #[test]
    fn what_is_no_request_is_none() {
        for body in [
            json!({}),
            json!({"messages": "hi"}),
            json!({"messages": [{"role": "user"}]}),
            json!({"messages": [{"role": "user", "content": "hi"}]}),
            json!({"messages": [{"role": "user", "content": ["hi"]}]}),
            json!({"messages": [{"role": "system", "content": []}]}),
        ] {
            assert_eq!(read(PATH, &object(&body)), None, "{body}");
        }
    }
}
