//! Whole turns: what is sent, what is remembered, in every preset and state mode.

use holdover_wire::audit::IdPolicy;
use serde_json::{Value, json as value};

use crate::config::{Include, SessionStore, Streaming};
use crate::testing::{
    call, drive, example, example_json, input, json, message, play, reasoning, response, sse, stateless,
    talk_turns, tool_turns,
};

use super::*;

fn user(text: &str) -> Value {
    value!({"role": "user", "content": text})
}

fn refused(status: u16, message: &str) -> Received {
    let mut received = json(
        &value!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": null}}),
    );
    received.status = status;
    received
}

#[test]
fn plain_replays_the_example_byte_for_byte() {
    let replay = example_json("03b_replay_request.json");
    let stream = sse(&example("03_reasoning_summary_encrypted_stream.sse"));
    let mut agent = stateless(|config| {
        config.model = "gpt-5.6-sol".to_owned();
        config.effort = Some("high".to_owned());
        config.summary = Some("auto".to_owned());
        config.stream = Streaming::Sse;
    });
    let turns = [
        (TurnInput::user("What is 17 + 25?"), stream.clone()),
        (TurnInput::user("And doubled?"), stream),
    ];
    let (bodies, result) = play(&mut agent, &turns);
    assert_eq!(Value::Object(bodies[1].clone()).to_string(), replay.to_string());
    assert_eq!(result.text, "42");
}
