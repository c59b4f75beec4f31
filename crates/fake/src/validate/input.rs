//! The schema of `input` and of every item in it (`tests/facts/items.md`; E09, E13, E25 to E30).

use holdover_wire::Members as _;
use std::collections::BTreeSet;

use holdover_wire::item::{ItemView, id_prefix};
use holdover_wire::{ApiError, CreateRequest, Evidence, ItemKind, Object, ServerId};
use serde_json::Value;

use crate::refusal;
use crate::validate::schema::{TEXT_CHARS_MAX, text_of, type_of};

/// Longest id and call id.
const ID_CHARS_MAX: usize = 64;

/// Longest token of a compaction item.
const TOKEN_CHARS_MAX: usize = 20_971_520;

/// The union of item types (`tests/facts/errors.md` section 0), with those that were seen later.
const TYPES: [&str; 32] = [
    "additional_tools",
    "apply_patch_call",
    "apply_patch_call_output",
    "code_interpreter_call",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "computer_call",
    "computer_call_output",
    "configuration_update",
    "custom_tool_call",
    "custom_tool_call_output",
    "file_search_call",
    "function_call",
    "function_call_output",
    "image_generation_call",
    "item_reference",
    "local_shell_call",
    "local_shell_call_output",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "mcp_list_tools",
    "message",
    "program",
    "program_output",
    "reasoning",
    "shell_call",
    "shell_call_output",
    "tool_search_call",
    "tool_search_output",
    "web_search_call",
];

pub(crate) fn check(path: &str, value: &Value) -> Result<(), ApiError> {
    match value {
        Value::String(_) => text_of(path, value, TEXT_CHARS_MAX).map(drop),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| any_item(path, index, item))
        }
        _ => Err(refusal::invalid_type(
            path,
            "one of a string or array of objects",
            type_of(value),
        )),
    }
}

fn any_item(path: &str, index: usize, value: &Value) -> Result<(), ApiError> {
    let at = At { list: path, index };
    match value {
        Value::Object(object) => item(at, ItemView::new(object)),
        _ => Err(refusal::invalid_type(&at.path(""), "an object", type_of(value))),
    }
}

/// Where an item stands. The path is written only when it is needed.
#[derive(Clone, Copy)]
struct At<'a> {
    list: &'a str,
    index: usize,
}

impl At<'_> {
    fn path(self, member: &str) -> String {
        let dot = if member.is_empty() { "" } else { "." };
        format!("{}[{}]{dot}{member}", self.list, self.index)
    }
}

/// One item, by its type.
fn item(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    some_type(at, item)?;
    id(at, item)?;
    match item.kind() {
        ItemKind::Message => message(at, item),
        ItemKind::Reasoning => reasoning(at, item),
        ItemKind::Compaction => {
            needs(at, item, &["encrypted_content"])?;
            token(at, item)
        }
        ItemKind::FunctionCall => {
            call_id(at, item)?;
            needs(at, item, &["name", "arguments"])?;
            texts(at, item, &["name", "arguments"])
        }
        ItemKind::CustomToolCall => {
            call_id(at, item)?;
            needs(at, item, &["name", "input"])?;
            texts(at, item, &["name", "input"])
        }
        ItemKind::FunctionCallOutput | ItemKind::CustomToolCallOutput => {
            call_id(at, item)?;
            output(at, item)
        }
        ItemKind::CompactionTrigger
        | ItemKind::ItemReference
        | ItemKind::OtherCall
        | ItemKind::OtherOutput
        | ItemKind::Unknown => Ok(()),
    }
}

/// A type, or members from which it can be told.
fn some_type(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    match (item.type_name(), item.kind()) {
        (Some(_), _) | (None, ItemKind::Message | ItemKind::ItemReference) => Ok(()),
        (None, _) => Err(refusal::missing_parameter(&at.path("type"))),
    }
}

/// Whether the API lists an item type.
pub(crate) fn is_listed(name: &str) -> bool {
    TYPES.contains(&name)
}

/// E30: a type that is not listed, unless the session itself issued items of it.
pub(crate) fn refuse_unlisted(request: CreateRequest<'_>, issued: &BTreeSet<String>) -> Result<(), ApiError> {
    for (index, item) in request.items() {
        let name = item.type_name().unwrap_or("message");
        if !is_listed(name) && !issued.contains(name) {
            let path = format!("input[{index}]");
            let evidence = Evidence::Reported;
            return Err(refusal::invalid_value("E30", evidence, &path, name, &TYPES));
        }
    }
    Ok(())
}

/// E09: prefix by type, letters, length. An id of the server's own grammar is never too long.
fn id(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    let Some(value) = item.object().member("id").filter(|value| !value.is_null()) else {
        return Ok(());
    };
    let Value::String(id) = value else {
        return Err(refusal::invalid_type(&at.path("id"), "a string", type_of(value)));
    };
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let prefix = item_prefix(item);
    if id.len() > ID_CHARS_MAX && ServerId::parse(id).is_none() {
        let length = id.chars().count();
        return Err(refusal::string_too_long(&at.path("id"), ID_CHARS_MAX, length));
    }
    if let Some(prefix) = prefix.filter(|prefix| !id.starts_with(prefix)) {
        return Err(refusal::id_prefix(&at.path("id"), id, prefix));
    }
    if !id.bytes().all(legal) {
        return Err(refusal::id_characters(&at.path("id"), id));
    }
    Ok(())
}

fn item_prefix(item: ItemView<'_>) -> Option<&'static str> {
    match item.kind() {
        ItemKind::Message => Some("msg"),
        _ => id_prefix(item.type_name()?),
    }
}

fn needs(at: At<'_>, item: ItemView<'_>, names: &[&str]) -> Result<(), ApiError> {
    let absent = |name: &&&str| item.object().get(**name).is_none_or(Value::is_null);
    match names.iter().find(absent) {
        Some(name) => Err(refusal::missing_parameter(&at.path(name))),
        None => Ok(()),
    }
}

fn texts(at: At<'_>, item: ItemView<'_>, names: &[&str]) -> Result<(), ApiError> {
    let mut present = names
        .iter()
        .filter_map(|name| Some((name, item.object().get(*name)?)));
    present.try_for_each(|(name, value)| text_at(at, name, value))
}

fn text_at(at: At<'_>, name: &str, value: &Value) -> Result<(), ApiError> {
    match value {
        Value::String(text) if text.len() <= TEXT_CHARS_MAX => Ok(()),
        _ => text_of(&at.path(name), value, TEXT_CHARS_MAX).map(drop),
    }
}

fn call_id(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    needs(at, item, &["call_id"])?;
    match item.object().member("call_id") {
        Some(Value::String(id)) if id.len() <= ID_CHARS_MAX => Ok(()),
        Some(value) => text_of(&at.path("call_id"), value, ID_CHARS_MAX).map(drop),
        None => Ok(()),
    }
}

fn output(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    needs(at, item, &["output"])?;
    match item.object().member("output") {
        Some(value @ Value::String(_)) => text_at(at, "output", value),
        Some(Value::Array(_)) | None => Ok(()),
        Some(value) => Err(refusal::invalid_type(
            &at.path("output"),
            "one of a string or array of objects",
            type_of(value),
        )),
    }
}

fn reasoning(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    // E26: what a dump of an SDK's object writes for a status that reasoning never has.
    if item.object().member("status").is_some_and(Value::is_null) {
        return Err(refusal::output_only(&at.path("status")));
    }
    if item.object().member("summary").is_none_or(Value::is_null) {
        return Err(refusal::missing_summary(&at.path("summary")));
    }
    match item.object().member("summary") {
        Some(Value::Array(_)) | None => {}
        Some(value) => {
            return Err(refusal::invalid_type(
                &at.path("summary"),
                "an array of objects",
                type_of(value),
            ));
        }
    }
    if let Some(Value::Array(content)) = item.object().member("content")
        && !content.is_empty()
    {
        return Err(refusal::array_too_long(&at.path("content"), 0, content.len()));
    }
    token(at, item)
}

fn token(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    match item.object().member("encrypted_content") {
        None | Some(Value::Null) => Ok(()),
        Some(value @ Value::String(_)) => {
            text_of(&at.path("encrypted_content"), value, TOKEN_CHARS_MAX).map(drop)
        }
        Some(value) => Err(refusal::token_type(&at.path("encrypted_content"), type_of(value))),
    }
}

fn message(at: At<'_>, item: ItemView<'_>) -> Result<(), ApiError> {
    const ROLES: [&str; 4] = ["assistant", "system", "developer", "user"];
    needs(at, item, &["role", "content"])?;
    let role = item.role().unwrap_or("");
    if !ROLES.contains(&role) {
        let evidence = Evidence::Reported;
        return Err(refusal::invalid_value(
            "E29",
            evidence,
            &at.path("role"),
            role,
            &ROLES,
        ));
    }
    let has_phase = item
        .object()
        .member("phase")
        .is_some_and(|phase| !phase.is_null());
    if has_phase && role != "assistant" {
        return Err(refusal::output_only(&at.path("phase")));
    }
    match item.object().member("content") {
        Some(value @ Value::String(_)) => text_at(at, "content", value),
        Some(Value::Array(parts)) => {
            let mut parts = parts.iter().enumerate();
            parts.try_for_each(|(index, part)| content_part(at, role, index, part))
        }
        Some(value) => Err(refusal::invalid_type(
            &at.path("content"),
            "one of a string or array of objects",
            type_of(value),
        )),
        None => Ok(()),
    }
}

/// E28: parts of the assistant are output, parts of everyone else are input.
fn content_part(at: At<'_>, role: &str, index: usize, part: &Value) -> Result<(), ApiError> {
    const OUTPUT: [&str; 2] = ["output_text", "refusal"];
    const INPUT: [&str; 4] = ["input_text", "input_image", "input_file", "input_audio"];
    let path = || at.path(&format!("content[{index}]"));
    let Value::Object(object) = part else {
        return Err(refusal::invalid_type(&path(), "an object", type_of(part)));
    };
    let legal: &[&str] = if role == "assistant" { &OUTPUT } else { &INPUT };
    let kind = object.member("type").and_then(Value::as_str).unwrap_or("");
    if !legal.contains(&kind) {
        let evidence = Evidence::Reported;
        return Err(refusal::invalid_value("E28", evidence, &path(), kind, legal));
    }
    part_text(at, index, kind, object)
}

fn part_text(at: At<'_>, index: usize, kind: &str, part: &Object) -> Result<(), ApiError> {
    let name = match kind {
        "input_text" | "output_text" => "text",
        "refusal" => "refusal",
        _ => return Ok(()),
    };
    match part.member(name) {
        Some(value) => text_at(at, &format!("content[{index}].{name}"), value),
        None => Err(refusal::missing_parameter(
            &at.path(&format!("content[{index}].{name}")),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(items: &Value) -> (String, String, String) {
        let error = check("input", items).expect_err("refused");
        (
            error.message,
            error.param.unwrap_or_default(),
            error.code.unwrap_or_default(),
        )
    }

    fn expect(items: &Value, message: &str, param: &str, code: &str) {
        assert_eq!(
            refused(items),
            (message.to_owned(), param.to_owned(), code.to_owned())
        );
    }

    #[test]
    fn ids_keep_their_grammar() {
        expect(
            &json!([{"role": "user", "content": "x"}, {"type": "message", "id": "rs_A", "role": "assistant", "content": []}]),
            "Invalid 'input[1].id': 'rs_A'. Expected an ID that begins with 'msg'.",
            "input[1].id",
            "invalid_id_prefix",
        );
        expect(
            &json!([{"type": "function_call_output", "call_id": "c".repeat(86), "output": ""}]),
            "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 86 instead.",
            "input[0].call_id",
            "string_above_max_length",
        );
        let (message, ..) = refused(&json!([{"type": "reasoning", "id": "", "summary": []}]));
        assert!(message.starts_with("Invalid 'input[0].id': ''"), "{message}");
        let signature =
            json!([{"type": "reasoning", "id": format!("rs_{}", "x".repeat(380)), "summary": []}]);
        assert_eq!(refused(&signature).2, "string_above_max_length");
    }

    #[test]
    fn tenant_shaped_ids_are_legal() {
        let id = "rs_tenantA_trace_74bf20f876ffc474016afd86c1cbd7a085a368932ff2b2d409";
        let items = json!([{"type": "reasoning", "id": id, "summary": []}]);
        assert_eq!(check("input", &items), Ok(()));
    }

    #[test]
    fn shapes_of_replayed_items() {
        expect(
            &json!([{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": {}}]),
            "Invalid type for 'input[0].encrypted_content': expected a string, but got an object instead.",
            "input[0].encrypted_content",
            "invalid_type",
        );
        expect(
            &json!([{"role": "user", "content": ""}, {"role": "user", "content": ""}, {"type": "reasoning", "id": "rs_1"}]),
            "Missing required parameter: 'input[2].summary'.",
            "input[2].summary",
            "missing_required_parameter",
        );
        expect(
            &json!([{"role": "user", "content": ""}, {"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}]),
            "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
            "input[1].content[0]",
            "invalid_value",
        );
        expect(
            &json!([{"role": "tool", "content": "x"}]),
            "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
            "input[0].role",
            "invalid_value",
        );
        expect(
            &json!([{"role": "user", "content": "x", "phase": "final_answer"}]),
            "Unknown parameter: 'input[0].phase'.",
            "input[0].phase",
            "unknown_parameter",
        );
    }

    #[test]
    fn unknown_types_are_refused_unless_the_session_issued_them() {
        let body = json!({"input": [{"role": "user", "content": "x"}, {"type": "context_compaction"}]});
        let request = CreateRequest::new(body.as_object().expect("object"));
        let error = refuse_unlisted(request, &BTreeSet::new()).expect_err("refused");
        assert!(
            error.message.starts_with(
                "Invalid value: 'context_compaction'. Supported values are: 'additional_tools', "
            )
        );
        assert_eq!(error.param.as_deref(), Some("input[1]"));
        let issued = BTreeSet::from(["context_compaction".to_owned()]);
        assert_eq!(refuse_unlisted(request, &issued), Ok(()));
    }

    #[test]
    fn the_replay_request_of_the_examples_is_legal() {
        // `tests/facts/examples/03b_replay_request.json`, its items without the long token.
        let items = json!([
            {"role": "user", "content": "What is 17 + 25?"},
            {"id": "rs_74bf20f876ffc474016afd86c1cbd7a085a368932ff2b2d409", "type": "reasoning", "content": [],
             "encrypted_content": "gAAAAA", "summary": [{"type": "summary_text", "text": "x"}]},
            {"id": "msg_74bf20f876ffc474016afd86c362fd943a584224302cee8502", "type": "message", "status": "completed",
             "content": [{"type": "output_text", "annotations": [], "logprobs": [], "text": "42"}],
             "phase": "final_answer", "role": "assistant"},
            {"role": "user", "content": "And doubled?"}
        ]);
        assert_eq!(check("input", &items), Ok(()));
    }
}
