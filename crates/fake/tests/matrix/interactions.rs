//! Interactions of Gemini as a client sees them. An answer is kept as one message that holds its steps.

use serde_json::{Value, json};

/// The steps of an answer, and its id.
pub(crate) fn message(body: &Value) -> Value {
    json!({"role": "model", "steps": body["steps"], "id": body["id"]})
}

/// The input, and what it continues: steps, from the latest answer on that is only named.
pub(crate) fn request(model: &str, history: &[Value]) -> Value {
    let named = history.iter().rposition(|message| message["named"] == true);
    let (before, after) = history.split_at(named.map_or(0, |place| place + 1));
    let input: Vec<Value> = after.iter().flat_map(steps).collect();
    let mut request = json!({"model": model, "input": input});
    if let Some(last) = before.last() {
        request["previous_interaction_id"] = last["id"].clone();
    }
    request
}

fn steps(message: &Value) -> Vec<Value> {
    message["steps"]
        .as_array()
        .cloned()
        .unwrap_or_else(|| vec![message.clone()])
}

/// The visible text of an answer.
pub(crate) fn text(body: &Value) -> String {
    let steps = body["steps"].as_array().into_iter().flatten();
    let outputs = steps.filter(|step| step["type"] == "model_output");
    outputs
        .filter_map(|step| step["content"][0]["text"].as_str())
        .collect()
}

/// The outputs of the calls of an answer.
pub(crate) fn outputs(message: &Value) -> Vec<Value> {
    let steps = message["steps"].as_array().into_iter().flatten();
    let calls = steps.filter(|step| step["type"] == "function_call");
    calls
        .map(|call| json!({"type": "function_result", "call_id": call["id"], "name": call["name"], "result": "42"}))
        .collect()
}

/// Breaks an answer.
pub(crate) fn spoil(message: &mut Value, how: &str) {
    if how == "continue" {
        message["named"] = true.into();
    }
    let steps = message["steps"].as_array_mut().expect("steps");
    match how {
        "send" | "continue" => {}
        "omit" => steps.retain(|step| step["type"] != "thought"),
        "unsign" => {
            let thoughts = steps.iter_mut().filter(|step| step["type"] == "thought");
            thoughts.for_each(|step| {
                step.as_object_mut().expect("a step").remove("signature");
            });
        }
        how => panic!("no such way to break a row: {how}"),
    }
}
