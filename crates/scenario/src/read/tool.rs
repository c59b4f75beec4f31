//! Tools of the agent: as the file declares them, or as its scripted calls imply them.

use serde_json::{Map, Value, json};

use super::fields::{Fields, Reader};
use super::json as pasted;
use super::turn::Script;
use crate::tree;

/// `tools`, else one function for each name that a reply calls, in order of the first call.
pub(crate) fn read(reader: &mut Reader<'_>, agent: &Fields<'_>, script: &Script) -> Vec<Value> {
    if agent.get("tools").is_none() {
        return implied(script);
    }
    let nodes = reader.list(agent, "tools");
    nodes.iter().filter_map(|node| declared(reader, node)).collect()
}

/// One function for each name that a reply calls.
pub(crate) fn implied(script: &Script) -> Vec<Value> {
    let mut tools: Vec<Value> = Vec::new();
    for tool in script.calls.iter().filter_map(|made| made.call.tool.as_ref()) {
        if !tools.iter().any(|known| known["name"] == tool["name"]) {
            tools.push(tool.clone());
        }
    }
    tools
}

fn declared(reader: &mut Reader<'_>, node: &tree::Node) -> Option<Value> {
    match &node.value {
        tree::Value::Text(text) if text.trim_start().starts_with('{') => {
            let text = reader.text_of("a tool", node)?;
            pasted::parse(reader, &text)
        }
        tree::Value::Text(name) => Some(of_call(name, None)),
        tree::Value::Table(_) => Some(with_type(node.to_json())),
        _ => {
            reader.wrong_type("a tool", "a name, a table or JSON in a string", node);
            None
        }
    }
}

/// A table with a name and no type is a function.
fn with_type(tool: Value) -> Value {
    match tool {
        Value::Object(members) if !members.contains_key("type") => {
            let mut whole = Map::new();
            whole.insert("type".to_owned(), "function".into());
            whole.extend(members);
            Value::Object(whole)
        }
        other => other,
    }
}

/// A tool that takes free text.
pub(crate) fn custom(name: &str) -> Value {
    json!({ "type": "custom", "name": name })
}

/// A function that takes the arguments of one call: each is required, nothing else is allowed.
pub(crate) fn of_call(name: &str, arguments: Option<&str>) -> Value {
    let arguments: Map<String, Value> = arguments
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let required: Vec<&String> = arguments.keys().collect();
    let types = arguments
        .iter()
        .map(|(key, value)| (key.clone(), json!({ "type": type_of(value) })));
    let properties: Map<String, Value> = types.collect();
    json!({
        "type": "function",
        "name": name,
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        },
        "strict": true,
    })
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_takes_the_arguments_of_its_call() {
        let tool = of_call("lookup", Some(r#"{"key":"a","depth":2}"#));
        assert_eq!(tool["parameters"]["properties"]["key"]["type"], "string");
        assert_eq!(tool["parameters"]["properties"]["depth"]["type"], "integer");
        assert_eq!(tool["parameters"]["required"], json!(["key", "depth"]));
    }

    #[test]
    fn arguments_that_are_no_object_give_a_function_without_parameters() {
        assert_eq!(
            of_call("lookup", Some("not json"))["parameters"]["properties"],
            json!({})
        );
        assert_eq!(of_call("lookup", None)["parameters"]["required"], json!([]));
    }
}
