//! `generateContent` as a client sees it.

use serde_json::{Value, json};

/// The contents of an answer: one document, or the list of a stream.
fn parts(body: &Value) -> Vec<Value> {
    let one = std::slice::from_ref(body);
    let documents = body.as_array().map_or(one, Vec::as_slice);
    let parts = documents
        .iter()
        .filter_map(|document| document["candidates"][0]["content"]["parts"].as_array());
    parts.flatten().cloned().collect()
}

/// The content of an answer, as clients keep it.
pub(crate) fn message(body: &Value) -> Value {
    json!({"role": "model", "parts": parts(body)})
}

/// The visible text of an answer.
pub(crate) fn text(body: &Value) -> String {
    let parts = parts(body);
    parts.iter().filter_map(|part| part["text"].as_str()).collect()
}

/// The content with the outputs of the calls of a content.
pub(crate) fn outputs(message: &Value) -> Vec<Value> {
    let parts = message["parts"].as_array().cloned().unwrap_or_default();
    let calls = parts.iter().filter_map(|part| part.get("functionCall"));
    let outputs: Vec<Value> = calls
        .map(|call| json!({"functionResponse": {"name": call["name"], "id": call["id"], "response": {"x": 42}}}))
        .collect();
    if outputs.is_empty() {
        Vec::new()
    } else {
        vec![json!({"role": "user", "parts": outputs})]
    }
}

/// Breaks a content.
pub(crate) fn spoil(message: &mut Value, how: &str) {
    let parts = message["parts"].as_array_mut().expect("parts");
    let mut signed = parts
        .iter_mut()
        .filter(|part| part["thoughtSignature"].is_string());
    match how {
        "send" | "parallel" => {}
        "omit" => signed.for_each(|part| {
            part.as_object_mut().expect("a part").remove("thoughtSignature");
        }),
        "dummy" => {
            signed.for_each(|part| part["thoughtSignature"] = "skip_thought_signature_validator".into());
        }
        "alter" => {
            let place = &mut signed.next().expect("a signature")["thoughtSignature"];
            let text = place.as_str().expect("a signature");
            let letter = if &text[40..41] == "A" { "B" } else { "A" };
            *place = format!("{}{letter}{}", &text[..40], &text[41..]).into();
        }
        how => panic!("no such way to break a row: {how}"),
    }
}
