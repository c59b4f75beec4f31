//! The file as a tree of values with their spans, in file order.
//!
//! `toml` keeps tables sorted by key and its syntax errors apart; here both are brought into the form that the
//! rest of the crate reads: entries in the order in which they stand, spans clipped to the text.

mod syntax;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Problem, Span, ceiling, floor};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) span: Span,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    /// `None` when the digits do not fit.
    Integer(Option<i64>),
    Float(Option<f64>),
    Flag(bool),
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

impl Node {
    /// What a message calls the type of the value, with its article.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Flag(_) => "a boolean",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The entries of a table; nothing for any other type.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The node under `key`, when this is a table that has it.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The value as JSON: tables in file order, dates as text, numbers that do not fit as `null`.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Text(text) | Value::Date(text) => text.as_str().into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Flag(flag) => (*flag).into(),
            Value::List(nodes) => nodes.iter().map(Self::to_json).collect(),
            Value::Table(entries) => {
                let members = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.node.to_json()));
                serde_json::Value::Object(members.collect())
            }
        }
    }

    /// The value as a case name shows it: a text as it is, anything else as compact JSON.
    pub(crate) fn shown(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            _ => self.to_json().to_string(),
        }
    }
}

/// What there is of a tree, and what is wrong with the text.
pub(crate) struct Parsed {
    pub(crate) root: Node,
    /// A problem for each syntax error.
    pub(crate) problems: Vec<Problem>,
    /// Spans of which nothing sure can be said.
    pub(crate) ruined: Vec<Span>,
}

/// Parses the text as far as it can be read.
pub(crate) fn parse(file: &str, text: &str) -> Parsed {
    let (table, errors) = DeTable::parse_recoverable(text);
    let root = Node {
        value: Value::Table(entries(text, table.get_ref())),
        span: 0..0,
    };
    let (problems, ruined) = syntax::problems(file, text, &root, &errors);
    Parsed {
        root,
        problems,
        ruined,
    }
}

fn entries(text: &str, table: &DeTable<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = table.iter().map(|(key, value)| entry(text, key, value)).collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

fn entry(text: &str, key: &Spanned<std::borrow::Cow<'_, str>>, value: &Spanned<DeValue<'_>>) -> Entry {
    Entry {
        key: key.get_ref().to_string(),
        key_span: clip(text, key.span()),
        node: node(text, value),
    }
}

fn node(text: &str, value: &Spanned<DeValue<'_>>) -> Node {
    let span = clip(text, value.span());
    let value = match value.get_ref() {
        DeValue::String(string) => Value::Text(string.to_string()),
        DeValue::Integer(number) => Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()),
        DeValue::Float(number) => Value::Float(number.as_str().parse().ok()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(array) => Value::List(array.iter().map(|value| node(text, value)).collect()),
        DeValue::Table(table) => Value::Table(entries(text, table)),
    };
    Node { value, span }
}

/// The span inside the text, on character boundaries, never reversed.
fn clip(text: &str, span: Span) -> Span {
    let start = floor(text, span.start);
    let end = ceiling(text, span.end).max(start);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_in_file_order() {
        let Parsed { root, problems, .. } = parse("a.toml", "zeta = 1\nalpha = 2\n[mid]\nx = 'y'\n");
        assert_eq!(problems, []);
        let keys: Vec<_> = root.entries().iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["zeta", "alpha", "mid"]);
        assert_eq!(
            root.get("mid")
                .expect("the table")
                .node
                .get("x")
                .expect("x")
                .node
                .span,
            29..32
        );
    }

    #[test]
    fn two_syntax_errors_are_two_problems_and_the_rest_is_still_there() {
        let Parsed { root, problems, .. } = parse("a.toml", "a = [1, }]\nb = \nc = 'ok'\n");
        assert!(problems.len() >= 2, "{problems:?}");
        assert!(root.get("c").is_some(), "{root:?}");
    }
}
