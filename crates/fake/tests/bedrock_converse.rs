//! Converse of Amazon Bedrock, whole and as an event stream (`tests/facts/providers.md` section 11).

mod common;

use common::thinks_and_calls;
use holdover_fake::{FakeConfig, Session};
use holdover_wire::neutral::answered;
use holdover_wire::recording::ResponseRecord;
use holdover_wire::{Call, Event, Plan, PlanBody, Reply, Step, Wire};
use serde_json::{Value, json};

const MODEL: &str = "us.anthropic.claude-opus-4-5-20251101-v1:0";

fn play(end: &str, reply: Option<Reply>, text: &str) -> Plan {
    let mut session = Session::new(FakeConfig::default());
    session.script(reply.into_iter().collect());
    let request = json!({
        "messages": [{"role": "user", "content": [{"text": text}]}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "lookup", "inputSchema": {"json": {"type": "object"}}}}]},
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    });
    session
        .handle(&Call::post(format!("/model/{MODEL}/{end}").as_str(), request))
        .plan
}

fn document(plan: &Plan) -> Value {
    let PlanBody::Json(body) = &plan.body else {
        panic!("no document");
    };
    body.value().clone()
}

fn events(plan: &Plan) -> Vec<Event> {
    let PlanBody::Stream(steps) = &plan.body else {
        panic!("no stream");
    };
    steps.iter().filter_map(Step::event).cloned().collect()
}

#[test]
fn an_answer_has_the_members_of_the_service_model() {
    let plan = play("converse", Some(thinks_and_calls()), "Look it up");
    assert_eq!(plan.header("x-holdover-profile"), Some("bedrock-claude"));
    let body = document(&plan);
    assert_eq!(body["stopReason"], "tool_use");
    let content = &body["output"]["message"]["content"];
    let inner = &content[0]["reasoningContent"]["reasoningText"];
    assert!(
        inner["text"]
            .as_str()
            .is_some_and(|text| text.contains("My mark is nonce-"))
    );
    assert!(inner["signature"].is_string());
    assert_eq!(content[1]["toolUse"]["input"], json!({"key": "a"}));
    let usage = &body["usage"];
    let number = |name: &str| usage[name].as_u64().expect(name);
    assert_eq!(
        number("totalTokens"),
        number("inputTokens") + number("outputTokens")
    );
}

#[test]
fn a_stream_says_the_same_in_the_order_of_the_facts() {
    let whole = document(&play("converse", Some(thinks_and_calls()), "Look it up"));
    let plan = play("converse-stream", Some(thinks_and_calls()), "Look it up");
    assert_eq!(
        plan.header("content-type"),
        Some("application/vnd.amazon.eventstream")
    );
    let events = events(&plan);
    let mut kinds: Vec<&str> = events
        .iter()
        .filter_map(|event| event.object().keys().next().map(String::as_str))
        .collect();
    kinds.dedup();
    let expected = [
        "messageStart",
        "contentBlockDelta",
        "contentBlockStop",
        "contentBlockStart",
        "contentBlockDelta",
        "contentBlockStop",
        "messageStop",
        "metadata",
    ];
    assert_eq!(kinds, expected);
    let record = ResponseRecord {
        events: Some(events),
        ..ResponseRecord::default()
    };
    let turn = answered(Wire::BedrockConverse, &record).expect("a message");
    // An id is drawn from the call, and the paths differ.
    let mut said = Value::Object(turn.value());
    let mut expected = whole["output"]["message"].clone();
    for message in [&mut said, &mut expected] {
        message["content"][1]["toolUse"]["toolUseId"] = "t".into();
        message["content"][0]["reasoningContent"]["reasoningText"]["signature"] = "s".into();
        let text = &mut message["content"][0]["reasoningContent"]["reasoningText"]["text"];
        let kept = text
            .as_str()
            .and_then(|text| text.split_once("My mark"))
            .map(|(kept, _)| kept.to_owned());
        *text = kept.expect("a mark").into();
    }
    assert_eq!(said, expected);
}

#[test]
fn each_frame_says_its_length() {
    let plan = play("converse-stream", None, "Hello");
    let mut bytes = plan.body.bytes();
    let mut frames = 0;
    while !bytes.is_empty() {
        let length = u32::from_be_bytes(bytes[..4].try_into().expect("four bytes"));
        bytes.drain(..usize::try_from(length).expect("a length"));
        frames += 1;
    }
    assert_eq!(frames, events(&plan).len());
}

#[test]
fn redacted_reasoning_is_a_blob_and_is_read_again() {
    let mut session = Session::new(FakeConfig::default());
    let thinking = json!({"thinking": {"type": "enabled", "budget_tokens": 1024}});
    let asked = json!({"role": "user", "content": [{"text": "holdover:redact"}]});
    let path = format!("/model/{MODEL}/converse");
    let request = json!({"messages": [asked], "additionalModelRequestFields": thinking});
    let first = document(&session.handle(&Call::post(path.as_str(), request)).plan);
    let message = &first["output"]["message"];
    let blob = message["content"][0]["reasoningContent"]["redactedContent"]
        .as_str()
        .expect("a blob");
    assert!(!blob.contains(['-', '_']), "plain base64: {blob}");
    let again = json!({"role": "user", "content": [{"text": "holdover:recall"}]});
    let request = json!({"messages": [asked, message, again], "additionalModelRequestFields": thinking});
    let answer = session.handle(&Call::post(path.as_str(), request));
    assert_eq!(answer.carried.rendered, 1);
    let said = document(&answer.plan).to_string();
    assert!(said.contains("nonce-"), "{said}");
}

#[test]
fn a_refusal_names_its_type_in_a_header() {
    let mut session = Session::new(FakeConfig::default());
    let call = Call::post(
        "/model/amazon.nova-pro-v1:0/converse-stream",
        json!({"messages": "x"}),
    );
    let plan = session.handle(&call).plan;
    assert_eq!(
        (plan.status, plan.header("x-amzn-errortype")),
        (400, Some("ValidationException"))
    );
    assert!(document(&plan)["message"].is_string());
}
