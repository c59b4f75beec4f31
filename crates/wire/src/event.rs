//! One event of a stream: the `data` object itself, behind typed accessors (`tests/facts/streaming.md`).

use crate::Members as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Object;
use crate::item::ItemView;
use crate::response::ResponseView;

/// Events after which nothing comes.
pub const TERMINAL: [&str; 3] = ["response.completed", "response.incomplete", "response.failed"];

/// One event. `type` names it; unknown members and types are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Event(Object);

impl Event {
    /// Wraps a `data` object.
    pub fn new(object: Object) -> Self {
        Self(object)
    }

    /// The members in wire order.
    pub fn object(&self) -> &Object {
        &self.0
    }

    /// The members, to change.
    pub fn object_mut(&mut self) -> &mut Object {
        &mut self.0
    }

    /// `type`, or the empty string when there is none.
    pub fn name(&self) -> &str {
        self.0.member("type").and_then(Value::as_str).unwrap_or("")
    }

    /// Whether nothing comes after it.
    pub fn is_terminal(&self) -> bool {
        TERMINAL.contains(&self.name())
    }

    /// `item` of an `output_item` event.
    pub fn item(&self) -> Option<ItemView<'_>> {
        self.0
            .member("item")
            .and_then(Value::as_object)
            .map(ItemView::new)
    }

    /// `response` of a life-cycle event.
    pub fn response(&self) -> Option<ResponseView<'_>> {
        self.0
            .member("response")
            .and_then(Value::as_object)
            .map(ResponseView::new)
    }

    /// `delta` when it is a string.
    pub fn delta(&self) -> Option<&str> {
        self.0.member("delta").and_then(Value::as_str)
    }

    /// `output_index`
    pub fn output_index(&self) -> Option<u64> {
        self.0.member("output_index").and_then(Value::as_u64)
    }

    /// `item_id`
    pub fn item_id(&self) -> Option<&str> {
        self.0.member("item_id").and_then(Value::as_str)
    }
}
