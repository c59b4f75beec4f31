//! The response object, and what stands in its `output`.

use crate::Members as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Object;
use crate::item::ItemView;

/// A response object (`tests/facts/endpoints.md`, "The `response` object"), or a compaction object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Response(Object);

impl Response {
    /// Wraps an object that stands where a response stands.
    pub fn new(object: Object) -> Self {
        Self(object)
    }

    /// The members in wire order.
    pub fn object(&self) -> &Object {
        &self.0
    }

    /// A borrowed view.
    pub fn view(&self) -> ResponseView<'_> {
        ResponseView(&self.0)
    }

    /// The response as a JSON value.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// A response inside a body or an event, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct ResponseView<'a>(&'a Object);

impl<'a> ResponseView<'a> {
    /// The view of an object that stands where a response stands.
    pub fn new(object: &'a Object) -> Self {
        Self(object)
    }

    /// The members in wire order.
    pub fn object(self) -> &'a Object {
        self.0
    }

    /// `id`
    pub fn id(self) -> Option<&'a str> {
        self.0.member("id").and_then(Value::as_str)
    }

    /// `status`: `completed`, `incomplete`, `failed`, ….
    pub fn status(self) -> Option<&'a str> {
        self.0.member("status").and_then(Value::as_str)
    }

    /// `store` as the server echoed it.
    pub fn store(self) -> Option<bool> {
        self.0.member("store").and_then(Value::as_bool)
    }

    /// The effective `reasoning.context`: `current_turn` or `all_turns`.
    pub fn context(self) -> Option<&'a str> {
        self.0
            .member("reasoning")?
            .member("context")
            .and_then(Value::as_str)
    }

    /// The items of `output` with their index in it.
    pub fn output(self) -> impl Iterator<Item = (usize, ItemView<'a>)> {
        let list = self.0.member("output").and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(index, value)| Some((index, ItemView::new(value.as_object()?))))
    }

    /// Text of all messages in `output`, joined: what SDKs call `output_text`.
    pub fn output_text(self) -> String {
        self.output()
            .filter(|(_, item)| item.is_assistant_message())
            .map(|(_, item)| item.text())
            .collect()
    }
}
