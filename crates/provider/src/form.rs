//! What keeps a body from being read in the form of its wire. The words are ours: no provider's wording was recorded.

use holdover_wire::{CallBody, Members as _, Wire};
use serde_json::Value;

/// What is wrong with a body that could not be read, and where.
pub(crate) fn problem(wire: Wire, body: &CallBody) -> String {
    let CallBody::Json(Value::Object(object)) = body else {
        return "the body must be a JSON object".to_owned();
    };
    let name = list(wire);
    let Some(entries) = object.member(name).and_then(Value::as_array) else {
        return format!("`{name}` must be a list of objects");
    };
    let stray = entries.iter().position(|entry| !entry.is_object());
    match stray {
        Some(place) => format!("`{name}[{place}]` must be an object"),
        None => format!("an entry of `{name}` is not in the form of this wire"),
    }
}

/// The member that holds the history.
fn list(wire: Wire) -> &'static str {
    match wire {
        Wire::Responses | Wire::GeminiInteractions => "input",
        Wire::ChatCompletions | Wire::AnthropicMessages | Wire::BedrockConverse => "messages",
        Wire::GeminiGenerate => "contents",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_thing_that_is_wrong_is_named() {
        for (body, said) in [
            ("{", "the body must be a JSON object"),
            ("[]", "the body must be a JSON object"),
            ("{}", "`messages` must be a list of objects"),
            (r#"{"messages":"x"}"#, "`messages` must be a list of objects"),
            (r#"{"messages":[{},1]}"#, "`messages[1]` must be an object"),
            (
                r#"{"messages":[{}]}"#,
                "an entry of `messages` is not in the form of this wire",
            ),
        ] {
            let body = CallBody::parse(body.as_bytes());
            assert_eq!(problem(Wire::AnthropicMessages, &body), said, "{body:?}");
        }
    }
}
