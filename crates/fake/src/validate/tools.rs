//! The schema of `tools` and `tool_choice`.

use holdover_wire::Members as _;
use holdover_wire::{ApiError, Evidence, Object};
use serde_json::Value;

use crate::refusal;
use crate::validate::schema::{of_type, text_of, type_of};

/// Types that `tools` takes (`tests/facts/items.md`).
const TYPES: [&str; 19] = [
    "function",
    "file_search",
    "computer",
    "computer_use_preview",
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "mcp",
    "code_interpreter",
    "programmatic_tool_calling",
    "image_generation",
    "local_shell",
    "shell",
    "custom",
    "namespace",
    "tool_search",
    "apply_patch",
    "allowed_tools",
];

const NAME_CHARS_MAX: usize = 128;

pub(crate) fn check(path: &str, value: &Value) -> Result<(), ApiError> {
    let Value::Array(tools) = value else {
        return of_type(path, value, "an array of objects", value.is_array());
    };
    for (index, tool) in tools.iter().enumerate() {
        let path = format!("{path}[{index}]");
        match tool {
            Value::Object(tool) => one(&path, tool)?,
            _ => return Err(refusal::invalid_type(&path, "an object", type_of(tool))),
        }
    }
    Ok(())
}

fn one(path: &str, tool: &Object) -> Result<(), ApiError> {
    let type_path = format!("{path}.type");
    let Some(kind) = tool.member("type") else {
        return Err(refusal::missing_parameter(&type_path));
    };
    let kind = text_of(&type_path, kind, NAME_CHARS_MAX)?;
    if !TYPES.contains(&kind) {
        let evidence = Evidence::Inferred;
        return Err(refusal::invalid_value(
            "endpoints",
            evidence,
            &type_path,
            kind,
            &TYPES,
        ));
    }
    if !matches!(kind, "function" | "custom") {
        return Ok(());
    }
    let name_path = format!("{path}.name");
    match tool.member("name") {
        Some(name) => text_of(&name_path, name, NAME_CHARS_MAX).map(drop),
        None => Err(refusal::missing_parameter(&name_path)),
    }
}

pub(crate) fn choice(path: &str, value: &Value) -> Result<(), ApiError> {
    const WORDS: [&str; 3] = ["none", "auto", "required"];
    match value {
        Value::String(word) if WORDS.contains(&word.as_str()) => Ok(()),
        Value::String(word) => {
            let evidence = Evidence::Inferred;
            Err(refusal::invalid_value("endpoints", evidence, path, word, &WORDS))
        }
        Value::Object(_) => Ok(()),
        _ => Err(refusal::invalid_type(
            path,
            "one of a string or object",
            type_of(value),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_in_the_shape_of_chat_completions_misses_its_name() {
        let tools = json!([{"type": "function", "function": {"name": "f"}}]);
        let error = check("tools", &tools).expect_err("refused");
        assert_eq!(error.message, "Missing required parameter: 'tools[0].name'.");
    }

    #[test]
    fn a_type_that_is_none_is_refused() {
        let error = check("tools", &json!([{"type": "retrieval"}])).expect_err("refused");
        assert_eq!(error.param.as_deref(), Some("tools[0].type"));
        assert_eq!(check("tools", &json!([{"type": "web_search"}])), Ok(()));
    }
}
