//! The Responses API as a client sees it. An answer is kept as one message that holds its items.

use serde_json::{Value, json};

/// The items of an answer.
pub(crate) fn message(body: &Value) -> Value {
    json!({"role": "assistant", "items": body["output"], "id": body["id"]})
}

/// The input: the items of each message, in order.
pub(crate) fn input(history: &[Value]) -> Vec<Value> {
    let items = history
        .iter()
        .flat_map(|message| match message["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![message.clone()],
        });
    items.collect()
}

/// What the request continues: the latest answer that is only named, and the messages after it.
pub(crate) fn continued(history: &[Value]) -> (Option<&Value>, &[Value]) {
    let named = history.iter().rposition(|message| message["named"] == true);
    let (before, after) = history.split_at(named.map_or(0, |place| place + 1));
    (before.last().map(|message| &message["id"]), after)
}

/// The visible text of an answer.
pub(crate) fn text(body: &Value) -> String {
    let items = body["output"].as_array().into_iter().flatten();
    let messages = items.filter(|item| item["type"] == "message");
    messages
        .filter_map(|item| item["content"][0]["text"].as_str())
        .collect()
}

/// The outputs of the calls of an answer.
pub(crate) fn outputs(message: &Value) -> Vec<Value> {
    let items = message["items"].as_array().into_iter().flatten();
    let calls = items.filter(|item| item["type"] == "function_call");
    calls
        .map(|call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "42"}))
        .collect()
}

/// Breaks an answer.
pub(crate) fn spoil(message: &mut Value, how: &str) {
    if how == "continue" {
        message["named"] = true.into();
    }
    let items = message["items"].as_array_mut().expect("items");
    let reasoning = items.iter_mut().filter(|item| item["type"] == "reasoning");
    match how {
        "send" | "ask" | "continue" => {}
        "token" => reasoning.for_each(|item| item["encrypted_content"] = "gAAAAABunknown".into()),
        "bare" => reasoning.for_each(|item| item["content"] = json!([])),
        "blob" => reasoning.for_each(|item| {
            item["encrypted_content"] = "gAAAAABunknown".into();
            item["content"] = json!([{"type": "reasoning_text", "text": "Thinking."}]);
        }),
        "omit" => items.retain(|item| item["type"] != "reasoning"),
        "alter" => {
            for item in items.iter_mut().filter(|item| item["type"] == "reasoning") {
                let token = item["encrypted_content"].as_str().expect("a token").to_owned();
                let letter = if &token[40..41] == "A" { "B" } else { "A" };
                item["encrypted_content"] = format!("{}{letter}{}", &token[..40], &token[41..]).into();
            }
        }
        how => panic!("no way to break a row: {how}"),
    }
}
