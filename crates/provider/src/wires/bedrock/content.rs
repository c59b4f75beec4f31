//! The blocks of an answer: those of Anthropic Messages, in the words of Converse.

use holdover_wire::neutral::bedrock::wrapped;
use serde_json::{Value, json};

/// A block of Anthropic Messages as Converse has it.
pub(super) fn block(block: &Value) -> Value {
    let text = |name: &str| block[name].as_str().unwrap_or("");
    match text("type") {
        // Without a signature there is no member for it.
        "thinking" if text("signature").is_empty() => {
            json!({"reasoningContent": {"reasoningText": {"text": text("thinking")}}})
        }
        "thinking" => {
            let inner = json!({"text": text("thinking"), "signature": text("signature")});
            json!({"reasoningContent": {"reasoningText": inner}})
        }
        "redacted_thinking" => json!({"reasoningContent": {"redactedContent": wrapped(text("data"))}}),
        "tool_use" => {
            json!({"toolUse": {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}})
        }
        _ => json!({"text": text("text")}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_has_its_words() {
        for (given, expected) in [
            (
                json!({"type": "thinking", "thinking": "", "signature": "s"}),
                json!({"reasoningContent": {"reasoningText": {"text": "", "signature": "s"}}}),
            ),
            (
                json!({"type": "thinking", "thinking": "t", "signature": ""}),
                json!({"reasoningContent": {"reasoningText": {"text": "t"}}}),
            ),
            (
                json!({"type": "redacted_thinking", "data": "a-b_"}),
                json!({"reasoningContent": {"redactedContent": "a+b/"}}),
            ),
            (
                json!({"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}),
                json!({"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}}),
            ),
            (json!({"type": "text", "text": "x"}), json!({"text": "x"})),
        ] {
            assert_eq!(block(&given), expected);
        }
    }
}
