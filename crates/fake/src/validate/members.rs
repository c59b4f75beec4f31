//! Members of a create request that have a shape of their own.

use holdover_wire::Members as _;
use holdover_wire::{ApiError, Evidence};
use serde_json::Value;

use crate::refusal;
use crate::validate::schema::{ANY_LENGTH, integer, of_type, text_of, word};

/// `conversation`: an id, or an object with one.
pub(crate) fn conversation(path: &str, value: &Value) -> Result<(), ApiError> {
    let id = match value {
        Value::String(id) => id.as_str(),
        Value::Object(object) => match object.member("id") {
            Some(Value::String(id)) => id,
            Some(id) => return of_type("conversation.id", id, "a string", id.is_string()),
            None => return Err(refusal::missing_parameter("conversation.id")),
        },
        _ => return of_type(path, value, "one of a string or object", value.is_string()),
    };
    if id.starts_with("conv_") {
        return Ok(());
    }
    Err(refusal::id_prefix(path, id, "conv_"))
}

const INCLUDES: [&str; 8] = [
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
];

/// `include`: the eight values (E14).
pub(crate) fn include(path: &str, value: &Value) -> Result<(), ApiError> {
    let Value::Array(values) = value else {
        return of_type(path, value, "an array of strings", value.is_array());
    };
    for (index, value) in values.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let text = text_of(&path, value, ANY_LENGTH)?;
        if !INCLUDES.contains(&text) {
            let evidence = Evidence::Measured;
            return Err(refusal::invalid_value("E14", evidence, &path, text, &INCLUDES));
        }
    }
    Ok(())
}

/// Pairs of `metadata` (`tests/facts/endpoints.md`, parameters).
const PAIRS_MAX: usize = 16;

/// Characters of a name in `metadata`.
const PAIR_NAME_CHARS_MAX: usize = 64;

/// `metadata`: a few short texts.
pub(crate) fn metadata(path: &str, value: &Value) -> Result<(), ApiError> {
    let Value::Object(pairs) = value else {
        return of_type(path, value, "an object", value.is_object());
    };
    if pairs.len() > PAIRS_MAX {
        return Err(refusal::too_many_properties(path, PAIRS_MAX, pairs.len()));
    }
    for (name, value) in pairs {
        let length = name.chars().count();
        if length > PAIR_NAME_CHARS_MAX {
            return Err(refusal::string_too_long(path, PAIR_NAME_CHARS_MAX, length));
        }
        text_of(&format!("{path}.{name}"), value, 512)?;
    }
    Ok(())
}

/// Smallest `compact_threshold`.
const THRESHOLD_MIN: i64 = 1_000;

/// `context_management`: at least one rule, of the one kind that there is.
pub(crate) fn context_management(path: &str, value: &Value) -> Result<(), ApiError> {
    let Value::Array(rules) = value else {
        return of_type(path, value, "an array", value.is_array());
    };
    for (index, rule) in rules.iter().enumerate() {
        let path = format!("{path}[{index}]");
        let Value::Object(rule) = rule else {
            return of_type(&path, rule, "an object", rule.is_object());
        };
        match rule.member("type") {
            Some(kind) => word(&format!("{path}.type"), kind, &["compaction"])?,
            None => return Err(refusal::missing_parameter(&format!("{path}.type"))),
        }
        if let Some(threshold) = rule.member("compact_threshold").filter(|value| !value.is_null()) {
            let path = format!("{path}.compact_threshold");
            integer(&path, threshold, THRESHOLD_MIN, i64::MAX)?;
        }
    }
    Ok(())
}

const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const SUMMARIES: [&str; 3] = ["auto", "concise", "detailed"];
const CONTEXTS: [&str; 3] = ["auto", "current_turn", "all_turns"];

/// `reasoning`: its words.
pub(crate) fn reasoning(path: &str, value: &Value) -> Result<(), ApiError> {
    let Value::Object(object) = value else {
        return of_type(path, value, "an object", value.is_object());
    };
    let words: [(&str, &[&str]); 4] = [
        ("effort", &EFFORTS),
        ("summary", &SUMMARIES),
        ("generate_summary", &SUMMARIES),
        ("context", &CONTEXTS),
    ];
    for (name, words) in words {
        if let Some(value) = object.member(name).filter(|value| !value.is_null()) {
            word(&format!("{path}.{name}"), value, words)?;
        }
    }
    Ok(())
}

/// `text`: verbosity and format.
pub(crate) fn text(path: &str, value: &Value) -> Result<(), ApiError> {
    let Value::Object(object) = value else {
        return of_type(path, value, "an object", value.is_object());
    };
    let member = |name: &str| object.member(name).filter(|value| !value.is_null());
    if let Some(verbosity) = member("verbosity") {
        word(
            &format!("{path}.verbosity"),
            verbosity,
            &["low", "medium", "high"],
        )?;
    }
    let Some(format) = member("format") else {
        return Ok(());
    };
    let path = format!("{path}.format");
    let Value::Object(object) = format else {
        return of_type(&path, format, "an object", format.is_object());
    };
    let Some(kind) = object.member("type") else {
        return Err(refusal::missing_parameter(&format!("{path}.type")));
    };
    word(
        &format!("{path}.type"),
        kind,
        &["json_object", "json_schema", "text"],
    )?;
    let needed: &[&str] = if kind == "json_schema" {
        &["name", "schema"]
    } else {
        &[]
    };
    match needed.iter().find(|name| !object.contains_key(**name)) {
        Some(name) => Err(refusal::missing_parameter(&format!("{path}.{name}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_sixteen_short_pairs() {
        let pairs = |count: usize, name: usize, value: usize| -> Value {
            let pair = |number: usize| (format!("{number:0name$}"), json!("v".repeat(value)));
            Value::Object((0..count).map(pair).collect())
        };
        assert_eq!(metadata("metadata", &pairs(16, 64, 512)), Ok(()));
        for wrong in [
            pairs(17, 2, 1),
            pairs(1, 65, 1),
            pairs(1, 2, 513),
            json!({"a": 1}),
            json!([]),
        ] {
            assert!(metadata("metadata", &wrong).is_err(), "{wrong}");
        }
    }
}
