//! Frames of `application/vnd.amazon.eventstream`, in which AWS streams answers: lengths, headers and a payload, with a
//! checksum over the lengths and one over everything (Amazon Event Stream Specification, smithy.io).

use serde_json::Value;

use crate::event::Event;

/// The type of such a stream.
pub const CONTENT_TYPE: &str = "application/vnd.amazon.eventstream";

/// Type of a header whose value is a text.
const TEXT: u8 = 7;
/// Bytes of the two lengths and the two checksums.
const FRAME_BYTES: usize = 16;

/// The frame of an event, whose type crosses as a header: a recording has it under its type, as the only member. `None`
/// for any other object.
pub fn event(event: &Event) -> Option<Vec<u8>> {
    let mut members = event.object().iter();
    let (Some((kind, payload @ Value::Object(_))), None) = (members.next(), members.next()) else {
        return None;
    };
    let headers = [
        (":event-type", kind.as_str()),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ];
    Some(frame(&headers, payload.to_string().as_bytes()))
}

/// One frame. A name has at most 255 bytes and a value at most 65,535: what is longer is cut.
pub fn frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in headers {
        let name = &name.as_bytes()[..name.len().min(usize::from(u8::MAX))];
        let value = &value.as_bytes()[..value.len().min(usize::from(u16::MAX))];
        head.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
        head.extend_from_slice(name);
        head.push(TEXT);
        head.extend_from_slice(&u16::try_from(value.len()).unwrap_or(u16::MAX).to_be_bytes());
        head.extend_from_slice(value);
    }
    let mut bytes = Vec::with_capacity(FRAME_BYTES + head.len() + payload.len());
    for length in [FRAME_BYTES + head.len() + payload.len(), head.len()] {
        bytes.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }
    check(&mut bytes);
    bytes.extend_from_slice(&head);
    bytes.extend_from_slice(payload);
    check(&mut bytes);
    bytes
}

/// Appends the checksum of everything before it.
fn check(bytes: &mut Vec<u8>) {
    let sum = crc32fast::hash(bytes);
    bytes.extend_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_framed_under_its_only_member() {
        let of = |value: Value| event(&Event::new(value.as_object().expect("an object").clone()));
        let headers = [
            (":event-type", "messageStop"),
            (":content-type", "application/json"),
            (":message-type", "event"),
        ];
        let stop = serde_json::json!({"messageStop": {"stopReason": "end_turn"}});
        assert_eq!(of(stop), Some(frame(&headers, br#"{"stopReason":"end_turn"}"#)));
        for other in [
            serde_json::json!({}),
            serde_json::json!({"type": "keepalive"}),
            serde_json::json!({"type": {}, "sequence_number": 0}),
        ] {
            assert_eq!(of(other), None);
        }
    }

    /// The vectors `empty_message`, `payload_no_headers` and `payload_one_str_header` of `aws-c-event-stream`.
    #[test]
    fn frames_are_those_that_were_published() {
        let empty = [
            0, 0, 0, 16, 0, 0, 0, 0, 0x05, 0xc2, 0x48, 0xeb, 0x7d, 0x98, 0xc8, 0xff,
        ];
        assert_eq!(frame(&[], b""), empty);
        let mut plain = vec![0, 0, 0, 0x1d, 0, 0, 0, 0, 0xfd, 0x52, 0x8c, 0x5a];
        plain.extend_from_slice(b"{'foo':'bar'}");
        plain.extend_from_slice(&[0xc3, 0x65, 0x39, 0x36]);
        assert_eq!(frame(&[], b"{'foo':'bar'}"), plain);
        let mut headed = vec![0, 0, 0, 0x3d, 0, 0, 0, 0x20, 0x07, 0xfd, 0x83, 0x96, 0x0c];
        headed.extend_from_slice(b"content-type\x07\x00\x10application/json{'foo':'bar'}");
        headed.extend_from_slice(&[0x8d, 0x9c, 0x08, 0xb1]);
        assert_eq!(
            frame(&[("content-type", "application/json")], b"{'foo':'bar'}"),
            headed
        );
    }
}
