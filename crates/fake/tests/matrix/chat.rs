//! Chat completions as a client sees them.

use serde_json::{Value, json};

/// Members of a message that hold reasoning.
const FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

/// The message of an answer.
pub(crate) fn message(body: &Value) -> Value {
    body["choices"][0]["message"].clone()
}

/// The visible text of an answer, without what is inside think tags or chunks.
pub(crate) fn text(body: &Value) -> String {
    match &message(body)["content"] {
        Value::String(text) => text.rsplit("</think>").next().unwrap_or("").trim().to_owned(),
        Value::Array(list) => list.iter().filter_map(|chunk| chunk["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// The outputs of the calls of a message.
pub(crate) fn outputs(message: &Value) -> Vec<Value> {
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    calls
        .iter()
        .map(|call| json!({"role": "tool", "tool_call_id": call["id"], "content": "42"}))
        .collect()
}

/// Breaks a message.
pub(crate) fn spoil(message: &mut Value, how: &str) {
    match how {
        "omit" => omit(message),
        "empty" => put(message, ""),
        "space" => put(message, " "),
        "dot" => put(message, "."),
        "alter" => alter(message),
        "shape" => message["reasoning_details"] = json!("free text"),
        "part" => {
            message["content"] =
                json!([{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "Done."}]);
        }
        "send" | "ask" => {}
        how => {
            let field = how.strip_prefix("rename-").expect("a way to break a row");
            omit(message);
            message[field] = "I think. My mark is nonce-0123456789abcdef.".into();
        }
    }
}

/// Leaves all reasoning and all signatures out.
fn omit(message: &mut Value) {
    let object = message.as_object_mut().expect("a message");
    for field in FIELDS {
        object.remove(field);
    }
    match object.get_mut("content") {
        Some(Value::String(text)) => *text = text.rsplit("</think>").next().unwrap_or("").trim().to_owned(),
        Some(Value::Array(list)) => list.retain(|chunk| chunk["type"] != "thinking"),
        _ => {}
    }
    let calls = object.get_mut("tool_calls").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten().filter_map(Value::as_object_mut) {
        call.remove("extra_content");
    }
}

fn put(message: &mut Value, text: &str) {
    assert!(message["reasoning_content"].is_string(), "{message}");
    message["reasoning_content"] = text.into();
}

/// Changes one letter of the signature.
fn alter(message: &mut Value) {
    let detail = &mut message["reasoning_details"][0];
    let name = if detail["data"].is_string() {
        "data"
    } else {
        "signature"
    };
    let text = detail[name].as_str().expect("a signature");
    let letter = if &text[40..41] == "A" { "B" } else { "A" };
    detail[name] = format!("{}{letter}{}", &text[..40], &text[41..]).into();
}

/// Two answers in one message (`merge`), or the second right after the first (`second`); the message of the user
/// between them is gone.
pub(crate) fn fold(history: &mut Vec<Value>, how: &str) {
    let between = history
        .iter()
        .position(|message| message["content"] == "And then?");
    history.remove(between.expect("a message between two answers"));
    if how == "second" {
        return;
    }
    let second = history.remove(history.len() - 2);
    let details = second["reasoning_details"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let at = history.len() - 2;
    let merged = history[at]["reasoning_details"].as_array_mut().expect("details");
    merged.extend(details);
}
