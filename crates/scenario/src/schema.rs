//! The JSON Schema of a scenario file, for editors: made from the tables of keys.

use serde_json::{Map, Value, json};

use crate::keys::{AGENT, Key, Kind, NameKind, ROOT, SERVER, Section};
use crate::vocabulary::{Names, Vocabulary};

/// The schema without the names of other crates: a rule, a slip or a model is any string.
pub fn schema() -> Value {
    schema_of(&Vocabulary::default())
}

/// The schema with the names of `vocabulary`, so that an editor can offer them.
pub fn schema_of(vocabulary: &Vocabulary) -> Value {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Holdover scenario",
    });
    if let (Value::Object(whole), Value::Object(root)) = (&mut schema, section(&ROOT, vocabulary)) {
        whole.extend(root);
        whole.insert("not".to_owned(), json!({ "required": ["agent", "client"] }));
    }
    schema
}

fn section(section: &'static Section, vocabulary: &Vocabulary) -> Value {
    let properties: Map<String, Value> = section
        .keys
        .iter()
        .map(|key| (key.name.to_owned(), property(key, vocabulary)))
        .collect();
    let mut schema = json!({
        "type": "object",
        "description": section.about,
        "properties": properties,
        "additionalProperties": false,
    });
    if !section.required.is_empty() {
        schema["required"] = json!(section.required);
    }
    schema
}

fn property(key: &Key, vocabulary: &Vocabulary) -> Value {
    let mut schema = kind(key, vocabulary);
    schema["description"] = key.about.into();
    schema
}

fn kind(key: &Key, vocabulary: &Vocabulary) -> Value {
    match key.kind {
        Kind::CaseName => json!({ "type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Number(low, i64::MAX) => json!({ "type": "integer", "minimum": low }),
        Kind::Number(low, high) => json!({ "type": "integer", "minimum": low, "maximum": high }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Words(words) => json!({ "type": "array", "items": { "enum": words } }),
        Kind::Name(names) => name(names, vocabulary),
        Kind::Names(names) => list(&name(names, vocabulary)),
        Kind::NameOrNames(names) => one_or_list(&name(names, vocabulary)),
        Kind::Texts => list(&json!({ "type": "string" })),
        Kind::Command => json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
        Kind::TextMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Kind::Switches => {
            json!({ "type": "object", "additionalProperties": { "type": ["string", "integer"] } })
        }
        Kind::WordMap(words) => json!({ "type": "object", "additionalProperties": { "enum": words } }),
        Kind::WordOrTexts(words) => {
            json!({ "anyOf": [{ "enum": words }, list(&json!({ "type": "string" }))] })
        }
        Kind::Section(inner) => section(inner, vocabulary),
        Kind::Sections(inner) => list(&section(inner, vocabulary)),
        Kind::Outputs => json!({ "type": "object", "minProperties": 1 }),
        Kind::Reply => json!({ "type": "array", "minItems": 1, "items": reply_part() }),
        Kind::Tools => list(&json!({ "type": ["string", "object"] })),
        Kind::Body | Kind::Policy => json!({ "type": ["string", "object"] }),
        Kind::Members => json!({ "type": "object" }),
        Kind::Fault => fault(vocabulary),
        Kind::Settings => settings(vocabulary, std::convert::identity),
        Kind::Matrix => settings(
            vocabulary,
            |value| json!({ "type": "array", "minItems": 1, "items": value }),
        ),
    }
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn one_or_list(one: &Value) -> Value {
    json!({ "anyOf": [one, list(one)] })
}

fn name(kind: NameKind, vocabulary: &Vocabulary) -> Value {
    let names = match kind {
        NameKind::Rule => &vocabulary.rules,
        NameKind::Slip => &vocabulary.slips,
        // A file may declare models of its own.
        NameKind::Model => &Names::Any,
        NameKind::Profile => &vocabulary.profiles,
        NameKind::Preset => &vocabulary.presets,
        NameKind::Refusal => &vocabulary.refusals,
        NameKind::Result => &vocabulary.results,
    };
    known(names)
}

fn known(names: &Names) -> Value {
    match names {
        Names::Any => json!({ "type": "string" }),
        Names::Only(names) => json!({ "enum": names }),
    }
}

fn fault(vocabulary: &Vocabulary) -> Value {
    let name = known(&vocabulary.faults);
    let table = json!({ "type": "object", "properties": { "name": name }, "required": ["name"] });
    json!({ "anyOf": [name, table] })
}

fn reply_part() -> Value {
    let text = json!({ "type": "string" });
    let message = json!({ "text": text, "phase": { "enum": ["commentary", "final_answer"] } });
    let call = json!({ "id": text, "name": text, "arguments": {} });
    let parts = json!({
        "reasoning": closed(&json!({ "summary": list(&text) }), &[]),
        "message": { "anyOf": [text, closed(&message, &[])] },
        "call": closed(&call, &["name"]),
        "custom-call": closed(&json!({ "id": text, "name": text, "input": text }), &["name"]),
        "refusal": text,
        "item": { "type": ["string", "object"] },
        "end": closed(&json!({ "incomplete": text, "failed": text, "message": text }), &[]),
    });
    let mut table = closed(&parts, &[]);
    table["minProperties"] = 1.into();
    table["maxProperties"] = 1.into();
    json!({ "anyOf": [{ "enum": ["reasoning", "message"] }, table] })
}

fn closed(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// The settings of both tables, bare where the key belongs to one of them, and under the table's name.
fn settings(vocabulary: &Vocabulary, shape: fn(Value) -> Value) -> Value {
    let of = |section: &'static Section| -> Map<String, Value> {
        let keys = section.keys.iter();
        keys.map(|key| (key.name.to_owned(), shape(property(key, vocabulary))))
            .collect()
    };
    let (server, agent) = (of(&SERVER), of(&AGENT));
    let is_shared = |key: &str| server.contains_key(key) && agent.contains_key(key);
    let both = server.iter().chain(&agent).filter(|(key, _)| !is_shared(key));
    let mut properties: Map<String, Value> = both.map(|(key, value)| (key.clone(), value.clone())).collect();
    properties.insert("server".to_owned(), closed(&Value::Object(server.clone()), &[]));
    properties.insert("agent".to_owned(), closed(&Value::Object(agent.clone()), &[]));
    closed(&Value::Object(properties), &[])
}
