//! The examples of the facts through the judge: what a right client sends is clean.

use holdover_wire::sse::Decoder;
use serde_json::{Value, json};

use crate::{Judge, JudgeConfig, Outcome, Verdict};

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!("../../../tests/facts/examples/", $name))
    };
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn events(stream: &str) -> Vec<Value> {
    let frames = Decoder::new().push(format!("{stream}\n\n").as_bytes());
    frames
        .iter()
        .filter_map(|frame| serde_json::from_str(&frame.data).ok())
        .collect()
}

fn judged(exchanges: &[Value]) -> Verdict {
    let mut judge = Judge::new(JudgeConfig::default()).expect("a judge");
    for exchange in exchanges {
        judge.observe(&serde_json::from_value(exchange.clone()).expect("an exchange"));
    }
    judge.finish()
}

fn streamed(body: &Value, stream: &str) -> Value {
    json!({"transport": "sse", "request": {"body": body}, "response": {"events": events(stream)}})
}

#[test]
fn a_streamed_reasoning_turn_and_its_replay_are_clean() {
    let replay = parsed(example!("03b_replay_request.json"));
    let mut first = replay.clone();
    first["input"] = json!([replay["input"][0]]);
    let answer = json!({"id": "resp_2", "status": "completed", "output": []});
    let verdict = judged(&[
        streamed(&first, example!("03_reasoning_summary_encrypted_stream.sse")),
        json!({"request": {"body": replay}, "response": {"body": answer}}),
    ]);
    assert_eq!((verdict.outcome, verdict.findings), (Outcome::Clean, vec![]));
    assert_eq!(
        (verdict.coverage.reasoning_issued, verdict.coverage.judged),
        (1, 1)
    );
}

#[test]
fn a_token_of_the_first_event_in_that_replay_is_found() {
    let stream = example!("03_reasoning_summary_encrypted_stream.sse");
    let added = events(stream)
        .into_iter()
        .find(|event| event["type"] == "response.output_item.added");
    let partial = added.expect("an announced item")["item"]["encrypted_content"].clone();
    let mut replay = parsed(example!("03b_replay_request.json"));
    let mut first = replay.clone();
    first["input"] = json!([replay["input"][0]]);
    replay["input"][1]["encrypted_content"] = partial;
    let verdict = judged(&[streamed(&first, stream), json!({"request": {"body": replay}})]);
    assert_eq!(verdict.findings.len(), 1);
    assert_eq!(verdict.findings[0].rule, "late-part-dropped");
}

#[test]
fn a_call_and_its_output_behind_an_anchor_are_clean() {
    let second = parsed(example!("04b_function_output_turn.json"));
    let first = json!({"model": "gpt-5.6-sol", "tools": second["request_body"]["tools"], "input": "What is the weather in Oslo?"});
    let verdict = judged(&[
        streamed(&first, example!("04_function_call_stream.sse")),
        json!({"request": {"body": second["request_body"]}, "response": {"body": second["response_body"]}}),
    ]);
    assert_eq!((verdict.outcome, verdict.findings), (Outcome::Clean, vec![]));
    assert_eq!(verdict.coverage.conversations, 1);
}

#[test]
fn a_compaction_and_the_turn_after_it_are_clean() {
    let compact = parsed(example!("12_compact.json"));
    let mut input = compact["response"]["body"]["output"]
        .as_array()
        .expect("output")
        .clone();
    input.push(json!({"role": "user", "content": "And day three?"}));
    let body = json!({"model": "gpt-5.6-sol", "input": input});
    let answer = json!({"id": "resp_2", "status": "completed", "output": []});
    let verdict = judged(&[
        json!({"request": compact["request"], "response": compact["response"]}),
        json!({"request": {"body": body}, "response": {"body": answer}}),
    ]);
    assert_eq!((verdict.outcome, verdict.findings), (Outcome::Clean, vec![]));
    assert_eq!(verdict.coverage.conversations, 1);
}

#[test]
fn a_socket_may_continue_unstored_responses_and_its_error_frames_are_refusals() {
    let mut exchanges: Vec<Value> = Vec::new();
    for line in example!("14_websocket_session.jsonl").lines() {
        let frame = parsed(line);
        match frame["dir"].as_str() {
            Some("client") => exchanges.push(
                json!({"transport": "ws", "request": {"body": frame["frame"]}, "response": {"events": []}}),
            ),
            _ => exchanges
                .last_mut()
                .and_then(|exchange| exchange["response"]["events"].as_array_mut())
                .expect("a request before its answer")
                .push(frame["frame"].clone()),
        }
    }
    let verdict = judged(&exchanges);
    // The third request of the example sends no instructions and a wrong call id; its refusal evicts the anchor of the
    // fourth (`tests/facts/streaming.md` section 11).
    let found: Vec<&str> = verdict.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(
        found,
        ["output-without-call", "instructions-not-resent", "stale-anchor"]
    );
}
