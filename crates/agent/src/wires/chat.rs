//! Chat completions (`tests/facts/providers.md` sections 2 and 4 to 9).

use holdover_profile::provider::Endpoint;
use holdover_wire::neutral::Carrier;
use holdover_wire::{Item, Object, Wire};
use serde_json::{Value, json};

use super::part;
use super::talk::{Call, Foreign, Said, Told, output_text, told, tools};

/// The messages of a history.
pub(super) fn messages(said: &[Said<'_>], endpoint: &Endpoint, foreign: Foreign) -> Vec<Value> {
    let each = said.iter().flat_map(|said| match said {
        Said::User(text) => vec![json!({"role": "user", "content": text})],
        Said::Outputs(outputs) => outputs.iter().map(|item| output(item)).collect(),
        Said::Issued(items) => {
            let message = part::message(Wire::ChatCompletions, items).map(sendable);
            message.map(Value::Object).into_iter().collect()
        }
        Said::Told(items) => retold(&told(items, foreign), endpoint).into_iter().collect(),
    });
    each.collect()
}

/// The developer's message.
pub(super) fn system(text: &str) -> Value {
    json!({"role": "system", "content": text})
}

/// The tools of a request.
pub(super) fn declared(list: &[Value]) -> Option<Value> {
    let functions: Vec<Value> = tools(list)
        .into_iter()
        .map(|tool| {
            let mut function = json!({"name": tool.name, "parameters": tool.parameters});
            if let Some(about) = tool.about {
                function["description"] = about.into();
            }
            json!({"type": "function", "function": function})
        })
        .collect();
    (!functions.is_empty()).then(|| functions.into())
}

fn output(item: &Item) -> Value {
    json!({"role": "tool", "tool_call_id": item.call_id(), "content": output_text(item)})
}

/// A message that lost its text still says that it has none.
fn sendable(mut message: Object) -> Object {
    message.entry("content".to_owned()).or_insert(Value::Null);
    message
}

fn retold(told: &Told<'_>, endpoint: &Endpoint) -> Option<Value> {
    let Told { blobs, text, calls } = told;
    if text.is_empty() && calls.is_empty() && blobs.is_empty() {
        return None;
    }
    let content = if text.is_empty() {
        Value::Null
    } else {
        text.clone().into()
    };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = calls.iter().map(call).collect();
    }
    for blob in blobs {
        let payload = blob.payload.unwrap_or_default();
        let told = if blob.text.is_empty() { payload } else { &blob.text };
        match endpoint.speech.writes {
            Some(Carrier::ReasoningDetails) => {
                message["reasoning_details"] =
                    json!([{"type": "reasoning.text", "text": blob.text, "signature": payload}]);
            }
            Some(Carrier::Reasoning) => message["reasoning"] = told.into(),
            Some(Carrier::ToolSignature) if !calls.is_empty() => {
                message["tool_calls"][0]["extra_content"] = json!({"google": {"thought_signature": payload}});
            }
            _ => message["reasoning_content"] = told.into(),
        }
    }
    Some(message)
}

fn call(call: &Call<'_>) -> Value {
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
}
