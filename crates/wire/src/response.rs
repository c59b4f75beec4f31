//! The response object, and what stands in its `output`.

use std::sync::LazyLock;

use crate::Members as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Object;
use crate::document::Document;
use crate::event::Event;
use crate::item::ItemView;
use crate::outline::Outline;

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
        ResponseView::new(&self.0)
    }

    /// The response as a JSON value.
    pub fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// A response inside a body or an event, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct ResponseView<'a>(Source<'a>);

/// Where a view looks.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Object(&'a Object),
    /// What is not in the outline is read from the text.
    Document(&'a Outline, &'a Document),
    /// The same inside an event.
    Event(&'a Outline, &'a Event),
}

/// What a view shows of a text that is no object after all.
static EMPTY: LazyLock<Object> = LazyLock::new(Object::new);

impl<'a> ResponseView<'a> {
    /// The view of an object that stands where a response stands.
    pub fn new(object: &'a Object) -> Self {
        Self(Source::Object(object))
    }

    pub(crate) fn of_document(outline: &'a Outline, document: &'a Document) -> Self {
        Self(Source::Document(outline, document))
    }

    pub(crate) fn of_event(outline: &'a Outline, event: &'a Event) -> Self {
        Self(Source::Event(outline, event))
    }

    /// The members in wire order.
    pub fn object(self) -> &'a Object {
        let read = match self.0 {
            Source::Object(object) => Some(object),
            Source::Document(_, document) => document.value().as_object(),
            Source::Event(_, event) => event.object().member("response").and_then(Value::as_object),
        };
        read.unwrap_or(&EMPTY)
    }

    fn outline(self) -> Option<&'a Outline> {
        match self.0 {
            Source::Object(_) => None,
            Source::Document(outline, _) | Source::Event(outline, _) => Some(outline),
        }
    }

    fn member(self, name: &str) -> Option<&'a Value> {
        self.object().member(name)
    }

    /// `id`
    pub fn id(self) -> Option<&'a str> {
        match self.outline() {
            Some(outline) => Some(&outline.id),
            None => self.member("id").and_then(Value::as_str),
        }
    }

    /// `status`: `completed`, `incomplete`, `failed`, ….
    pub fn status(self) -> Option<&'a str> {
        match self.outline() {
            Some(outline) => Some(outline.status),
            None => self.member("status").and_then(Value::as_str),
        }
    }

    /// `store` as the server echoed it.
    pub fn store(self) -> Option<bool> {
        match self.outline() {
            Some(outline) => Some(outline.store),
            None => self.member("store").and_then(Value::as_bool),
        }
    }

    /// The effective `reasoning.context`: `current_turn` or `all_turns`.
    pub fn context(self) -> Option<&'a str> {
        match self.outline() {
            Some(outline) => outline.context,
            None => self.member("reasoning")?.member("context")?.as_str(),
        }
    }

    /// `created_at`, a Unix second.
    pub fn created_at(self) -> Option<u64> {
        match self.outline() {
            Some(outline) => Some(outline.created_at),
            None => self.member("created_at").and_then(Value::as_u64),
        }
    }

    /// `completed_at`, a Unix second.
    pub fn completed_at(self) -> Option<u64> {
        match self.outline() {
            Some(outline) => outline.completed_at,
            None => self.member("completed_at").and_then(Value::as_u64),
        }
    }

    /// The items of `output` with their index in it.
    pub fn output(self) -> impl Iterator<Item = (usize, ItemView<'a>)> {
        let outlined = self.outline().map(|outline| outline.output.as_slice());
        let read = match outlined {
            Some(_) => None,
            None => self.member("output").and_then(Value::as_array),
        };
        let outlined = outlined.into_iter().flatten().map(|item| Some(&**item));
        let read = read.into_iter().flatten().map(Value::as_object);
        let items = outlined.chain(read).enumerate();
        items.filter_map(|(index, item)| Some((index, ItemView::new(item?))))
    }

    /// Text of all messages in `output`, joined: what SDKs call `output_text`.
    pub fn output_text(self) -> String {
        self.output()
            .filter(|(_, item)| item.is_assistant_message())
            .map(|(_, item)| item.text())
            .collect()
    }
}
