//! An event that is written member by member: most events of a stream are deltas, and nobody looks into them again.

use holdover_profile::EventKeys;
use holdover_wire::Object;
use holdover_wire::text::{JsonText, Layout};
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

    /// The text of the event, with its keys in the order of a profile.
    pub(crate) fn finish(mut self, keys: EventKeys) -> Vec<u8> {
        match keys {
            EventKeys::Newest => {}
            EventKeys::Older => self.members.sort_by_key(|(name, _)| older_place(name)),
        }
        let room = self.members.iter().map(|(_, cell)| cell.room()).sum();
        let mut text = JsonText::new(Layout::Compact, room);
        text.begin();
        for (name, cell) in self.members {
            text.name(name);
            cell.write(&mut text);
        }
        text.end();
        text.finish()
    }
}

impl Cell<'_> {
    fn write(self, text: &mut JsonText) {
        match self {
            Self::Text(string) => text.text(string),
            Self::Number(number) => text.number(number as u64),
            Self::Value(value) => text.value(value),
            Self::Object(object) => text.object(object),
            Self::Json(json) => text.json(json),
            Self::EmptyList => text.list([(); 0], |_, ()| {}),
        }
    }

    /// Bytes that it takes with its name, about.
    fn room(self) -> usize {
        match self {
            Self::Text(text) => text.len() + 24,
            Self::Json(json) => json.len() + 24,
            Self::Object(_) => 1024,
            Self::Value(_) => 128,
            Self::Number(_) | Self::EmptyList => 24,
        }
    }
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
        let text = |draft: Draft<'_>, keys| String::from_utf8(draft.finish(keys)).expect("JSON");
        assert_eq!(
            text(draft, EventKeys::Newest),
            r#"{"type":"response.refusal.delta","delta":"No.","item_id":"msg_1","sequence_number":7}"#
        );
        assert_eq!(
            text(older, EventKeys::Older),
            r#"{"type":"response.refusal.delta","sequence_number":7,"item_id":"msg_1","delta":"No."}"#
        );
    }
}
