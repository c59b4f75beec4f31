//! How Interactions of Gemini are read (`tests/facts/providers.md` section 3.3): steps of the model that follow each other
//! are one message.

use serde_json::{Value, json};

use crate::Object;
use crate::event::Event;
use crate::neutral::history::{Choice, Delivery, History, Message, Role, Tool};
use crate::neutral::part::{Carrier, Part, PartKind, ToolCall};
use crate::neutral::turn::{AssistantTurn, Form};
use crate::wires::Wire;

/// Steps that the client makes.
const CLIENT_STEPS: [&str; 2] = ["user_input", "function_result"];

/// The request in neutral form; `None` where `input` is no text, step or content, or a list of them.
pub(crate) fn read(body: &Object) -> Option<History> {
    let system = body.get("system_instruction").and_then(Value::as_str);
    let mut messages: Vec<Message> = system
        .map(|text| Message::text(Role::System, 0, text))
        .into_iter()
        .collect();
    match body.get("input")? {
        Value::String(text) => messages.push(Message::text(Role::User, 0, text)),
        one @ Value::Object(_) => messages.extend(steps(std::slice::from_ref(one))?),
        Value::Array(list) => messages.extend(steps(list)?),
        _ => return None,
    }
    let stream = body.get("stream").and_then(Value::as_bool) == Some(true);
    Some(History {
        wire: Wire::GeminiInteractions,
        model: text_of(body.get("model")).to_owned(),
        delivery: if stream { Delivery::Stream } else { Delivery::Whole },
        messages,
        tools: tools(body),
        choice: choice(body),
    })
}

/// The messages that steps make; contents without a step are one of the user.
fn steps(list: &[Value]) -> Option<Vec<Message>> {
    if !list.iter().all(Value::is_object) {
        return None;
    }
    let mut messages = Vec::new();
    let mut at = 0;
    while let Some(step) = list.get(at) {
        let kind = text_of(step.get("type"));
        let alike = |other: &&Value| speaker(text_of(other.get("type"))) == speaker(kind);
        let group = &list[at..at + list[at..].iter().take_while(alike).count()];
        messages.push(match speaker(kind) {
            Role::Assistant => Message {
                turn: Some(assistant(group)),
                ..Message::text(Role::Assistant, at, texts(group))
            },
            Role::Tool => Message {
                answers: group
                    .iter()
                    .map(|step| text_of(step.get("call_id")).to_owned())
                    .collect(),
                ..Message::text(Role::Tool, at, texts(group))
            },
            role @ (Role::User | Role::System) => Message::text(role, at, texts(group)),
        });
        at += group.len();
    }
    Some(messages)
}

/// Who makes a step of this type; what is no step is content of the user.
fn speaker(kind: &str) -> Role {
    match kind {
        "function_result" => Role::Tool,
        "user_input" | "text" | "image" | "audio" | "video" | "document" => Role::User,
        _ => Role::Assistant,
    }
}

/// Steps of the model in parts. The shell is ours: on the wire they stand in a list with those of the client.
pub fn assistant(steps: &[Value]) -> AssistantTurn {
    let shell: Object = [("steps".to_owned(), Value::Array(steps.to_vec()))]
        .into_iter()
        .collect();
    let mut turn = AssistantTurn::of(&shell);
    turn.take("steps", Form::List, steps.iter().map(part).collect());
    turn
}

fn part(step: &Value) -> Part {
    let (kind, text) = match text_of(step.get("type")) {
        "thought" => (
            PartKind::Reasoning(Carrier::ThoughtStep),
            content(step.get("summary")),
        ),
        "model_output" => (PartKind::Text, content(step.get("content"))),
        "function_call" => {
            let call = ToolCall {
                id: text_of(step.get("id")).to_owned(),
                name: text_of(step.get("name")).to_owned(),
                arguments: step.get("arguments").map(Value::to_string).unwrap_or_default(),
            };
            (PartKind::Call(call), String::new())
        }
        _ => (PartKind::Other, String::new()),
    };
    Part {
        kind,
        text,
        signature: step.get("signature").and_then(Value::as_str).map(str::to_owned),
        member: "steps",
        raw: step.clone(),
    }
}

/// The visible text of steps or contents.
fn texts(list: &[Value]) -> String {
    let texts = list.iter().map(|step| match text_of(step.get("type")) {
        "text" => text_of(step.get("text")).to_owned(),
        "function_result" => content(step.get("result")),
        "thought" => String::new(),
        _ => content(step.get("content")),
    });
    texts.collect()
}

/// The text of contents, or of one that is a text.
fn content(value: Option<&Value>) -> String {
    match value {
        Some(Value::Array(list)) => list.iter().map(|part| text_of(part.get("text"))).collect(),
        other => text_of(other).to_owned(),
    }
}

fn tools(body: &Object) -> Vec<Tool> {
    let tools = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    let functions = tools.filter(|tool| text_of(tool.get("type")) == "function");
    functions
        .filter_map(|tool| {
            Some(Tool {
                name: tool.get("name")?.as_str()?.to_owned(),
                parameters: tool.get("parameters").cloned(),
            })
        })
        .collect()
}

fn choice(body: &Object) -> Choice {
    let choice = body
        .get("generation_config")
        .and_then(|config| config.get("tool_choice"));
    let named = choice.and_then(|choice| choice.pointer("/allowed_tools/tools/0")?.as_str());
    match (text_of(choice), named) {
        ("any", _) => Choice::Required,
        ("none", _) => Choice::None,
        (_, Some(name)) => Choice::Named(name.to_owned()),
        _ => Choice::Auto,
    }
}

/// The steps of the model in an answer; `None` where it is no interaction.
pub(super) fn answered(body: &Value) -> Option<AssistantTurn> {
    let steps = body.get("steps")?.as_array()?.iter();
    let own: Vec<Value> = steps
        .filter(|step| !CLIENT_STEPS.contains(&text_of(step.get("type"))))
        .cloned()
        .collect();
    Some(assistant(&own))
}

/// The steps that the events of a stream make together (`tests/facts/providers.md` section 15.4).
pub(super) fn joined(events: &[Event]) -> Option<AssistantTurn> {
    let mut steps: Vec<Value> = Vec::new();
    // They are read when they are whole, and not with each piece.
    let mut arguments = String::new();
    let mut seen = false;
    for event in events {
        let event = event.object();
        match text_of(event.get("event_type")) {
            "interaction.created" => seen = true,
            "step.start" => {
                close(&mut steps, &mut arguments);
                steps.extend(event.get("step").cloned());
            }
            "step.delta" => {
                if let (Some(Value::Object(step)), Some(delta)) = (steps.last_mut(), event.get("delta")) {
                    add(step, &mut arguments, delta);
                }
            }
            _ => {}
        }
    }
    close(&mut steps, &mut arguments);
    seen.then(|| assistant(&steps))
}

/// Puts the arguments of the last step, which came in pieces, into it; those of a stream that was cut stay as they began.
fn close(steps: &mut [Value], arguments: &mut String) {
    let read = serde_json::from_str::<Value>(arguments);
    if let (Some(Value::Object(step)), Ok(value)) = (steps.last_mut(), read) {
        step.insert("arguments".to_owned(), value);
    }
    arguments.clear();
}

/// Steps come one after the other, so a delta is of the last one.
fn add(step: &mut Object, arguments: &mut String, delta: &Value) {
    let text = |name: &str| text_of(delta.get(name));
    let mut push = |member: &str, piece: Value| {
        let list = step.entry(member.to_owned()).or_insert_with(|| json!([]));
        let Value::Array(list) = list else { return };
        match (
            list.last_mut().and_then(|last| last.get_mut("text")),
            piece["text"].as_str(),
        ) {
            (Some(Value::String(text)), Some(more)) => text.push_str(more),
            _ => list.push(piece),
        }
    };
    match text("type") {
        "text" => push("content", json!({"type": "text", "text": text("text")})),
        "thought_summary" => push("summary", delta.get("content").cloned().unwrap_or_default()),
        "thought_signature" => {
            step.insert("signature".to_owned(), text("signature").into());
        }
        "arguments_delta" => arguments.push_str(text("arguments")),
        _ => {}
    }
}

fn text_of(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: &Value) -> Object {
        value.as_object().expect("an object").clone()
    }

    /// Shapes of `tests/facts/providers.md` section 3.3, and some that nobody should send.
    fn model_steps() -> Vec<Value> {
        vec![
            json!({"type": "thought", "signature": "s", "summary": [{"type": "text", "text": "Let me look."}], "x": null}),
            json!({"type": "thought"}),
            json!({"type": "function_call", "id": "c", "name": "f", "arguments": {"b": 1, "a": [2]}}),
            json!({"type": "model_output", "content": [{"type": "text", "text": "Looking"}]}),
            json!({"type": "google_search_call", "id": "g", "signature": "t"}),
            json!({}),
        ]
    }

    #[test]
    fn steps_come_back_as_they_were_member_for_member() {
        let steps = model_steps();
        let again = assistant(&steps).value();
        assert_eq!(
            serde_json::to_string(&again["steps"]).expect("json"),
            serde_json::to_string(&steps).expect("json")
        );
    }

    #[test]
    fn steps_of_the_model_that_follow_each_other_are_one_message() {
        let mut input = vec![json!({"type": "user_input", "content": [{"type": "text", "text": "look"}]})];
        input.extend(model_steps());
        input.push(json!({"type": "function_result", "call_id": "c", "name": "f", "result": "42"}));
        let body = object(
            &json!({"model": "gemini-3-pro", "stream": true, "system_instruction": "Be brief.", "input": input,
            "tools": [{"type": "function", "name": "f", "parameters": {}}, {"type": "google_search"}],
            "generation_config": {"tool_choice": "any"}}),
        );
        let history = read(&body).expect("a history");
        let roles: Vec<Role> = history.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::Tool]);
        assert_eq!((history.asked(), history.is_answered()), ("look", true));
        assert_eq!((history.delivery, history.tools.len()), (Delivery::Stream, 1));
        assert_eq!(history.choice, Choice::Required);
        let (message, turn, place) = history.assistant()[0];
        assert_eq!((message.at, place.open, place.calls), (1, true, true));
        assert_eq!(turn.parts[0].carrier(), Some(Carrier::ThoughtStep));
        assert_eq!(turn.parts[0].text, "Let me look.");
        assert_eq!(turn.parts[0].signature.as_deref(), Some("s"));
        assert_eq!(turn.text(), "Looking");
        assert_eq!(
            (history.messages[3].at, history.messages[3].text.as_str()),
            (7, "42")
        );
    }

    #[test]
    fn an_input_may_be_a_text_a_step_or_contents() {
        let asked = |input: Value| {
            let history = read(&object(&json!({"input": input})))?;
            Some(history.asked().to_owned())
        };
        assert_eq!(asked(json!("Hi")), Some("Hi".to_owned()));
        let step = json!({"type": "user_input", "content": [{"type": "text", "text": "Hi"}]});
        assert_eq!(asked(step), Some("Hi".to_owned()));
        let contents = json!([{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]);
        assert_eq!(asked(contents), Some("Hi".to_owned()));
        for input in [json!(5), json!(["Hi"])] {
            assert_eq!(asked(input), None);
        }
        assert_eq!(read(&object(&json!({}))), None);
    }

    /// Read with each piece, two megabytes would be forty gigabytes.
    #[test]
    fn long_arguments_are_read_once() {
        let delta = |piece: &str| {
            Event::new(object(&json!({"event_type": "step.delta", "index": 0,
                "delta": {"type": "arguments_delta", "arguments": piece}})))
        };
        let start = |id: &str| {
            Event::new(object(&json!({"event_type": "step.start", "index": 0,
                "step": {"type": "function_call", "id": id, "name": "f", "arguments": {}}})))
        };
        let mut events = vec![
            Event::new(object(&json!({"event_type": "interaction.created"}))),
            start("c"),
            delta("[0"),
        ];
        let numbers = 40_000;
        events.extend((0..numbers).map(|_| delta(",12345678901234567890123456789012345678901234567")));
        events.extend([delta("]"), start("d"), delta("{\"cut\": ")]);
        let turn = joined(&events).expect("steps");
        let steps = &turn.value()["steps"];
        assert_eq!(steps[0]["arguments"].as_array().map(Vec::len), Some(numbers + 1));
        assert_eq!(steps[1]["arguments"], json!({}));
    }

    #[test]
    fn pieces_become_the_steps_that_a_client_keeps() {
        let events: Vec<Event> = [
            json!({"event_type": "interaction.created", "interaction": {"id": "i", "status": "in_progress"}}),
            json!({"event_type": "step.start", "index": 0, "step": {"type": "thought"}}),
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": {"type": "text", "text": "Let "}}}),
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary", "content": {"type": "text", "text": "me"}}}),
            json!({"event_type": "step.delta", "index": 0, "delta": {"type": "thought_signature", "signature": "s"}}),
            json!({"event_type": "step.stop", "index": 0}),
            json!({"event_type": "step.start", "index": 1, "step": {"type": "function_call", "id": "c", "name": "f", "arguments": {}}}),
            json!({"event_type": "step.delta", "index": 1, "delta": {"type": "arguments_delta", "arguments": "{\"a\""}}),
            json!({"event_type": "step.delta", "index": 1, "delta": {"type": "arguments_delta", "arguments": ":1}"}}),
            json!({"event_type": "step.start", "index": 2, "step": {"type": "model_output"}}),
            json!({"event_type": "step.delta", "index": 2, "delta": {"type": "text", "text": "H"}}),
            json!({"event_type": "step.delta", "index": 2, "delta": {"type": "text", "text": "i"}}),
            json!({"event_type": "interaction.completed", "interaction": {"id": "i"}}),
        ]
        .iter()
        .map(|event| Event::new(object(event)))
        .collect();
        let expected = json!([
            {"type": "thought", "summary": [{"type": "text", "text": "Let me"}], "signature": "s"},
            {"type": "function_call", "id": "c", "name": "f", "arguments": {"a": 1}},
            {"type": "model_output", "content": [{"type": "text", "text": "Hi"}]}]);
        let turn = joined(&events).expect("steps");
        assert_eq!(turn.value()["steps"], expected);
        assert_eq!(joined(&events[1..]), None);
        let whole = answered(&json!({"id": "i", "steps": expected})).expect("steps");
        assert_eq!(whole, turn);
        assert_eq!(answered(&json!({"error": {}})), None);
    }
}
