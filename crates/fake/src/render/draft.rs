//! An event that is written member by member: most events of a stream are deltas, and nobody looks into them again.

use holdover_profile::EventKeys;
use holdover_wire::{Event, Object};
use serde::Serialize;
use serde_json::Value;

/// Keys that came first in 2025 (`tests/facts/streaming.md` section 3).
const OLDER_KEYS: [&str; 6] = [
    "type",
    "sequence_number",
    "item_id",
    "output_index",
    "content_index",
    "response",
];

/// A member's value.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    /// A string.
    Text(&'a str),
    /// A number.
    Number(usize),
    /// Any value.
    Value(&'a Value),
    /// An object.
    Object(&'a Object),
    /// JSON that is written already.
    Json(&'a [u8]),
    /// A list of nothing.
    EmptyList,
}

/// The members of an event so far, `type` first.
pub(crate) struct Draft<'a> {
    members: Vec<(&'static str, Cell<'a>)>,
}

impl<'a> Draft<'a> {
    /// An event with its type.
    pub(crate) fn new(name: &'a str) -> Self {
        let mut members = Vec::with_capacity(9);
        members.push(("type", Cell::Text(name)));
        Self { members }
    }

    /// Appends a member.
    pub(crate) fn put(&mut self, name: &'static str, cell: Cell<'a>) {
        self.members.push((name, cell));
    }

    /// Appends `obfuscation`, where deltas carry it.
    pub(crate) fn obfuscate(&mut self, filler: Option<&'a str>) {
        if let Some(filler) = filler {
            self.put("obfuscation", Cell::Text(filler));
        }
    }

    /// The event, with its keys in the order of a profile.
    pub(crate) fn finish(mut self, keys: EventKeys) -> Event {
        match keys {
            EventKeys::Newest => {}
            EventKeys::Older => self.members.sort_by_key(|(name, _)| older_place(name)),
        }
        let mut text = Vec::with_capacity(256);
        for (place, (name, cell)) in self.members.into_iter().enumerate() {
            text.extend_from_slice(if place == 0 { b"{\"" } else { b",\"" });
            text.extend_from_slice(name.as_bytes());
            text.extend_from_slice(b"\":");
            cell.write(&mut text);
        }
        text.push(b'}');
        Event::written(text)
    }
}

impl Cell<'_> {
    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => write_text(text, out),
            Self::Number(number) => json(&number, out),
            Self::Value(value) => json(value, out),
            Self::Object(object) => json(object, out),
            Self::Json(text) => out.extend_from_slice(text),
            Self::EmptyList => out.extend_from_slice(b"[]"),
        }
    }
}

/// A string; most hold nothing that JSON escapes, and are copied.
fn write_text(text: &str, out: &mut Vec<u8>) {
    let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    // Without a way out in the middle, so that many bytes are looked at in one step.
    if text.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
        return json(text, out);
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    // Serializing a JSON value into memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

fn older_place(name: &str) -> usize {
    let place = OLDER_KEYS.iter().position(|key| *key == name);
    place.unwrap_or(OLDER_KEYS.len())
}

/// The members of an event in the order of a profile.
pub(crate) fn in_order(event: Object, keys: EventKeys) -> Object {
    match keys {
        EventKeys::Newest => event,
        EventKeys::Older => {
            let mut members: Vec<(String, Value)> = event.into_iter().collect();
            members.sort_by_key(|(name, _)| older_place(name));
            members.into_iter().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write_text(text, &mut out);
        String::from_utf8(out).expect("JSON")
    }

    #[test]
    fn keys_have_the_order_of_the_profile() {
        // `tests/facts/streaming.md` section 3.
        let mut draft = Draft::new("response.refusal.delta");
        draft.put("delta", Cell::Text("No."));
        draft.put("item_id", Cell::Text("msg_1"));
        draft.put("sequence_number", Cell::Number(7));
        let older = Draft {
            members: draft.members.clone(),
        };
        let text = |event: Event| {
            let mut out = Vec::new();
            event.encode(&mut out);
            String::from_utf8(out).expect("JSON")
        };
        assert_eq!(
            text(draft.finish(EventKeys::Newest)),
            r#"{"type":"response.refusal.delta","delta":"No.","item_id":"msg_1","sequence_number":7}"#
        );
        assert_eq!(
            text(older.finish(EventKeys::Older)),
            r#"{"type":"response.refusal.delta","sequence_number":7,"item_id":"msg_1","delta":"No."}"#
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_written_as_the_json_crate_writes_it(text: String) {
            proptest::prop_assert_eq!(written(&text), serde_json::to_string(&text).expect("JSON"));
        }
    }

    #[test]
    fn what_json_escapes_is_escaped() {
        assert_eq!(
            written("a\"b\\c\nd\u{1}\u{7f}"),
            r#""a\"b\\c\nd\u0001"#.to_owned() + "\u{7f}\""
        );
    }
}
