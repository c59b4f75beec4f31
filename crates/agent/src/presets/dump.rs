//! Member order of items as the Agents SDK sends them: the field order of openai-python's models, since its dump
//! writes the fields that were set in the order in which the model declares them, then what the model does not know.
//! The one place that knows this order.

use holdover_wire::{Item, Object};
use serde_json::Value;

/// Members that a run item's conversion leaves out.
const LEFT_OUT: &str = "created_by";

/// An output item as `to_input_item()` gives it: reordered, without `created_by`, without a `status` that is null.
pub(crate) fn item(item: &Item) -> Item {
    let mut object = ordered(item.object(), field_order(item.view().type_name().unwrap_or("")));
    object.shift_remove(LEFT_OUT);
    if object.get("status").is_some_and(Value::is_null) {
        object.shift_remove("status");
    }
    for parts in ["content", "summary"] {
        if let Some(Value::Array(parts)) = object.get_mut(parts) {
            parts.iter_mut().for_each(reorder_part);
        }
    }
    Item::new(object)
}

/// New input of the user, as the SDK writes it.
pub(crate) fn user(text: &str) -> Item {
    Item::new(Object::from_iter([
        ("content".to_owned(), Value::from(text)),
        ("role".to_owned(), Value::from("user")),
    ]))
}

/// A tool's output, as the SDK writes it.
pub(crate) fn tool_output(output_type: &str, call_id: &str, output: &str) -> Item {
    Item::new(Object::from_iter([
        ("call_id".to_owned(), Value::from(call_id)),
        ("output".to_owned(), Value::from(output)),
        ("type".to_owned(), Value::from(output_type)),
    ]))
}

fn reorder_part(part: &mut Value) {
    if let Value::Object(object) = part {
        let name = object
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned();
        *object = ordered(object, part_order(&name));
    }
}

fn ordered(object: &Object, order: &[&str]) -> Object {
    let known = order.iter().filter_map(|name| object.get_key_value(*name));
    let unknown = object.iter().filter(|(name, _)| !order.contains(&name.as_str()));
    known
        .chain(unknown)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Required fields first, then optional ones: how the models of openai 3.57.0 are declared, `created_by` left out. An
/// item of an unknown type is read as a message.
fn field_order(type_name: &str) -> &'static [&'static str] {
    match type_name {
        "reasoning" => &["id", "summary", "type", "content", "encrypted_content", "status"],
        "function_call" => &[
            "arguments",
            "call_id",
            "name",
            "type",
            "id",
            "async",
            "caller",
            "namespace",
            "status",
        ],
        "custom_tool_call" => &[
            "call_id",
            "input",
            "name",
            "type",
            "id",
            "async",
            "caller",
            "namespace",
        ],
        "compaction" => &["id", "encrypted_content", "type"],
        "web_search_call" => &["id", "action", "status", "type"],
        "file_search_call" => &["id", "queries", "status", "type", "results"],
        "code_interpreter_call" => &["id", "code", "container_id", "outputs", "status", "type"],
        "image_generation_call" => &[
            "id",
            "result",
            "status",
            "type",
            "action",
            "background",
            "error",
            "output_format",
            "quality",
            "revised_prompt",
            "size",
        ],
        "computer_call" => &[
            "id",
            "call_id",
            "pending_safety_checks",
            "status",
            "type",
            "action",
            "actions",
        ],
        "local_shell_call" => &["id", "action", "call_id", "status", "type"],
        "shell_call" => &[
            "id",
            "action",
            "call_id",
            "environment",
            "status",
            "type",
            "caller",
        ],
        "shell_call_output" => &[
            "id",
            "call_id",
            "max_output_length",
            "output",
            "status",
            "type",
            "caller",
        ],
        "apply_patch_call" => &["id", "call_id", "operation", "status", "type", "caller"],
        "tool_search_call" => &["id", "arguments", "call_id", "execution", "status", "type"],
        "tool_search_output" => &["id", "call_id", "execution", "status", "tools", "type"],
        "program" => &["id", "call_id", "code", "fingerprint", "type"],
        "program_output" => &["id", "call_id", "result", "status", "type"],
        "mcp_call" => &[
            "id",
            "arguments",
            "name",
            "server_label",
            "type",
            "approval_request_id",
            "error",
            "output",
            "status",
        ],
        "mcp_list_tools" => &["id", "server_label", "tools", "type", "error"],
        "mcp_approval_request" => &["id", "arguments", "name", "server_label", "type"],
        _ => &["id", "content", "role", "status", "type", "phase"],
    }
}

/// The same for the parts of `content` and `summary`.
fn part_order(type_name: &str) -> &'static [&'static str] {
    match type_name {
        "output_text" => &["annotations", "text", "type", "logprobs"],
        "refusal" => &["refusal", "type"],
        "summary_text" | "reasoning_text" | "input_text" => &["text", "type"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn dumped(value: &Value) -> String {
        item(&Item::from_value(value).expect("item"))
            .into_value()
            .to_string()
    }

    #[test]
    fn fields_come_in_the_order_of_the_models() {
        let reasoning = json!({"id": "rs_1", "type": "reasoning", "content": [], "encrypted_content": "gA", "summary": [{"type": "summary_text", "text": "t"}]});
        assert_eq!(
            dumped(&reasoning),
            r#"{"id":"rs_1","summary":[{"text":"t","type":"summary_text"}],"type":"reasoning","content":[],"encrypted_content":"gA"}"#
        );
        let call = json!({"id": "fc_1", "type": "function_call", "status": null, "arguments": "{}", "call_id": "call_1", "name": "f", "created_by": "x", "new": 1});
        assert_eq!(
            dumped(&call),
            r#"{"arguments":"{}","call_id":"call_1","name":"f","type":"function_call","id":"fc_1","new":1}"#
        );
    }

    #[test]
    fn an_unknown_type_is_dumped_as_a_message_and_loses_nothing() {
        // As openai 3.57.0 was seen to dump it.
        let value = json!({"zeta": 1, "type": "brand_new", "id": "x"});
        assert_eq!(dumped(&value), r#"{"id":"x","type":"brand_new","zeta":1}"#);
        let message = crate::testing::message("msg_1", "x");
        let expected = r#"{"id":"msg_1","content":[{"annotations":[],"text":"x","type":"output_text","logprobs":[]}],"role":"assistant","status":"completed","type":"message","phase":"final_answer"}"#;
        assert_eq!(dumped(&message), expected);
    }
}
