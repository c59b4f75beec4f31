//! How chat completions are read (`tests/facts/providers.md` sections 2, 4 to 9, 13).

use serde_json::Value;

use crate::Object;
use crate::neutral::history::{Choice, Delivery, History, Message, Role, Tool};
use crate::neutral::part::{Carrier, Part, PartKind, ToolCall};
use crate::neutral::turn::{AssistantTurn, Form};
use crate::wires::Wire;

const THINK_OPEN: &str = "<think>";
const THINK_CLOSE: &str = "</think>";

/// The request in neutral form; `None` where `messages` is no list.
pub(crate) fn read(body: &Object) -> Option<History> {
    let messages = body.get("messages")?.as_array()?;
    let messages = messages.iter().enumerate();
    let messages: Option<Vec<Message>> = messages
        .map(|(at, message)| Some(read_message(at, message.as_object()?)))
        .collect();
    let stream = body.get("stream").and_then(Value::as_bool) == Some(true);
    Some(History {
        wire: Wire::ChatCompletions,
        model: text_of(body.get("model")).to_owned(),
        delivery: if stream { Delivery::Stream } else { Delivery::Whole },
        messages: messages?,
        tools: tools(body),
        choice: choice(body.get("tool_choice")),
    })
}

fn read_message(at: usize, message: &Object) -> Message {
    let role = match text_of(message.get("role")) {
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        "system" | "developer" => Role::System,
        _ => Role::User,
    };
    let answers = message.get("tool_call_id").and_then(Value::as_str);
    let turn = (role == Role::Assistant).then(|| assistant(message));
    Message {
        role,
        at,
        text: turn
            .as_ref()
            .map_or_else(|| content_text(message), AssistantTurn::text),
        answers: answers.map(str::to_owned).into_iter().collect(),
        turn,
    }
}

/// A message of the assistant in parts.
pub fn assistant(message: &Object) -> AssistantTurn {
    let mut turn = AssistantTurn::of(message);
    for (member, carrier) in [
        ("reasoning_content", Carrier::ReasoningContent),
        ("reasoning", Carrier::Reasoning),
    ] {
        if let Some(raw @ Value::String(text)) = message.get(member) {
            let part = reasoning(carrier, member, text, raw);
            turn.take(member, Form::Whole, vec![part]);
        }
    }
    if let Some(Value::Array(details)) = message.get("reasoning_details") {
        let parts = details.iter().map(detail).collect();
        turn.take("reasoning_details", Form::List, parts);
    }
    match message.get("content") {
        Some(Value::String(text)) => turn.take("content", Form::Pieces, pieces(text)),
        Some(Value::Array(list)) => turn.take("content", Form::List, list.iter().map(chunk).collect()),
        _ => {}
    }
    if let Some(Value::Array(calls)) = message.get("tool_calls") {
        turn.take("tool_calls", Form::List, calls.iter().map(call).collect());
    }
    turn
}

fn reasoning(carrier: Carrier, member: &'static str, text: &str, raw: &Value) -> Part {
    Part {
        kind: PartKind::Reasoning(carrier),
        text: text.to_owned(),
        signature: None,
        member,
        raw: raw.clone(),
    }
}

/// An entry of `reasoning_details`: a summary, a text with its signature, or what is encrypted.
fn detail(raw: &Value) -> Part {
    let text = |name: &str| raw.get(name).and_then(Value::as_str);
    Part {
        kind: PartKind::Reasoning(Carrier::ReasoningDetails),
        text: text("text").or_else(|| text("summary")).unwrap_or("").to_owned(),
        signature: text("signature").or_else(|| text("data")).map(str::to_owned),
        member: "reasoning_details",
        raw: raw.clone(),
    }
}

/// The pieces of a content string: what is inside think tags at its head, and the rest.
fn pieces(text: &str) -> Vec<Part> {
    let piece = |kind: PartKind, text: &str, raw: &str| Part {
        kind,
        text: text.to_owned(),
        signature: None,
        member: "content",
        raw: Value::String(raw.to_owned()),
    };
    let head = text.trim_start();
    let thought = head
        .strip_prefix(THINK_OPEN)
        .and_then(|rest| rest.split_once(THINK_CLOSE));
    match thought {
        Some((thought, rest)) => {
            let raw = &text[..text.len() - rest.len()];
            vec![
                piece(PartKind::Reasoning(Carrier::ThinkTags), thought, raw),
                piece(PartKind::Text, rest.trim_start(), rest),
            ]
        }
        None => vec![piece(PartKind::Text, text, text)],
    }
}

/// A chunk of a content list.
fn chunk(raw: &Value) -> Part {
    let kind = text_of(raw.get("type"));
    let (kind, text) = match kind {
        "text" => (PartKind::Text, text_of(raw.get("text")).to_owned()),
        "thinking" => (
            PartKind::Reasoning(Carrier::ThinkingChunk),
            thinking_text(raw.get("thinking")),
        ),
        _ => (PartKind::Other, String::new()),
    };
    Part {
        kind,
        text,
        signature: raw.get("signature").and_then(Value::as_str).map(str::to_owned),
        member: "content",
        raw: raw.clone(),
    }
}

/// `thinking` is a list of text chunks, or a string.
fn thinking_text(thinking: Option<&Value>) -> String {
    match thinking {
        Some(Value::Array(list)) => list.iter().map(|part| text_of(part.get("text"))).collect(),
        other => text_of(other).to_owned(),
    }
}

fn call(raw: &Value) -> Part {
    let function = raw.get("function");
    let of = |name: &str| text_of(function.and_then(|function| function.get(name))).to_owned();
    let signature = raw.pointer("/extra_content/google/thought_signature");
    Part {
        kind: PartKind::Call(ToolCall {
            id: text_of(raw.get("id")).to_owned(),
            name: of("name"),
            arguments: of("arguments"),
        }),
        text: String::new(),
        signature: signature.and_then(Value::as_str).map(str::to_owned),
        member: "tool_calls",
        raw: raw.clone(),
    }
}

fn tools(body: &Object) -> Vec<Tool> {
    let tools = body.get("tools").and_then(Value::as_array);
    let functions = tools
        .into_iter()
        .flatten()
        .filter_map(|tool| tool.get("function"));
    functions
        .map(|function| Tool {
            name: text_of(function.get("name")).to_owned(),
            parameters: function.get("parameters").cloned(),
        })
        .collect()
}

fn choice(choice: Option<&Value>) -> Choice {
    match choice {
        Some(Value::String(word)) if word == "none" => Choice::None,
        Some(Value::String(word)) if word == "required" || word == "any" => Choice::Required,
        Some(Value::Object(object)) => {
            let name = object.get("function").and_then(|function| function.get("name"));
            Choice::Named(text_of(name).to_owned())
        }
        _ => Choice::Auto,
    }
}

fn content_text(message: &Object) -> String {
    match message.get("content") {
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

    fn object(value: Value) -> Object {
        match value {
            Value::Object(object) => object,
            _ => panic!("no object"),
        }
    }

    /// Shapes of `tests/facts/providers.md` sections 2.1, 4, 6, 9 and 3.2, with members that nobody knows.
    fn messages() -> Vec<Value> {
        vec![
            json!({"role": "assistant", "content": null, "reasoning_content": "Let me look.", "tool_calls": [
                {"id": "call_00_a", "type": "function", "function": {"name": "f", "arguments": "{}"}, "index": 0}]}),
            json!({"role": "assistant", "content": "", "reasoning_content": ""}),
            json!({"role": "assistant", "reasoning": "x", "reasoning_details": [
                {"type": "reasoning.text", "text": "x", "signature": "s", "id": null, "format": "unknown", "index": 0},
                {"type": "reasoning.encrypted", "data": "d", "index": 1}], "content": "Done.", "new_member": [1]}),
            json!({"content": " <think>\nhm\n</think>\n\nHello", "role": "assistant"}),
            json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "a"}], "closed": true, "signature": null},
                {"type": "text", "text": "b"}, {"type": "odd"}]}),
            json!({"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "g", "arguments": "{}"},
                "extra_content": {"google": {"thought_signature": "sig"}}}]}),
            json!({"role": "assistant", "content": 5, "reasoning_content": null, "reasoning_details": "odd"}),
            json!({"role": "assistant", "content": "<think>never closed"}),
        ]
    }

    #[test]
    fn a_message_comes_back_as_it_was_member_for_member() {
        for message in messages() {
            let object = object(message);
            let again = assistant(&object).value();
            assert_eq!(
                serde_json::to_string(&again).expect("json"),
                serde_json::to_string(&object).expect("json")
            );
        }
    }

    #[test]
    fn reasoning_is_found_in_each_of_its_places() {
        let found: Vec<Vec<(Carrier, String, Option<String>)>> = messages()
            .into_iter()
            .map(|message| {
                let turn = assistant(&object(message));
                let parts = turn.parts.iter();
                parts
                    .filter_map(|part| Some((part.carrier()?, part.text.clone(), part.signature.clone())))
                    .collect()
            })
            .collect();
        let one = |carrier, text: &str| (carrier, text.to_owned(), None);
        assert_eq!(found[0], [one(Carrier::ReasoningContent, "Let me look.")]);
        assert_eq!(found[1], [one(Carrier::ReasoningContent, "")]);
        assert_eq!(found[2][1].2.as_deref(), Some("s"));
        assert_eq!(found[2][2].2.as_deref(), Some("d"));
        assert_eq!(found[3], [one(Carrier::ThinkTags, "\nhm\n")]);
        assert_eq!(found[4], [one(Carrier::ThinkingChunk, "a")]);
        assert_eq!(found[5], []);
        assert_eq!(found[6], []);
        assert_eq!(found[7], []);
    }

    #[test]
    fn places_follow_the_messages_of_the_user() {
        let call = json!({"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]});
        let body = object(json!({"model": "m", "stream": true, "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "one"}, call, {"role": "tool", "tool_call_id": "c", "content": "42"},
            {"role": "assistant", "content": "done"},
            {"role": "user", "content": [{"type": "text", "text": "two"}]}, {"role": "assistant", "content": "ok"},
            {"role": "user", "content": "three"}, call, {"role": "tool", "tool_call_id": "c", "content": "42"},
        ]}));
        let history = read(&body).expect("a history");
        assert_eq!(history.delivery, Delivery::Stream);
        assert_eq!(history.asked(), "three");
        assert!(history.is_answered());
        let places: Vec<(usize, bool, bool, bool, bool)> = history
            .assistant()
            .iter()
            .map(|(message, _, place)| (message.at, place.open, place.turn_calls, place.calls, place.last))
            .collect();
        let expected = [
            (2, false, true, true, false),
            (4, false, true, false, false),
            (6, false, false, false, false),
            (8, true, true, true, true),
        ];
        assert_eq!(places, expected);
    }
}
