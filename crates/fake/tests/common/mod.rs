//! Helpers of the integration tests.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses some of them")]

pub mod golden;

use holdover_fake::{Answer, FakeConfig, Session};
use holdover_profile::Profile;
use holdover_wire::plan::{PlanBody, Step};
use holdover_wire::{Call, Method, Reply, ReplyPart, sse};
use serde_json::{Value, json};

pub fn session() -> Session {
    Session::new(FakeConfig::default())
}

pub fn session_of(profile: &str) -> Session {
    Session::new(FakeConfig {
        profile: Profile::builtin(profile).expect("a profile"),
        ..FakeConfig::default()
    })
}

pub fn create(session: &mut Session, body: &Value) -> Answer {
    session.handle(&Call::post("/v1/responses", body.clone()))
}

pub fn post(session: &mut Session, path: &str, body: Value) -> Answer {
    session.handle(&Call::post(path, body))
}

/// Reasoning, and a call of `lookup` whose id the wire makes.
pub fn thinks_and_calls() -> Reply {
    let call = ReplyPart::Call {
        id: None,
        name: "lookup".to_owned(),
        arguments: Some("{\"key\":\"a\"}".to_owned()),
    };
    Reply {
        parts: vec![ReplyPart::Reasoning { summary: None }, call],
    }
}

/// A GET; what follows a `?` becomes the query.
pub fn get(session: &mut Session, path: &str) -> Answer {
    session.handle(&bare(Method::Get, path))
}

pub fn delete(session: &mut Session, path: &str) -> Answer {
    session.handle(&bare(Method::Delete, path))
}

fn bare(method: Method, path: &str) -> Call {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    Call {
        method,
        query: pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        ..Call::get(path)
    }
}

/// The JSON body; panics for a stream.
pub fn body(answer: &Answer) -> Value {
    match &answer.plan.body {
        PlanBody::Json(body) => body.value().clone(),
        PlanBody::Stream(_) | PlanBody::Nothing => panic!("no JSON body"),
    }
}

/// The body of a success.
pub fn ok(answer: &Answer) -> Value {
    assert_eq!(answer.plan.status, 200, "{}", body(answer));
    body(answer)
}

/// The events; panics for a JSON body.
pub fn events(answer: &Answer) -> Vec<Value> {
    let PlanBody::Stream(steps) = &answer.plan.body else {
        panic!("no stream: {:?}", answer.plan)
    };
    let events = steps.iter().filter_map(Step::event);
    events
        .map(|event| Value::Object(event.object().clone()))
        .collect()
}

/// The bytes that a socket would see, without headers.
pub fn bytes(answer: &Answer) -> Vec<u8> {
    answer.plan.body.bytes()
}

/// The text of the last message of a JSON answer.
pub fn text(answer: &Answer) -> String {
    let body = ok(answer);
    let output = body["output"].as_array().expect("output");
    let message = output
        .iter()
        .rfind(|item| item["type"] == "message")
        .expect("a message");
    message["content"][0]["text"].as_str().expect("text").to_owned()
}

/// Asserts a refusal with its whole body.
pub fn refused(answer: &Answer, status: u16, message: &str, param: Option<&str>, code: Option<&str>) {
    let expected =
        json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}});
    assert_eq!((answer.plan.status, body(answer)), (status, expected));
    assert!(answer.plan.header("x-holdover-evidence").is_some());
}

/// A reply of reasoning and a message.
pub fn thought(message: &str) -> Reply {
    Reply {
        parts: vec![
            ReplyPart::Reasoning { summary: None },
            ReplyPart::Message {
                text: Some(message.to_owned()),
                phase: None,
            },
        ],
    }
}

/// A reply of reasoning and calls with these call ids.
pub fn calls(call_ids: &[&str]) -> Reply {
    let reasoning = ReplyPart::Reasoning { summary: None };
    let calls = call_ids.iter().map(|id| ReplyPart::Call {
        id: Some((*id).to_owned()),
        name: "lookup".to_owned(),
        arguments: Some("{}".to_owned()),
    });
    Reply {
        parts: std::iter::once(reasoning).chain(calls).collect(),
    }
}

/// A user message in the easy form.
pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The output of a function.
pub fn output(call_id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": call_id, "output": "42"})
}

/// An item without one member.
pub fn without(item: &Value, name: &str) -> Value {
    let mut item = item.clone();
    item.as_object_mut().expect("object").shift_remove(name);
    item
}

/// The output items of a JSON answer.
pub fn items(answer: &Answer) -> Vec<Value> {
    ok(answer)["output"].as_array().expect("output").clone()
}

pub fn example(name: &str) -> String {
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
