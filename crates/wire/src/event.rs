//! One event of a stream: the `data` object itself, behind typed accessors (`tests/facts/streaming.md`).

use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::Object;
use crate::item::ItemView;
use crate::members::Members as _;
use crate::response::ResponseView;

/// Events after which nothing comes.
pub const TERMINAL: [&str; 3] = ["response.completed", "response.incomplete", "response.failed"];

/// No name of an event is longer; a longer one is read with the other members.
const NAME_BYTES_MAX: usize = 80;

/// How a written event begins.
const WRITTEN: &[u8] = br#"{"type":""#;

/// One event. `type` names it; unknown members and types are kept.
///
/// Most events of a stream are deltas that a server writes, sends, and nobody looks into: such a one is kept as its
/// JSON text, and read when its members are asked for.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// Compact JSON, where nothing was changed since it was written.
    text: Option<Vec<u8>>,
    /// The members, where they were read.
    object: OnceLock<Object>,
}

impl Event {
    /// Wraps a `data` object.
    pub fn new(object: Object) -> Self {
        Self {
            text: None,
            object: OnceLock::from(object),
        }
    }

    /// Takes a `data` object that is written as compact JSON with `type` first. A text that is no object reads as the
    /// empty one.
    pub fn written(text: Vec<u8>) -> Self {
        Self {
            text: Some(text),
            object: OnceLock::new(),
        }
    }

    /// The members in wire order.
    pub fn object(&self) -> &Object {
        self.object.get_or_init(|| {
            let text = self.text.as_deref().unwrap_or_default();
            serde_json::from_slice(text).unwrap_or_default()
        })
    }

    /// The members, to change.
    pub fn object_mut(&mut self) -> &mut Object {
        self.object();
        self.text = None;
        // It was read on the line before.
        self.object.get_mut().expect("the members were read")
    }

    /// Appends the event as compact JSON.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match &self.text {
            Some(text) => out.extend_from_slice(text),
            None => {
                // Serializing a map with string keys into memory cannot fail.
                let _ = serde_json::to_writer(out, self.object());
            }
        }
    }

    /// `type`, or the empty string when there is none.
    pub fn name(&self) -> &str {
        self.written_name()
            .or_else(|| self.object().member("type")?.as_str())
            .unwrap_or("")
    }

    /// The name where it can be read off the text: names of events hold nothing that JSON escapes.
    fn written_name(&self) -> Option<&str> {
        let rest = self.text.as_ref()?.strip_prefix(WRITTEN)?;
        let is_end = |byte: &u8| matches!(byte, b'"' | b'\\');
        let end = rest.iter().take(NAME_BYTES_MAX).position(is_end)?;
        let name = std::str::from_utf8(&rest[..end]).ok()?;
        (rest[end] == b'"').then_some(name)
    }

    /// Whether nothing comes after it.
    pub fn is_terminal(&self) -> bool {
        TERMINAL.contains(&self.name())
    }

    /// `item` of an `output_item` event.
    pub fn item(&self) -> Option<ItemView<'_>> {
        let item = self.object().member("item").and_then(Value::as_object);
        item.map(ItemView::new)
    }

    /// `response` of a life-cycle event.
    pub fn response(&self) -> Option<ResponseView<'_>> {
        let response = self.object().member("response").and_then(Value::as_object);
        response.map(ResponseView::new)
    }

    /// `delta` when it is a string.
    pub fn delta(&self) -> Option<&str> {
        self.object().member("delta").and_then(Value::as_str)
    }

    /// `output_index`
    pub fn output_index(&self) -> Option<u64> {
        self.object().member("output_index").and_then(Value::as_u64)
    }

    /// `item_id`
    pub fn item_id(&self) -> Option<&str> {
        self.object().member("item_id").and_then(Value::as_str)
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.object() == other.object()
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Object::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(event: &Event) -> String {
        let mut out = Vec::new();
        event.encode(&mut out);
        String::from_utf8(out).expect("JSON")
    }

    #[test]
    fn a_written_event_is_the_event_that_it_says() {
        let written =
            br#"{"type":"response.output_text.delta","delta":"\u00e4","output_index":3,"item_id":"msg_1"}"#;
        let event = Event::written(written.to_vec());
        assert_eq!(event.name(), "response.output_text.delta");
        assert_eq!(text(&event).as_bytes(), written);
        assert_eq!(event.delta(), Some("ä"));
        assert_eq!((event.output_index(), event.item_id()), (Some(3), Some("msg_1")));
        let read: Object = serde_json::from_slice(written).expect("JSON");
        assert_eq!(event, Event::new(read));
    }

    #[test]
    fn what_is_changed_is_written_anew() {
        let mut event = Event::written(br#"{"type":"a","n":1}"#.to_vec());
        event.object_mut().insert("type".to_owned(), "b".into());
        assert_eq!(event.name(), "b");
        assert_eq!(text(&event), r#"{"type":"b","n":1}"#);
    }

    #[test]
    fn a_name_that_is_not_plain_is_read() {
        for (written, name) in [
            (r#"{"type":"a\"b"}"#, "a\"b"),
            (r#"{"n":1,"type":"late"}"#, "late"),
            (r#"{"type":7}"#, ""),
            ("no JSON", ""),
        ] {
            assert_eq!(
                Event::written(written.as_bytes().to_vec()).name(),
                name,
                "{written}"
            );
        }
        assert_eq!(
            Event::new(json!({"n": 1}).as_object().cloned().expect("object")).name(),
            ""
        );
    }
}
