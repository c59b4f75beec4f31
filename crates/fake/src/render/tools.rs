//! How `tools` and `text` of a request are echoed (`tests/facts/endpoints.md`, Tool echo defaults).

use holdover_wire::Members as _;
use std::sync::LazyLock;

use holdover_wire::text::JsonText;
use holdover_wire::{CreateRequest, Object};
use serde_json::{Value, json};

/// `tools` of the response, normalised.
pub(crate) fn tools(request: CreateRequest<'_>) -> Value {
    request.tools().map(|tool| Value::Object(echo(tool))).collect()
}

fn echo(tool: &Object) -> Object {
    match tool.member("type").and_then(Value::as_str).unwrap_or("") {
        "function" => function(tool),
        "web_search" | "web_search_2025_08_26" => with_defaults(
            tool,
            &[
                ("filters", Value::Null),
                ("search_context_size", "medium".into()),
                (
                    "user_location",
                    json!({"type": "approximate", "city": null, "country": "US", "region": null, "timezone": null}),
                ),
            ],
        ),
        "file_search" => with_defaults(
            tool,
            &[
                ("filters", Value::Null),
                ("max_num_results", 20.into()),
                (
                    "ranking_options",
                    json!({"ranker": "auto", "score_threshold": 0.0}),
                ),
            ],
        ),
        "image_generation" => with_defaults(
            tool,
            &[
                ("background", "auto".into()),
                ("moderation", "auto".into()),
                ("n", 1.into()),
                ("output_compression", 100.into()),
                ("output_format", "png".into()),
                ("quality", "auto".into()),
                ("size", "auto".into()),
            ],
        ),
        "mcp" => with_defaults(
            tool,
            &[
                ("allowed_tools", Value::Null),
                ("headers", Value::Null),
                ("server_url", Value::Null),
            ],
        ),
        _ => tool.clone(),
    }
}

fn with_defaults(tool: &Object, defaults: &[(&str, Value)]) -> Object {
    let mut echo = tool.clone();
    for (name, value) in defaults {
        if !echo.contains_key(*name) {
            echo.insert((*name).to_owned(), value.clone());
        }
    }
    echo
}

/// Key order `type, …, description, name, parameters, strict`; `strict` shows what the server made of it.
fn function(tool: &Object) -> Object {
    let mut echo = Object::with_capacity(tool.len() + 2);
    echo.insert("type".to_owned(), "function".into());
    let other = tool
        .iter()
        .filter(|(name, _)| !FUNCTION_MEMBERS.contains(&name.as_str()));
    for (name, value) in other {
        echo.insert(name.clone(), value.clone());
    }
    let member = |name: &str| tool.member(name).cloned().unwrap_or(Value::Null);
    for name in ["description", "name"] {
        echo.insert(name.to_owned(), member(name));
    }
    if tool.member("output_schema").is_some() {
        echo.insert("output_schema".to_owned(), member("output_schema"));
    }
    let parameters = member("parameters");
    let strict = match tool.member("strict") {
        Some(Value::Bool(strict)) => *strict,
        _ => is_strict(&parameters),
    };
    echo.insert("parameters".to_owned(), parameters);
    echo.insert("strict".to_owned(), strict.into());
    echo
}

const FUNCTION_MEMBERS: [&str; 6] = [
    "type",
    "description",
    "name",
    "output_schema",
    "parameters",
    "strict",
];

/// Whether a schema keeps the rules of strict mode: each object closes itself and requires all its properties.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            let closed = match object.member("properties").and_then(Value::as_object) {
                Some(properties) => requires_all(object, properties),
                None => true,
            };
            closed && object.values().all(is_strict)
        }
        Value::Array(values) => values.iter().all(is_strict),
        _ => true,
    }
}

fn requires_all(object: &Object, properties: &Object) -> bool {
    let required = object.member("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|list| list.iter().any(|entry| entry == name));
    object.member("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(is_required)
}

/// Writes `text` of the response.
pub(crate) fn write_text(request: CreateRequest<'_>, out: &mut JsonText) {
    match request.member("text") {
        Some(asked) => out.value(&text(Some(asked))),
        None => out.value(&PLAIN_TEXT),
    }
}

/// What is echoed where nothing was asked.
static PLAIN_TEXT: LazyLock<Value> = LazyLock::new(|| text(None));

fn text(text: Option<&Value>) -> Value {
    let member = |name: &str| {
        text.and_then(|text| text.member(name))
            .filter(|value| !value.is_null())
    };
    let format = match member("format").and_then(Value::as_object) {
        Some(format) => self::format(format),
        None => json!({"type": "text"}),
    };
    let verbosity = member("verbosity").cloned().unwrap_or_else(|| "medium".into());
    json!({"format": format, "verbosity": verbosity})
}

fn format(format: &Object) -> Value {
    if format.member("type").and_then(Value::as_str) != Some("json_schema") {
        return Value::Object(format.clone());
    }
    let member = |name: &str| format.member(name).cloned().unwrap_or(Value::Null);
    let strict = format.member("strict").and_then(Value::as_bool).unwrap_or(false);
    json!({
        "type": "json_schema",
        "description": member("description"),
        "name": member("name"),
        "schema": member("schema"),
        "strict": strict,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echoed(tool: &Value) -> String {
        let body = json!({"tools": [tool]});
        let request = CreateRequest::new(body.as_object().expect("object"));
        tools(request)[0].to_string()
    }

    #[test]
    fn a_function_is_echoed_as_in_the_examples() {
        // `tests/facts/examples/04b_function_output_turn.json`: name before description in, description first out.
        let parameters = r#"{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}"#;
        let schema: Value = serde_json::from_str(parameters).expect("JSON");
        let tool =
            json!({"type": "function", "name": "get_weather", "description": "d", "parameters": schema});
        let expected = format!(
            r#"{{"type":"function","description":"d","name":"get_weather","parameters":{parameters},"strict":true}}"#
        );
        assert_eq!(echoed(&tool), expected);
    }

    #[test]
    fn a_schema_that_cannot_be_strict_is_echoed_so() {
        let tool = json!({"type": "function", "name": "f", "parameters": {"type": "object", "properties": {"a": {}}}});
        assert!(echoed(&tool).ends_with(r#""strict":false}"#));
        let tool =
            json!({"type": "function", "name": "f", "strict": false, "parameters": {"type": "object"}});
        assert!(echoed(&tool).ends_with(r#""strict":false}"#));
    }

    #[test]
    fn a_json_schema_format_is_echoed_as_in_example_08() {
        let body =
            json!({"text": {"format": {"type": "json_schema", "name": "n", "strict": true, "schema": {}}}});
        let request = CreateRequest::new(body.as_object().expect("object"));
        assert_eq!(
            text(request.member("text")).to_string(),
            r#"{"format":{"type":"json_schema","description":null,"name":"n","schema":{},"strict":true},"verbosity":"medium"}"#
        );
    }
}
