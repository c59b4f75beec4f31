//! What a WebSocket makes of a request and of a refusal (`tests/facts/streaming.md` section 11).

use holdover_wire::recording::Kept;
use holdover_wire::{Event, Object, Step};
use serde_json::Value;

/// The frame of a create body: its type comes first, and how it travels is not said.
pub(super) fn frame(body: Value) -> Value {
    let Value::Object(body) = body else { return body };
    let kind = [("type".to_owned(), Value::from("response.create"))];
    let members = body.into_iter().filter(|(name, _)| name != "stream");
    Value::Object(kind.into_iter().chain(members).collect())
}

/// A refusal as its one frame.
pub(super) fn refusal(status: u16, body: Value) -> Kept {
    let mut frame = Object::new();
    frame.insert("type".to_owned(), "error".into());
    frame.insert("status".to_owned(), status.into());
    if let Value::Object(body) = body {
        frame.extend(body);
    }
    Kept::frames(vec![Step::Event(Event::new(frame))], 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_becomes_a_frame() {
        let framed = frame(json!({"model": "m", "stream": true, "input": "x"}));
        assert_eq!(
            framed.to_string(),
            r#"{"type":"response.create","model":"m","input":"x"}"#
        );
    }

    #[test]
    fn a_refusal_is_an_event_with_its_status() {
        let kept = refusal(400, json!({"error": {"message": "no"}}));
        let events = kept.events.expect("frames");
        assert_eq!(events[0].name(), "error");
        assert_eq!(events[0].object()["status"], 400);
        assert_eq!(events[0].object()["error"]["message"], "no");
    }
}
