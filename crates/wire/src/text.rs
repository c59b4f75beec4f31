//! JSON text that is written member by member, without a tree of values before it.
//!
//! Most of what a server answers is written once and looked into by nobody. The text is the one that `serde_json` writes
//! for the same values, byte for byte.

use serde::Serialize;
use serde_json::Value;

use crate::Object;

/// How a text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Without any space: the events of a stream.
    Compact,
    /// With an indent of two spaces and no line feed at the end: documents (`tests/facts/endpoints.md`, wire format).
    Indented,
}

/// A text that is being written. Whoever begins a container ends it, and names each member before its value.
#[derive(Debug)]
pub struct JsonText {
    out: Vec<u8>,
    layout: Layout,
    depth: usize,
    /// Whether the container that is written has nothing in it yet.
    is_empty: bool,
}

impl JsonText {
    /// An empty text with room for so many bytes.
    pub fn new(layout: Layout, bytes: usize) -> Self {
        Self {
            out: Vec::with_capacity(bytes),
            layout,
            depth: 0,
            is_empty: true,
        }
    }

    /// The text.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// Begins an object.
    pub fn begin(&mut self) {
        self.open(b'{');
    }

    /// Ends the object.
    pub fn end(&mut self) {
        self.close(b'}');
    }

    /// Names the next member. A name of the API holds nothing that JSON escapes.
    pub fn name(&mut self, name: &'static str) {
        self.next();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(match self.layout {
            Layout::Compact => b"\":",
            Layout::Indented => b"\": ",
        });
    }

    /// Names the next member as somebody else named it.
    fn any_name(&mut self, name: &str) {
        self.next();
        push_text(name, &mut self.out);
        self.out.extend_from_slice(match self.layout {
            Layout::Compact => b":",
            Layout::Indented => b": ",
        });
    }

    /// Writes `null`.
    pub fn null(&mut self) {
        self.out.extend_from_slice(b"null");
    }

    /// Writes `true` or `false`.
    pub fn flag(&mut self, flag: bool) {
        self.out.extend_from_slice(if flag { b"true" } else { b"false" });
    }

    /// Writes a whole number.
    pub fn number(&mut self, number: u64) {
        push_json(&number, &mut self.out);
    }

    /// Writes a number that always has its point.
    pub fn decimal(&mut self, number: f64) {
        push_json(&number, &mut self.out);
    }

    /// Writes a string.
    pub fn text(&mut self, text: &str) {
        push_text(text, &mut self.out);
    }

    /// Writes JSON that is laid out already.
    pub fn json(&mut self, json: &[u8]) {
        self.out.extend_from_slice(json);
    }

    /// Writes a string, or `null`.
    pub fn optional_text(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    /// Writes any value.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(flag) => self.flag(*flag),
            Value::Number(number) => push_json(number, &mut self.out),
            Value::String(text) => self.text(text),
            Value::Array(list) => self.list(list, Self::value),
            Value::Object(object) => self.object(object),
        }
    }

    /// Writes an object.
    pub fn object(&mut self, object: &Object) {
        self.begin();
        for (name, value) in object {
            self.any_name(name);
            self.value(value);
        }
        self.end();
    }

    /// Writes a list, each of its elements with `write`.
    pub fn list<T>(&mut self, elements: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.open(b'[');
        for element in elements {
            self.next();
            write(self, element);
        }
        self.close(b']');
    }

    fn open(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.depth += 1;
        self.is_empty = true;
    }

    fn close(&mut self, bracket: u8) {
        self.depth = self.depth.saturating_sub(1);
        if !self.is_empty {
            self.break_line();
        }
        self.out.push(bracket);
        self.is_empty = false;
    }

    /// What stands before a member or an element.
    fn next(&mut self) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        self.break_line();
    }

    fn break_line(&mut self) {
        if self.layout == Layout::Indented {
            self.out.push(b'\n');
            for _ in 0..self.depth {
                self.out.extend_from_slice(b"  ");
            }
        }
    }
}

/// Appends a string; most hold nothing that JSON escapes, and are copied.
fn push_text(text: &str, out: &mut Vec<u8>) {
    let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    // Without a way out in the middle, so that many bytes are looked at in one step.
    if text.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
        return push_json(text, out);
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn push_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    // Serializing a string or a number into memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn written(layout: Layout, value: &Value) -> String {
        let mut text = JsonText::new(layout, 0);
        text.value(value);
        String::from_utf8(text.finish()).expect("JSON")
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_value_is_written_as_the_json_crate_writes_it(value in any_value()) {
            let pretty = serde_json::to_string_pretty(&value).expect("JSON");
            prop_assert_eq!(written(Layout::Indented, &value), pretty);
            prop_assert_eq!(written(Layout::Compact, &value), value.to_string());
        }
    }

    #[test]
    fn what_json_escapes_is_escaped() {
        let mut out = Vec::new();
        push_text("a\"b\\c\nd\u{1}\u{7f}", &mut out);
        assert_eq!(out, "\"a\\\"b\\\\c\\nd\\u0001\u{7f}\"".as_bytes());
    }

    #[test]
    fn members_are_written_in_the_order_in_which_they_come() {
        let mut text = JsonText::new(Layout::Indented, 0);
        text.begin();
        text.name("b");
        text.list([1, 2], JsonText::number);
        text.name("a");
        text.begin();
        text.end();
        text.name("c");
        text.decimal(1.0);
        text.name("d");
        text.optional_text(None);
        text.end();
        let expected = "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": {},\n  \"c\": 1.0,\n  \"d\": null\n}";
        assert_eq!(text.finish(), expected.as_bytes());
        assert_eq!(written(Layout::Compact, &json!([[], {}])), "[[],{}]");
    }
}
