//! JSON Schemas (2020-12) of what other programs read. `holdover schema NAME` prints them; the copies under `schema/`
//! are held equal by a test. New members may come in any version: a reader skips what it does not know.
//!
//! | module | what is there |
//! |---|---|
//! | [`findings`] | the JSON output of a verdict |
//! | [`recording`] | one line of a recording |

use serde_json::{Value, json};

pub mod findings;
pub mod recording;

/// A schema as a file holds it: an indent of two spaces, a line feed at the end.
pub fn text(schema: &Value) -> String {
    // A value has string keys only, so serializing cannot fail.
    let mut text = serde_json::to_string_pretty(schema).unwrap_or_default();
    text.push('\n');
    text
}

/// A described member of one or several JSON types.
pub(crate) fn member(types: &Value, description: &str) -> Value {
    json!({"type": types, "description": description})
}

/// A described word out of a list.
pub(crate) fn one_of(words: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": words, "description": description})
}

/// A described number that counts something.
pub(crate) fn count(description: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": description})
}
