//! Helpers of the integration tests.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses some of them")]

use holdover_fake::{Answer, FakeConfig, Session};
use holdover_wire::plan::{PlanBody, Step};
use holdover_wire::{Call, sse};
use serde_json::Value;

pub fn session() -> Session {
    Session::new(FakeConfig::default())
}

pub fn create(session: &mut Session, body: &Value) -> Answer {
    session.handle(&Call::post("/v1/responses", body.clone()))
}

/// The JSON body; panics for a stream.
pub fn body(answer: &Answer) -> Value {
    match &answer.plan.body {
        PlanBody::Json(body) => body.clone(),
        PlanBody::Stream(_) => panic!("a stream"),
    }
}

/// The events; panics for a JSON body.
pub fn events(answer: &Answer) -> Vec<Value> {
    let PlanBody::Stream(steps) = &answer.plan.body else {
        panic!("no stream: {:?}", answer.plan)
    };
    let events = steps.iter().filter_map(|step| match step {
        Step::Event(event) => Some(Value::Object(event.object().clone())),
        Step::Wait(_) | Step::Raw(_) => None,
    });
    events.collect()
}

/// The text of the last message of a JSON answer.
pub fn text(answer: &Answer) -> String {
    let body = body(answer);
    let output = body["output"].as_array().expect("output");
    let message = output
        .iter()
        .rfind(|item| item["type"] == "message")
        .expect("a message");
    message["content"][0]["text"].as_str().expect("text").to_owned()
}

fn example(name: &str) -> String {
    let path = format!("{}/../../tests/facts/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    #[expect(clippy::disallowed_methods, reason = "a test reads the facts")]
    std::fs::read_to_string(path).expect("an example")
}

pub fn example_json(name: &str) -> Value {
    serde_json::from_str(&example(name)).expect("JSON")
}

pub fn example_events(name: &str) -> Vec<Value> {
    let frames = sse::Decoder::new().push(example(name).as_bytes());
    let events = frames.iter().filter_map(sse::Frame::event);
    events
        .map(|event| Value::Object(event.object().clone()))
        .collect()
}

/// Keys of an object in order; empty for anything else.
pub fn keys(value: &Value) -> Vec<String> {
    value
        .as_object()
        .map(|object| object.keys().cloned().collect())
        .unwrap_or_default()
}
