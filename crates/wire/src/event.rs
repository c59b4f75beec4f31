//! One event of a stream: the `data` object itself, behind typed accessors (`tests/facts/streaming.md`).

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::Object;
use crate::item::ItemView;
use crate::members::Members as _;
use crate::outline::Outline;
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
/// JSON text, and read when its members are asked for. Those that are looked into keep beside their text what is looked
/// for.
#[derive(Clone, Debug, Default)]
pub struct Event {
    /// Compact JSON, where nothing was changed since it was written.
    text: Option<Text>,
    /// What the text says, where its writer told it.
    told: Option<Box<Told>>,
    /// The members, where they were read.
    object: OnceLock<Object>,
}

/// An event as compact JSON.
#[derive(Clone, Debug)]
struct Text {
    json: Vec<u8>,
    /// Length of the name where it can be read off the text: names of events hold nothing that JSON escapes.
    name_bytes: Option<usize>,
}

impl Text {
    fn new(json: Vec<u8>) -> Self {
        let is_end = |byte: &u8| matches!(byte, b'"' | b'\\');
        let name_bytes = json.strip_prefix(WRITTEN).and_then(|rest| {
            let end = rest.iter().take(NAME_BYTES_MAX).position(is_end)?;
            (rest[end] == b'"').then_some(end)
        });
        Self { json, name_bytes }
    }

    fn name(&self) -> Option<&str> {
        let name = self.json.get(WRITTEN.len()..WRITTEN.len() + self.name_bytes?)?;
        std::str::from_utf8(name).ok()
    }
}

/// What an event says.
#[derive(Clone, Debug)]
enum Told {
    Item { output_index: u64, item: Arc<Object> },
    Response(Outline),
}

impl Event {
    /// Wraps a `data` object.
    pub fn new(object: Object) -> Self {
        Self {
            text: None,
            told: None,
            object: OnceLock::from(object),
        }
    }

    /// Takes a `data` object that is written as compact JSON with `type` first. A text that is no object reads as the
    /// empty one.
    pub fn written(text: Vec<u8>) -> Self {
        Self {
            text: Some(Text::new(text)),
            told: None,
            object: OnceLock::new(),
        }
    }

    /// The same for an event with this `item` at this `output_index`.
    pub fn written_of_item(text: Vec<u8>, output_index: u64, item: Arc<Object>) -> Self {
        Self {
            told: Some(Box::new(Told::Item { output_index, item })),
            ..Self::written(text)
        }
    }

    /// The same for an event with this `response`.
    pub fn written_of_response(text: Vec<u8>, outline: Outline) -> Self {
        Self {
            told: Some(Box::new(Told::Response(outline))),
            ..Self::written(text)
        }
    }

    /// The members in wire order.
    pub fn object(&self) -> &Object {
        self.object.get_or_init(|| {
            let text = self.text.as_ref();
            let json = text.map_or(&[][..], |text| &text.json);
            serde_json::from_slice(json).unwrap_or_default()
        })
    }

    /// The members, to change.
    pub fn object_mut(&mut self) -> &mut Object {
        self.object();
        self.text = None;
        self.told = None;
        // It was read on the line before.
        self.object.get_mut().expect("the members were read")
    }

    /// Appends the event as compact JSON.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match &self.text {
            Some(text) => out.extend_from_slice(&text.json),
            None => {
                // Serializing a map with string keys into memory cannot fail.
                let _ = serde_json::to_writer(out, self.object());
            }
        }
    }

    /// `type`, or the empty string when there is none.
    pub fn name(&self) -> &str {
        let written = self.text.as_ref().and_then(Text::name);
        written
            .or_else(|| self.object().member("type")?.as_str())
            .unwrap_or("")
    }

    /// Whether nothing comes after it.
    pub fn is_terminal(&self) -> bool {
        TERMINAL.contains(&self.name())
    }

    /// `item` of an `output_item` event.
    pub fn item(&self) -> Option<ItemView<'_>> {
        if let Some(Told::Item { item, .. }) = self.told.as_deref() {
            return Some(ItemView::new(item));
        }
        let item = self.object().member("item").and_then(Value::as_object);
        item.map(ItemView::new)
    }

    /// `response` of a life-cycle event.
    pub fn response(&self) -> Option<ResponseView<'_>> {
        if let Some(Told::Response(outline)) = self.told.as_deref() {
            return Some(ResponseView::of_event(outline, self));
        }
        let response = self.object().member("response").and_then(Value::as_object);
        response.map(ResponseView::new)
    }

    /// `delta` when it is a string.
    pub fn delta(&self) -> Option<&str> {
        self.object().member("delta").and_then(Value::as_str)
    }

    /// `output_index`
    pub fn output_index(&self) -> Option<u64> {
        if let Some(Told::Item { output_index, .. }) = self.told.as_deref() {
            return Some(*output_index);
        }
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
    fn what_a_writer_told_goes_with_a_change() {
        let item = json!({"type": "message", "id": "msg_1"});
        let item = item.as_object().cloned().expect("an object");
        let written =
            br#"{"type":"a","item":{"type":"message","id":"msg_1"},"output_index":3,"sequence_number":9}"#;
        let mut event = Event::written_of_item(written.to_vec(), 3, Arc::new(item));
        let id = |event: &Event| event.item().and_then(|item| item.id().map(str::to_owned));
        assert_eq!(
            (event.output_index(), id(&event).as_deref()),
            (Some(3), Some("msg_1"))
        );
        assert_eq!(event, Event::written(written.to_vec()));
        event
            .object_mut()
            .insert("item".to_owned(), json!({"id": "msg_2"}));
        event.object_mut().insert("output_index".to_owned(), 4.into());
        assert_eq!(
            (event.output_index(), id(&event).as_deref()),
            (Some(4), Some("msg_2"))
        );
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
