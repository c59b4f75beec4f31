//! Deterministic JSON that is valid for a JSON schema: what a function is called with, and what a structured answer holds.
//!
//! Required properties only, except where a schema names none as required. Numbers and lengths keep their limits,
//! patterns are met where they are regular. What cannot be met (a contradiction, `not`) is answered as well as can be.

use holdover_wire::Members as _;
mod numbers;
mod texts;

use std::cell::Cell;

use serde_json::{Map, Value, json};

use numbers::{integer, number};
use texts::{formatted, matching};

/// Depth at which only required members are followed further; schemas may be recursive.
const DEPTH_MAX: usize = 24;

/// Most values in one document: a schema that asks for more than that of itself cannot be met anyway.
const VALUES_MAX: u32 = 2_000;

/// Most elements of an array that a schema can ask for.
const ITEMS_MAX: u64 = 64;

/// A value for a schema; `text` is used where any string will do. Without a schema it is an empty object.
pub(crate) fn generate(schema: Option<&Value>, text: &str) -> Value {
    let empty = Value::Object(Map::new());
    let root = schema.filter(|schema| schema.is_object()).unwrap_or(&empty);
    let left = Cell::new(VALUES_MAX);
    let writer = Writer { root, text, left };
    if root.as_object().is_some_and(Map::is_empty) {
        return json!({});
    }
    writer.value(root, "", 0)
}

struct Writer<'a> {
    root: &'a Value,
    text: &'a str,
    /// Values that may still be written.
    left: Cell<u32>,
}

impl Writer<'_> {
    /// `name` is the property under which the value stands.
    fn value(&self, schema: &Value, name: &str, depth: usize) -> Value {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        if left == 0 || depth > 2 * DEPTH_MAX {
            return Value::Null;
        }
        let Value::Object(schema) = self.resolved(schema) else {
            return self.any_string(name);
        };
        if let Some(value) = schema.member("const") {
            return value.clone();
        }
        if let Some(value) = first_of(&schema, "enum") {
            return value;
        }
        if let Some(branch) = self.branch(&schema, depth) {
            let merged = merge(&schema, branch);
            return self.value(&merged, name, depth + 1);
        }
        match type_of(&schema) {
            "object" => self.object(&schema, depth),
            "array" => self.array(&schema, name, depth),
            "string" => self.string(&schema, name),
            "integer" => integer(&schema),
            "number" => number(&schema),
            "boolean" => Value::Bool(true),
            "null" => Value::Null,
            _ => self.any_string(name),
        }
    }

    /// A schema without its `$ref` and `allOf`: they are merged into it.
    fn resolved(&self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        for _ in 0..DEPTH_MAX {
            let Some(object) = schema.as_object_mut() else {
                break;
            };
            if let Some(Value::String(reference)) = object.remove("$ref") {
                let target = self.target(&reference).unwrap_or(Value::Bool(true));
                schema = merge(object, &target);
            } else if let Some(Value::Array(parts)) = object.remove("allOf") {
                let rest = Value::Object(object.clone());
                schema = parts.iter().fold(rest, |merged, part| {
                    merged
                        .as_object()
                        .map_or(Value::Bool(true), |merged| merge(merged, part))
                });
            } else {
                break;
            }
        }
        schema
    }

    /// `#` and JSON pointers into the schema itself; anything else is met by any value.
    fn target(&self, reference: &str) -> Option<Value> {
        let pointer = reference.strip_prefix('#')?;
        let pointer = pointer.replace("%24", "$").replace("%7E", "~");
        self.root.pointer(&pointer).cloned()
    }

    /// The branch of `anyOf` or `oneOf` to take: the first, or deep down the shallowest, so that recursion ends.
    fn branch<'s>(&self, schema: &'s Map<String, Value>, depth: usize) -> Option<&'s Value> {
        let branches = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|name| schema.member(name)?.as_array())?;
        let is_flat = |branch: &&Value| {
            let resolved = self.resolved(branch);
            let kind = resolved.as_object().map(type_of);
            !matches!(kind, Some("object" | "array"))
        };
        let flat = || branches.iter().find(is_flat);
        let first = branches.first();
        if depth > DEPTH_MAX / 4 {
            flat().or(first)
        } else {
            first
        }
    }

    fn object(&self, schema: &Map<String, Value>, depth: usize) -> Value {
        let mut object = Map::new();
        let properties = schema.member("properties").and_then(Value::as_object);
        let required = schema.member("required").and_then(Value::as_array);
        let is_required = |name: &str| match required {
            Some(required) => required.iter().any(|entry| entry == name),
            // Nothing is said: one level is filled in, because an empty call tells nothing.
            None => depth == 0,
        };
        if depth < DEPTH_MAX {
            let wanted = properties
                .into_iter()
                .flatten()
                .filter(|(name, _)| is_required(name));
            for (name, schema) in wanted {
                object.insert(name.clone(), self.value(schema, name, depth + 1));
            }
        }
        self.undeclared(schema, properties, &mut object, depth);
        Value::Object(object)
    }

    /// Required names without a property, and as many members as `minProperties` asks for.
    fn undeclared(
        &self,
        schema: &Map<String, Value>,
        properties: Option<&Map<String, Value>>,
        object: &mut Map<String, Value>,
        depth: usize,
    ) {
        let any = Value::Bool(true);
        let additional = schema.member("additionalProperties").unwrap_or(&any);
        let required = schema.member("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        for name in names {
            if !object.contains_key(name) && depth < DEPTH_MAX {
                object.insert(name.to_owned(), self.value(additional, name, depth + 1));
            }
        }
        let least = schema
            .member("minProperties")
            .and_then(Value::as_u64)
            .unwrap_or(0)
            .min(ITEMS_MAX);
        let optional = properties.into_iter().flatten();
        let optional = optional.map(|(name, schema)| (name.clone(), schema));
        let invented = (1..=least).map(|number| (format!("key_{number}"), additional));
        for (name, schema) in optional.chain(invented) {
            if object.len() as u64 >= least {
                break;
            }
            if !object.contains_key(&name) {
                let value = self.value(schema, &name, depth + 1);
                object.insert(name, value);
            }
        }
    }

    fn array(&self, schema: &Map<String, Value>, name: &str, depth: usize) -> Value {
        let prefix = schema.member("prefixItems").and_then(Value::as_array);
        let prefix = prefix.map_or(&[][..], Vec::as_slice);
        let limit = |name: &str| schema.member(name).and_then(Value::as_u64);
        let least = limit("minItems").unwrap_or(0).max(prefix.len() as u64);
        let wanted = if depth == 1 { least.max(1) } else { least };
        let most = limit("maxItems").unwrap_or(ITEMS_MAX).min(ITEMS_MAX);
        let any = Value::Bool(true);
        let rest = schema.member("items").unwrap_or(&any);
        let is_unique = schema.member("uniqueItems") == Some(&Value::Bool(true));
        let mut items: Vec<Value> = Vec::new();
        for index in 0..wanted.min(most) {
            let place = usize::try_from(index).unwrap_or(usize::MAX);
            let schema = prefix.get(place).unwrap_or(rest);
            let value = self.value(schema, name, depth + 1);
            let value = if is_unique {
                self.distinct(value, &items, schema)
            } else {
                value
            };
            items.push(value);
        }
        Value::Array(items)
    }

    /// A value that is not there yet: the next of an enumeration, the next number, a longer string.
    fn distinct(&self, value: Value, items: &[Value], schema: &Value) -> Value {
        let schema = self.resolved(schema);
        let listed = schema
            .member("enum")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        if let Some(free) = listed.clone().find(|listed| !items.contains(listed)) {
            return free.clone();
        }
        let count = items.len();
        match &value {
            _ if !items.contains(&value) => value,
            Value::String(text) => format!("{text}{count}").into(),
            Value::Number(number) if !number.is_f64() => {
                (number.as_i64().unwrap_or(0) + i64::try_from(count).unwrap_or(0)).into()
            }
            Value::Number(number) => (number.as_f64().unwrap_or(0.0) + 1.0).into(),
            Value::Bool(flag) => Value::Bool(!flag),
            _ => value,
        }
    }

    fn any_string(&self, name: &str) -> Value {
        if self.text.is_empty() {
            name.into()
        } else {
            self.text.into()
        }
    }

    fn string(&self, schema: &Map<String, Value>, name: &str) -> Value {
        let limit = |name: &str| {
            let limit = schema.member(name).and_then(Value::as_u64);
            limit.and_then(|limit| usize::try_from(limit).ok())
        };
        let word = |name: &str| schema.member(name).and_then(Value::as_str);
        let exact = word("pattern")
            .and_then(|pattern| matching(pattern, limit("minLength").unwrap_or(0)))
            .or_else(|| word("format").and_then(formatted).map(ToOwned::to_owned));
        if let Some(text) = exact {
            return text.into();
        }
        let text = if self.text.is_empty() { name } else { self.text };
        let least = limit("minLength").unwrap_or(0).min(65_536);
        let length = text.chars().count();
        let filler = std::iter::repeat_n('x', least.saturating_sub(length));
        let most = limit("maxLength").unwrap_or(usize::MAX);
        text.chars().chain(filler).take(most).collect::<String>().into()
    }
}

fn first_of(schema: &Map<String, Value>, name: &str) -> Option<Value> {
    schema.member(name)?.as_array()?.first().cloned()
}

/// The type of a schema: the first that is not null, else what its members tell.
fn type_of(schema: &Map<String, Value>) -> &str {
    match schema.member("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str);
            names.find(|name| *name != "null").unwrap_or("null")
        }
        _ => told_type(schema),
    }
}

fn told_type(schema: &Map<String, Value>) -> &'static str {
    let has = |names: &[&str]| names.iter().any(|name| schema.contains_key(*name));
    if has(&["properties", "required", "additionalProperties", "minProperties"]) {
        "object"
    } else if has(&["items", "prefixItems", "minItems"]) {
        "array"
    } else if has(&["minimum", "maximum", "multipleOf", "exclusiveMinimum"]) {
        "number"
    } else {
        "string"
    }
}

/// A schema and what stands beside its reference or branch: properties and required names of both, the narrower limits.
fn merge(base: &Map<String, Value>, other: &Value) -> Value {
    let mut merged = base.clone();
    merged.remove("anyOf");
    merged.remove("oneOf");
    let Some(other) = other.as_object() else {
        return Value::Object(merged);
    };
    for (name, value) in other {
        let value = match (name.as_str(), merged.get(name), value) {
            ("properties", Some(Value::Object(own)), Value::Object(other)) => {
                let mut both = own.clone();
                both.extend(other.clone());
                Value::Object(both)
            }
            ("required", Some(Value::Array(own)), Value::Array(other)) => {
                own.iter().chain(other).cloned().collect()
            }
            (name, Some(own), other) if name.starts_with("min") || name.starts_with("exclusiveMin") => {
                wider(own, other, f64::gt)
            }
            (name, Some(own), other) if name.starts_with("max") || name.starts_with("exclusiveMax") => {
                wider(own, other, f64::lt)
            }
            (_, _, value) => value.clone(),
        };
        merged.insert(name.clone(), value);
    }
    Value::Object(merged)
}

/// The one of two limits that wins.
fn wider(own: &Value, other: &Value, wins: fn(&f64, &f64) -> bool) -> Value {
    match (own.as_f64(), other.as_f64()) {
        (Some(left), Some(right)) if wins(&left, &right) => own.clone(),
        _ => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valid(schema: &Value) -> Value {
        let value = generate(Some(schema), "");
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(schema)
            .expect("a schema");
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{value} for {schema}");
        value
    }

    #[test]
    fn objects_hold_what_is_required() {
        let schema = json!({"type": "object", "properties": {"city": {"type": "string"}, "unit": {"enum": ["c", "f"]}, "note": {"type": "string"}},
            "required": ["city", "unit"], "additionalProperties": false});
        assert_eq!(valid(&schema), json!({"city": "city", "unit": "c"}));
    }

    #[test]
    fn numbers_keep_their_limits() {
        for schema in [
            json!({"type": "integer", "minimum": 3, "maximum": 9, "multipleOf": 4}),
            json!({"type": "integer", "maximum": -2}),
            json!({"type": "integer", "exclusiveMinimum": 1}),
            json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.1}),
            json!({"type": "number", "minimum": 0.5, "multipleOf": 0.25}),
            json!({"type": "number", "maximum": 0}),
        ] {
            valid(&schema);
        }
    }

    #[test]
    fn strings_keep_patterns_formats_and_lengths() {
        for schema in [
            json!({"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$"}),
            json!({"type": "string", "pattern": "^(foo|bar)+$", "minLength": 9}),
            json!({"type": "string", "pattern": "^[^a]+$"}),
            json!({"type": "string", "minLength": 30, "maxLength": 40}),
            json!({"type": "string", "maxLength": 2}),
            json!({"type": "string", "format": "date-time"}),
            json!({"type": "string", "format": "uuid"}),
            json!({"type": "string", "format": "email"}),
        ] {
            valid(&schema);
        }
    }

    #[test]
    fn references_branches_and_arrays() {
        for schema in [
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"b": {"$ref": "#/$defs/b"}}, "required": ["b"]}, "b": {"type": "integer", "minimum": 7}}}),
            json!({"type": "object", "properties": {"x": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "y": {"type": ["integer", "null"]}}, "required": ["x", "y"]}),
            json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"const": 5}}, "required": ["b"]}]}),
            json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 3}),
            json!({"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 3, "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "integer"}, "minItems": 4, "uniqueItems": true}),
            json!({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2}),
            json!({"type": "object", "additionalProperties": {"type": "number"}, "minProperties": 2}),
            json!({"type": "object", "required": ["free"], "additionalProperties": {"type": "boolean"}}),
        ] {
            valid(&schema);
        }
    }

    #[test]
    fn recursive_schemas_end() {
        let schema = json!({"type": "object", "properties": {"value": {"type": "string"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
            "required": ["value", "next"], "additionalProperties": false});
        valid(&schema);
        // Without a way out the depth is the limit.
        let endless = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]});
        assert!(generate(Some(&endless), "").is_object());
        let branches = json!({"type": "object", "properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}, "required": ["l", "r"]});
        assert!(generate(Some(&branches), "").to_string().len() < 100_000);
        for loops in [json!({"$ref": "#"}), json!({"anyOf": [{"$ref": "#"}]})] {
            let _ = generate(Some(&loops), "");
        }
    }

    #[test]
    fn a_text_stands_where_any_string_will_do() {
        let schema =
            json!({"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]});
        assert_eq!(generate(Some(&schema), "Hi."), json!({"answer": "Hi."}));
        assert_eq!(generate(None, "Hi."), json!({}));
    }
}
