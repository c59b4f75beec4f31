//! Converse of Amazon Bedrock as a client sees it.

use serde_json::{Value, json};

/// The message of an answer, as clients keep it.
pub(crate) fn message(body: &Value) -> Value {
    body["output"]["message"].clone()
}

/// The visible text of an answer.
pub(crate) fn text(body: &Value) -> String {
    let blocks = body["output"]["message"]["content"].as_array();
    let texts = blocks.into_iter().flatten();
    texts.filter_map(|block| block["text"].as_str()).collect()
}

/// The message with the outputs of the calls of a message.
pub(crate) fn outputs(message: &Value) -> Vec<Value> {
    let blocks = message["content"].as_array().into_iter().flatten();
    let calls = blocks.filter_map(|block| block.get("toolUse"));
    let results: Vec<Value> = calls
        .map(|call| json!({"toolResult": {"toolUseId": call["toolUseId"], "content": [{"text": "42"}]}}))
        .collect();
    if results.is_empty() {
        Vec::new()
    } else {
        vec![json!({"role": "user", "content": results})]
    }
}

/// Breaks a message.
pub(crate) fn spoil(message: &mut Value, how: &str) {
    let blocks = message["content"].as_array_mut().expect("blocks");
    let reasons = |block: &Value| block.get("reasoningContent").is_some();
    match how {
        "send" | "edit-prefix" => return,
        "omit" => return blocks.retain(|block| !reasons(block)),
        "alone" => return blocks.retain(reasons),
        _ => {}
    }
    let block = &mut blocks[0];
    assert!(reasons(block), "{how}");
    let inner = &mut block["reasoningContent"]["reasoningText"];
    match how {
        "unsign" => {
            inner.as_object_mut().expect("a text").remove("signature");
        }
        "sign" => inner["signature"] = "c2lnbmF0dXJl".into(),
        "redact" => *block = json!({"reasoningContent": {"redactedContent": "b3BhcXVl"}}),
        how => panic!("no such way to break a row: {how}"),
    }
}

/// Breaks what is about more than one message.
pub(crate) fn fold(history: &mut [Value], how: &str) {
    if how == "edit-prefix" {
        let first = &mut history[0]["content"][0]["text"];
        *first = format!("{} please", first.as_str().expect("a text")).into();
    }
}
