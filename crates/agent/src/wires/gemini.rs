//! `generateContent` of Gemini (`tests/facts/providers.md` section 3.1).

use holdover_wire::{Item, Wire};
use serde_json::{Value, json};

use super::part;
use super::talk::{Foreign, Said, Told, output_text, told, tool_of, tools};

/// The contents of a history. `items` are all of it: an output names the tool whose call it answers.
pub(super) fn contents(said: &[Said<'_>], items: &[Item], foreign: Foreign) -> Vec<Value> {
    let each = said.iter().filter_map(|said| match said {
        Said::User(text) => Some(json!({"role": "user", "parts": [{"text": text}]})),
        Said::Outputs(outputs) => {
            let parts: Vec<Value> = outputs.iter().map(|item| response(item, items)).collect();
            Some(json!({"role": "user", "parts": parts}))
        }
        Said::Issued(list) => part::message(Wire::GeminiGenerate, list).map(Value::Object),
        Said::Told(list) => retold(&told(list, foreign)),
    });
    each.collect()
}

/// The instructions of a request.
pub(super) fn system(text: &str) -> Value {
    json!({"parts": [{"text": text}]})
}

/// The tools of a request.
pub(super) fn declared(list: &[Value]) -> Option<Value> {
    let declared: Vec<Value> = tools(list)
        .into_iter()
        .map(|tool| {
            let mut one = json!({"name": tool.name, "parametersJsonSchema": tool.parameters});
            if let Some(about) = tool.about {
                one["description"] = about.into();
            }
            one
        })
        .collect();
    (!declared.is_empty()).then(|| json!([{"functionDeclarations": declared}]))
}

fn response(item: &Item, items: &[Item]) -> Value {
    let output = json!({"output": output_text(item)});
    json!({"functionResponse": {"name": tool_of(items, item), "id": item.call_id(), "response": output}})
}

fn retold(told: &Told<'_>) -> Option<Value> {
    let text = (!told.text.is_empty()).then(|| json!({"text": told.text}));
    let calls = told.calls.iter().map(|call| {
        let args: Value = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
        json!({"functionCall": {"name": call.name, "args": args, "id": call.id}})
    });
    let mut parts: Vec<Value> = text.into_iter().chain(calls).collect();
    let signature = told.blobs.iter().find_map(|blob| blob.payload);
    let is_call = |part: &Value| part.get("functionCall").is_some();
    let place = parts.iter().position(is_call).unwrap_or_default();
    if let (Some(signature), Some(part)) = (signature, parts.get_mut(place)) {
        part["thoughtSignature"] = signature.into();
    }
    (!parts.is_empty()).then(|| json!({"role": "model", "parts": parts}))
}
