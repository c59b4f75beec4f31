//! Anthropic Messages as a client sees them.

use serde_json::{Value, json};

/// The message of an answer, as clients keep it.
pub(crate) fn message(body: &Value) -> Value {
    json!({"role": "assistant", "content": body["content"]})
}

/// The visible text of an answer.
pub(crate) fn text(body: &Value) -> String {
    let blocks = body["content"].as_array().cloned().unwrap_or_default();
    let texts = blocks.iter().filter(|block| block["type"] == "text");
    texts.filter_map(|block| block["text"].as_str()).collect()
}

/// The message with the outputs of the calls of a message.
pub(crate) fn outputs(message: &Value) -> Vec<Value> {
    let blocks = message["content"].as_array().cloned().unwrap_or_default();
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    let results: Vec<Value> = calls
        .map(|call| json!({"type": "tool_result", "tool_use_id": call["id"], "content": "42"}))
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
    match how {
        "send" | "ask" | "edit-prefix" | "middle" => return,
        "omit" => return blocks.retain(|block| block["type"] != "thinking"),
        "drop-empty" => return blocks.retain(|block| block["thinking"] != ""),
        "tail" => return blocks.rotate_left(1),
        _ => {}
    }
    let block = &mut blocks[0];
    if how == "compaction" {
        assert_eq!(block["type"], "compaction");
        block["content"] = "Another summary.".into();
        return;
    }
    assert_eq!(block["type"], "thinking", "{how}");
    match how {
        "alter" => {
            let text = block["signature"].as_str().expect("a signature");
            let letter = if &text[40..41] == "A" { "B" } else { "A" };
            block["signature"] = format!("{}{letter}{}", &text[..40], &text[41..]).into();
        }
        "edit" => {
            block["thinking"] = format!("{} Or so.", block["thinking"].as_str().expect("a text")).into();
        }
        "unsign" => {
            block.as_object_mut().expect("a block").remove("signature");
        }
        "null-sign" => block["signature"] = Value::Null,
        "empty" => block["thinking"] = "".into(),
        "as-text" => *block = json!({"type": "text", "text": block["thinking"]}),
        "redact" => *block = json!({"type": "redacted_thinking", "data": "opaque"}),
        how => panic!("no such way to break a row: {how}"),
    }
}

/// Breaks what is about more than one message.
pub(crate) fn fold(history: &mut [Value], how: &str) {
    match how {
        "edit-prefix" => {
            let first = history[0]["content"].as_str().expect("a text");
            history[0]["content"] = format!("{first} please").into();
        }
        "middle" => {
            let mut answers = history
                .iter_mut()
                .filter(|message| message["role"] == "assistant");
            spoil(answers.nth(1).expect("a second answer"), "omit");
        }
        _ => {}
    }
}
