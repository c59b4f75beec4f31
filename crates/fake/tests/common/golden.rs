//! Whole bodies and streams against the examples: the same members in the same order, of the same types.

use holdover_wire::{Reply, ReplyPart};
use serde_json::{Value, json};

/// A value with every leaf replaced by its type; a list keeps one entry for each kind of entry it has in a row.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => "bool".into(),
        Value::Number(number) if number.is_f64() => "decimal".into(),
        Value::Number(_) => "integer".into(),
        Value::String(_) => "text".into(),
        Value::Array(values) => {
            let mut shapes: Vec<Value> = values.iter().map(shape).collect();
            shapes.dedup();
            Value::Array(shapes)
        }
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| {
                let keeps = matches!(
                    name.as_str(),
                    "type" | "object" | "status" | "role" | "phase" | "reason"
                );
                let value = if keeps { value.clone() } else { shape(value) };
                (name.clone(), value)
            })
            .collect(),
    }
}

/// Asserts that two bodies have one shape, in the order of the wire.
pub fn same_shape(actual: &Value, expected: &Value) {
    assert_eq!(shape(actual).to_string(), shape(expected).to_string());
}

/// Asserts that two streams have the same events in the same order and of the same shape; runs of deltas count once.
pub fn same_stream(actual: &[Value], expected: &[Value]) {
    let folded = |events: &[Value]| {
        let mut shapes: Vec<String> = events.iter().map(|event| shape(event).to_string()).collect();
        shapes.dedup();
        shapes
    };
    let (ours, theirs) = (folded(actual), folded(expected));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}

/// The names of events, runs of deltas once, without `response.`.
pub fn names(events: &[Value]) -> Vec<String> {
    let name = |event: &Value| event["type"].as_str().expect("type").to_owned();
    let mut names: Vec<String> = events.iter().map(name).collect();
    names.dedup();
    names
        .iter()
        .map(|name| name.strip_prefix("response.").unwrap_or(name).to_owned())
        .collect()
}

/// The numbers of a stream that goes on without a gap from here.
pub fn numbers_from(events: &[Value], first: usize) {
    let numbers: Vec<&Value> = events.iter().map(|event| &event["sequence_number"]).collect();
    let expected: Vec<Value> = (first..first + events.len()).map(Value::from).collect();
    assert_eq!(numbers, expected.iter().collect::<Vec<_>>());
}

/// A reply of one pasted item.
pub fn pasted(item: &Value) -> ReplyPart {
    ReplyPart::Item(holdover_wire::Item::from_value(item).expect("an item"))
}

/// A reply of these parts.
pub fn reply(parts: impl Into<Vec<ReplyPart>>) -> Reply {
    Reply { parts: parts.into() }
}

/// A message with this text.
pub fn message(text: &str) -> ReplyPart {
    ReplyPart::Message {
        text: Some(text.to_owned()),
        phase: None,
    }
}

/// The request that every example stream answers.
pub fn request() -> Value {
    json!({"model": "gpt-5.6-sol", "input": "x", "stream": true})
}
