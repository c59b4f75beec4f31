//! How `generateContent` is read (`tests/facts/providers.md` section 3.1).

use serde_json::Value;

use crate::Object;
use crate::event::Event;
use crate::neutral::history::{Choice, Delivery, History, Message, Role, Tool};
use crate::neutral::part::{Carrier, Part, PartKind, ToolCall};
use crate::neutral::turn::{AssistantTurn, Form};
use crate::wires::Wire;

/// The model that a path names.
pub(super) fn model(path: &str) -> &str {
    let last = path.rsplit('/').next().unwrap_or("");
    last.split(':').next().unwrap_or("")
}

/// The request in neutral form; `None` where `contents` is no list of contents with parts.
pub(crate) fn read(path: &str, body: &Object) -> Option<History> {
    let contents = body.get("contents")?.as_array()?.iter().enumerate();
    let messages: Option<Vec<Message>> = contents
        .map(|(at, content)| read_content(at, content.as_object()?))
        .collect();
    let system = body.get("systemInstruction").and_then(Value::as_object);
    let system = system.map(|content| Message::text(Role::System, 0, content_text(content)));
    let stream = path.ends_with(":streamGenerateContent");
    Some(History {
        wire: Wire::GeminiGenerate,
        model: model(path).to_owned(),
        delivery: if stream { Delivery::Stream } else { Delivery::Whole },
        messages: system.into_iter().chain(messages?).collect(),
        tools: tools(body),
        choice: choice(body),
    })
}

fn read_content(at: usize, content: &Object) -> Option<Message> {
    let parts = content.get("parts")?.as_array()?;
    if !parts.iter().all(Value::is_object) {
        return None;
    }
    let outputs = parts.iter().filter_map(|part| part.get("functionResponse"));
    let answers: Vec<String> = outputs
        .map(|output| text_of(output.get("id")).to_owned())
        .collect();
    let role = match text_of(content.get("role")) {
        "model" => Role::Assistant,
        "function" => Role::Tool,
        "user" | "" if !answers.is_empty() && answers.len() == parts.len() => Role::Tool,
        "user" | "" => Role::User,
        _ => return None,
    };
    Some(Message {
        role,
        at,
        text: content_text(content),
        answers,
        turn: (role == Role::Assistant).then(|| assistant(content)),
    })
}

/// A content of the model in parts.
pub fn assistant(content: &Object) -> AssistantTurn {
    let mut turn = AssistantTurn::of(content);
    if let Some(Value::Array(parts)) = content.get("parts") {
        turn.take("parts", Form::List, parts.iter().map(part).collect());
    }
    turn
}

fn part(raw: &Value) -> Part {
    let text = raw.get("text").and_then(Value::as_str);
    let kind = match (raw.get("functionCall"), text) {
        (Some(call), _) => PartKind::Call(ToolCall {
            id: text_of(call.get("id")).to_owned(),
            name: text_of(call.get("name")).to_owned(),
            arguments: call.get("args").map_or_else(|| "{}".to_owned(), Value::to_string),
        }),
        (None, Some(_)) if raw.get("thought") == Some(&Value::Bool(true)) => {
            PartKind::Reasoning(Carrier::ThoughtText)
        }
        (None, Some(_)) => PartKind::Text,
        (None, None) => PartKind::Other,
    };
    let signature = raw.get("thoughtSignature").and_then(Value::as_str);
    Part {
        kind,
        text: text.unwrap_or("").to_owned(),
        signature: signature.map(str::to_owned),
        member: "parts",
        raw: raw.clone(),
    }
}

/// The content that documents make together: one, or the chunks of a stream.
pub(super) fn joined<'a>(documents: impl Iterator<Item = &'a Value>) -> Option<AssistantTurn> {
    let mut whole: Option<Object> = None;
    for document in documents {
        let Some(content) = document
            .pointer("/candidates/0/content")
            .and_then(Value::as_object)
        else {
            continue;
        };
        let Some(Value::Array(held)) = whole.as_mut().and_then(|whole| whole.get_mut("parts")) else {
            whole = Some(content.clone());
            continue;
        };
        held.extend(
            content
                .get("parts")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .cloned(),
        );
    }
    Some(assistant(&whole?))
}

/// The documents of a stream.
pub(super) fn documents(events: &[Event]) -> Vec<Value> {
    events
        .iter()
        .map(|event| Value::Object(event.object().clone()))
        .collect()
}

fn content_text(content: &Object) -> String {
    let parts = content.get("parts").and_then(Value::as_array);
    let texts = parts
        .into_iter()
        .flatten()
        .map(|part| match part.get("functionResponse") {
            Some(output) => output.get("response").map(Value::to_string).unwrap_or_default(),
            None if part.get("thought") == Some(&Value::Bool(true)) => String::new(),
            None => text_of(part.get("text")).to_owned(),
        });
    texts.collect()
}

fn tools(body: &Object) -> Vec<Tool> {
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    let declared = tools.filter_map(|tool| tool.get("functionDeclarations")?.as_array());
    declared
        .flatten()
        .filter_map(|tool| {
            let schema = tool
                .get("parametersJsonSchema")
                .or_else(|| tool.get("parameters"));
            Some(Tool {
                name: tool.get("name")?.as_str()?.to_owned(),
                parameters: schema.cloned(),
            })
        })
        .collect()
}

fn choice(body: &Object) -> Choice {
    let config = body
        .get("toolConfig")
        .and_then(|config| config.get("functionCallingConfig"));
    let Some(config) = config else { return Choice::Auto };
    let allowed = config.get("allowedFunctionNames").and_then(Value::as_array);
    let named = allowed.and_then(|allowed| allowed.first()?.as_str());
    match (text_of(config.get("mode")), named) {
        ("ANY", Some(name)) => Choice::Named(name.to_owned()),
        ("ANY", None) => Choice::Required,
        ("NONE", _) => Choice::None,
        _ => Choice::Auto,
    }
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PATH: &str = "/v1beta/models/gemini-3-pro:generateContent";

    fn object(value: &Value) -> Object {
        value.as_object().expect("an object").clone()
    }

    /// Shapes of `tests/facts/providers.md` section 3.1, and some that nobody should send.
    #[test]
    fn a_content_comes_back_as_it_was_member_for_member() {
        for parts in [
            json!([{"text": "Hm.", "thought": true}, {"text": "Hello", "thoughtSignature": "s"}, {"text": ""}]),
            json!([{"functionCall": {"name": "f", "args": {"b": 1, "a": [2]}, "id": "call_1"}, "thoughtSignature": "s"},
                {"functionCall": {"name": "g"}}, {"inlineData": {"mimeType": "image/png", "data": "x"}, "thoughtSignature": "t"}]),
            json!([5, {}, {"text": 5}]),
            json!({}),
            json!(null),
        ] {
            let content = object(&json!({"parts": parts, "role": "model", "x": 1}));
            let again = assistant(&content).value();
            assert_eq!(
                serde_json::to_string(&again).expect("json"),
                serde_json::to_string(&content).expect("json")
            );
        }
    }

    #[test]
    fn a_content_of_outputs_alone_begins_no_turn() {
        let output = json!({"functionResponse": {"name": "f", "id": "call_1", "response": {"x": 42}}});
        let call =
            json!({"functionCall": {"name": "f", "args": {}, "id": "call_1"}, "thoughtSignature": "s"});
        let body = object(&json!({"systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f"]}},
            "contents": [{"parts": [{"text": "look"}]}, {"role": "model", "parts": [call]}, {"role": "user", "parts": [output]}]}));
        let history = read(PATH, &body).expect("a history");
        assert_eq!(
            (history.model.as_str(), history.delivery),
            ("gemini-3-pro", Delivery::Whole)
        );
        assert_eq!((history.asked(), history.is_answered()), ("look", true));
        assert_eq!(history.choice, Choice::Named("f".to_owned()));
        let (message, turn, place) = history.assistant()[0];
        assert_eq!((message.at, place.open, place.calls), (1, true, true));
        assert_eq!(turn.parts[0].signature.as_deref(), Some("s"));
    }

    #[test]
    fn chunks_become_the_content_that_a_client_keeps() {
        let chunk = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
        let chunks = [
            chunk(json!({"text": "a"})),
            json!({}),
            chunk(json!({"text": "", "thoughtSignature": "s"})),
        ];
        let turn = joined(chunks.iter()).expect("a content");
        let parts = json!([{"text": "a"}, {"text": "", "thoughtSignature": "s"}]);
        assert_eq!(turn.value()["parts"], parts);
    }

    #[test]
    fn what_is_no_request_is_none() {
        for body in [
            json!({}),
            json!({"contents": "hi"}),
            json!({"contents": ["hi"]}),
            json!({"contents": [{"role": "user"}]}),
            json!({"contents": [{"role": "user", "parts": ["hi"]}]}),
            json!({"contents": [{"role": "robot", "parts": []}]}),
        ] {
            assert_eq!(read(PATH, &object(&body)), None, "{body}");
        }
    }
}
