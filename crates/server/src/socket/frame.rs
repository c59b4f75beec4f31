//! Frames of a client, read; frames of the server, written.

use holdover_wire::recording::EVICTED_HEADER;
use holdover_wire::{ApiError, CallBody, Event, Object};
use serde_json::{Map, Value, json};

use super::lanes::Lane;
use super::limit;

/// Headers of a refusal that its frame repeats.
const REPEATED_HEADERS: [&str; 3] = ["retry-after", "retry-after-ms", EVICTED_HEADER];
/// Members of a frame that are no members of the create body: two of the frame, and one that means nothing here.
const NOT_OF_BODY: [&str; 3] = ["type", "stream_id", "background"];

/// What a frame asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    /// `response.create`
    Create(Create),
    /// `response.steer`, with the frame as it came.
    Steer(Lane, Object),
    /// Nothing that can be answered; with what was said.
    Refused(Lane, CallBody, ApiError),
}

/// A `response.create`.
#[derive(Debug, PartialEq)]
pub(super) struct Create {
    /// Its lane.
    pub(super) lane: Lane,
    /// The frame as it came.
    pub(super) frame: Object,
    /// What it asks for, as a body of HTTP would.
    pub(super) body: Object,
    /// Size of the frame.
    pub(super) bytes: usize,
}

/// Reads the text of a frame.
pub(super) fn hear(text: &str) -> Heard {
    let frame = match serde_json::from_str(text) {
        Ok(Value::Object(frame)) => frame,
        Ok(other) => return Heard::Refused(Lane::default(), CallBody::Json(other), limit::malformed()),
        Err(_) => {
            let said = CallBody::Invalid(text.to_owned());
            return Heard::Refused(Lane::default(), said, limit::malformed());
        }
    };
    let lane = match lane_of(&frame) {
        Ok(lane) => lane,
        Err(error) => return refused(Lane::default(), frame, error),
    };
    match frame.get("type") {
        Some(Value::String(name)) if name == "response.create" => Heard::Create(Create {
            lane,
            body: body_of(&frame),
            frame,
            bytes: text.len(),
        }),
        Some(Value::String(name)) if name == "response.steer" => Heard::Steer(lane, frame),
        Some(Value::String(name)) => {
            let error = limit::unknown_type(name);
            refused(lane, frame, error)
        }
        Some(other) => {
            let error = limit::unknown_type(&other.to_string());
            refused(lane, frame, error)
        }
        None => refused(lane, frame, limit::missing_type()),
    }
}

fn refused(lane: Lane, frame: Object, error: ApiError) -> Heard {
    Heard::Refused(lane, CallBody::Json(Value::Object(frame)), error)
}

fn lane_of(frame: &Object) -> Result<Lane, ApiError> {
    match frame.get("stream_id") {
        None | Some(Value::Null) => Ok(Lane::default()),
        Some(Value::String(name)) => Lane::parse(name).ok_or_else(limit::invalid_stream_id),
        Some(_) => Err(limit::invalid_stream_id()),
    }
}

/// The answer is always a stream, whatever the frame says.
fn body_of(frame: &Object) -> Object {
    let members = frame.iter();
    let members = members.filter(|(name, _)| !NOT_OF_BODY.contains(&name.as_str()));
    let mut body: Map<String, Value> = members
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    body.insert("stream".to_owned(), Value::Bool(STREAMED));
    body
}

const STREAMED: bool = true;

/// The text of a frame.
pub(super) fn text(event: &Event) -> String {
    // Serializing a map with string keys into memory cannot fail.
    serde_json::to_string(event).unwrap_or_default()
}

/// An event on its lane.
pub(super) fn on_lane(mut event: Event, lane: &Lane) -> Event {
    if let Some(name) = lane.named() {
        event.object_mut().insert("stream_id".to_owned(), name.into());
    }
    event
}

/// The frame of a refusal, whose body is that of an answer of HTTP.
pub(super) fn error(status: u16, headers: &[(String, String)], body: &Value, lane: &Lane) -> Event {
    let said = &body["error"];
    let members = ["type", "code", "message", "param"];
    let mut error: Map<String, Value> = members
        .iter()
        .map(|name| ((*name).to_owned(), said[*name].clone()))
        .collect();
    let repeated = headers.iter();
    let repeated = repeated.filter(|(name, _)| REPEATED_HEADERS.contains(&name.as_str()));
    let repeated: Map<String, Value> = repeated
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    if !repeated.is_empty() {
        error.insert("headers".to_owned(), repeated.into());
    }
    let frame = json!({"type": "error", "status": status, "error": error});
    on_lane(event(frame), lane)
}

/// The answer to every `response.steer`: this server does not steer.
pub(super) fn steer_failed(lane: &Lane, frame: &Object) -> Event {
    let steer: Map<String, Value> = ["previous_response_id", "input"]
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), frame.get(*name)?.clone())))
        .collect();
    let frame = json!({
        "type": "response.steer.failed",
        "error": {
            "type": "invalid_request_error",
            "code": "steering_not_supported",
            "message": "holdover does not steer a running response; create a new one that continues it",
        },
        "steer": steer,
    });
    on_lane(event(frame), lane)
}

/// An object as an event.
pub(super) fn event(value: Value) -> Event {
    match value {
        Value::Object(object) => Event::new(object),
        other => Event::new(Map::from_iter([("value".to_owned(), other)])),
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::Plan;

    use super::*;

    const EXAMPLE: &str = include_str!("../../../../tests/facts/examples/14_websocket_session.jsonl");

    fn example(direction: &str) -> Vec<Value> {
        let lines = EXAMPLE.lines();
        let lines = lines.map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let lines = lines.filter(|line| line["dir"] == direction);
        lines.map(|line| line["frame"].clone()).collect()
    }

    fn frame_of(error: &ApiError, lane: &Lane) -> String {
        let plan = Plan::refusal(error, Vec::new());
        text(&super::error(plan.status, &plan.headers, &error.body(), lane))
    }

    fn lane(name: &str) -> Lane {
        Lane::parse(name).expect("a lane")
    }

    #[test]
    fn the_frames_of_the_example_are_read() {
        let heard: Vec<Heard> = example("client")
            .iter()
            .map(|frame| hear(&frame.to_string()))
            .collect();
        let lanes: Vec<Option<&str>> = heard
            .iter()
            .map(|heard| match heard {
                Heard::Create(create) => create.lane.named(),
                Heard::Steer(..) => Some("steer"),
                Heard::Refused(_, _, error) => error.code.as_deref(),
            })
            .collect();
        let expected = [None, None, None, None, Some("side.1"), Some("invalid_stream_id")];
        assert_eq!(lanes, expected);
        let Heard::Create(first) = &heard[0] else {
            panic!("a create");
        };
        let body = json!({
            "model": "gpt-5.6-sol", "store": false, "generate": false, "instructions": "Be brief.", "input": [],
            "stream": true,
        });
        assert_eq!(Value::Object(first.body.clone()), body);
        assert_eq!(first.frame["type"], "response.create");
    }

    #[test]
    fn error_frames_are_those_of_the_example_byte_by_byte() {
        let errors: Vec<Value> = example("server")
            .into_iter()
            .filter(|frame| frame["type"] == "error")
            .collect();
        let unknown_call = ApiError::invalid(
            "E10",
            holdover_wire::Evidence::Measured,
            "No tool call found for function call output with call_id call_openly_wrong_0000000000.",
        )
        .at("input");
        assert_eq!(frame_of(&unknown_call, &Lane::default()), errors[0].to_string());
        let bad = limit::invalid_stream_id();
        assert_eq!(frame_of(&bad, &Lane::default()), errors[2].to_string());
        assert_eq!(limit::too_old(60).to_string(), errors[3].to_string());
        assert_eq!(errors.len(), 4);
    }

    /// The sentence is that of the table in `tests/facts/streaming.md` section 11.
    #[test]
    fn a_lane_too_many_is_told_on_its_lane() {
        let said = frame_of(&limit::too_many_lanes(32), &lane("x"));
        let expected = json!({
            "type": "error",
            "status": 400,
            "error": {
                "type": "invalid_request_error",
                "code": "websocket_stream_limit_reached",
                "message": "This WebSocket connection has reached its maximum number of distinct stream IDs (32). Reuse an existing stream_id or open a new WebSocket connection.",
                "param": "stream_id",
            },
            "stream_id": "x",
        });
        assert_eq!(said, expected.to_string());
    }

    #[test]
    fn a_rate_limit_says_when_to_come_back() {
        let headers = [("retry-after".to_owned(), "12".to_owned())];
        let body = json!({"error": {"type": "tokens", "code": "rate_limit_exceeded", "message": "x", "param": null}});
        let said = error(429, &headers, &body, &Lane::default());
        let frame = Value::Object(said.object().clone());
        assert_eq!(frame["error"]["headers"], json!({"retry-after": "12"}));
        assert_eq!(frame["status"], 429);
    }

    #[test]
    fn what_no_server_can_answer_is_refused() {
        for (text, message) in [
            ("{", "We could not parse"),
            ("[]", "We could not parse"),
            ("{}", "Missing required parameter: 'type'."),
            (
                r#"{"type":"response.cancel"}"#,
                "Invalid value: 'response.cancel'.",
            ),
            (r#"{"type":1}"#, "Invalid value: '1'."),
            (
                r#"{"type":"response.create","stream_id":""}"#,
                "The 'stream_id' field",
            ),
            (
                r#"{"type":"response.create","stream_id":7}"#,
                "The 'stream_id' field",
            ),
        ] {
            let Heard::Refused(_, _, error) = hear(text) else {
                panic!("{text} is answered");
            };
            assert!(error.message.starts_with(message), "{text}: {}", error.message);
        }
    }

    #[test]
    fn steering_fails_with_the_code_that_there_is_for_it() {
        let frame = json!({"type": "response.steer", "previous_response_id": "resp_1", "input": [], "stream_id": "a"});
        let Heard::Steer(lane, frame) = hear(&frame.to_string()) else {
            panic!("a steer");
        };
        let said = Value::Object(steer_failed(&lane, &frame).object().clone());
        assert_eq!(said["error"]["code"], "steering_not_supported");
        assert_eq!(
            said["steer"],
            json!({"previous_response_id": "resp_1", "input": []})
        );
        assert_eq!(said["stream_id"], "a");
    }
}
