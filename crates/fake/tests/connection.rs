//! What a shell needs to play a WebSocket: responses that only the connection remembers (`tests/facts/streaming.md`
//! section 11, `tests/facts/examples/14_websocket_session.jsonl`).

mod common;

use common::golden::{names, same_stream};
use common::{body, create, events, refused, session, thought};
use holdover_fake::{Answer, ConnectionMemory, FakeConfig, Session};
use holdover_profile::Org;
use holdover_wire::Call;
use serde_json::{Value, json};

/// The lane of requests without `stream_id`.
const LANE: &str = "";

/// One request over a connection, as a shell plays it.
fn over(session: &mut Session, memory: &mut ConnectionMemory, body: &Value) -> Answer {
    let mut body = body.clone();
    body["stream"] = json!(true);
    let call = Call::post("/v1/responses", body.clone());
    let reading = session.fake().read(&call);
    let mut answer = session.begin_on(memory, reading).answer(&call);
    if answer.plan.status == 200 {
        memory.keep(&answer.writes, LANE);
    } else if let Some(parent) = body["previous_response_id"].as_str() {
        memory.evict(parent, LANE);
    }
    session.commit(std::mem::take(&mut answer.writes));
    answer
}

fn id(answer: &Answer) -> Value {
    events(answer)[0]["response"]["id"].clone()
}

fn unstored(input: &Value) -> Value {
    json!({"model": "gpt-5.6-sol", "store": false, "instructions": "Be brief.", "input": input})
}

fn after(parent: &Value, input: &Value) -> Value {
    let mut body = unstored(input);
    body["previous_response_id"] = parent.clone();
    body
}

#[test]
fn a_warm_up_takes_no_reply_of_the_script() {
    let mut session = session();
    session.script(vec![thought("First."), thought("Second.")]);
    let mut memory = ConnectionMemory::default();
    let mut warm = unstored(&json!("x"));
    warm["generate"] = json!(false);
    let mut said = |request: &Value| {
        let events = events(&over(&mut session, &mut memory, request));
        events[events.len() - 1]["response"]["output"].clone()
    };
    assert_eq!(said(&warm), json!([]));
    let asked = unstored(&json!("x"));
    for text in ["First.", "Second."] {
        assert_eq!(said(&asked)[1]["content"][0]["text"], text);
    }
}

/// Frames that the server sends in the example before its next client frame.
fn example_warm_up() -> Vec<Value> {
    let text = common::example("14_websocket_session.jsonl");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let sent = lines.iter().skip(1).take_while(|line| line["dir"] == "server");
    sent.map(|line| line["frame"].clone()).collect()
}

#[test]
fn a_warm_up_is_that_of_the_example_and_can_be_continued() {
    let (mut session, mut memory) = (session(), ConnectionMemory::default());
    let mut body = unstored(&json!([]));
    body["generate"] = json!(false);
    let warm = over(&mut session, &mut memory, &body);
    let stream = events(&warm);
    assert_eq!(names(&stream), ["created", "in_progress", "completed"]);
    same_stream(&stream, &example_warm_up());
    assert_eq!(stream[2]["response"]["usage"]["output_tokens"], 0);
    let next = over(&mut session, &mut memory, &after(&id(&warm), &json!("Say hi.")));
    assert_eq!(next.plan.status, 200);
}

#[test]
fn an_unstored_response_is_continued_until_a_continuation_fails() {
    let (mut session, mut memory) = (session(), ConnectionMemory::default());
    let first = over(&mut session, &mut memory, &unstored(&json!("Think.")));
    let second = over(
        &mut session,
        &mut memory,
        &after(&id(&first), &json!("holdover:recall")),
    );
    assert_eq!(second.carried.prior_protected, 1);
    // Over HTTP it is not there.
    let parent = id(&first);
    let message = format!(
        "Previous response with id '{}' not found.",
        parent.as_str().expect("an id")
    );
    let expected = (Some("previous_response_id"), Some("previous_response_not_found"));
    let answer = create(&mut session, &after(&parent, &json!("x")));
    refused(&answer, 400, &message, expected.0, expected.1);
    let wrong = json!([{"type": "function_call_output", "call_id": "call_openly_wrong", "output": "x"}]);
    assert_eq!(
        over(&mut session, &mut memory, &after(&parent, &wrong))
            .plan
            .status,
        400
    );
    let answer = over(&mut session, &mut memory, &after(&parent, &json!("Again?")));
    refused(&answer, 400, &message, expected.0, expected.1);
}

/// `tests/facts/streaming.md` section 11, Continuation.
#[test]
fn a_fork_that_fails_on_another_lane_does_no_harm() {
    let (mut session, mut memory) = (session(), ConnectionMemory::default());
    let first = over(&mut session, &mut memory, &unstored(&json!("Think.")));
    let parent = id(&first);
    let parent_id = parent.as_str().expect("an id");
    memory.evict(parent_id, "side.1");
    let answer = over(&mut session, &mut memory, &after(&parent, &json!("Go on.")));
    assert_eq!(answer.plan.status, 200);
    memory.evict(parent_id, LANE);
    let answer = over(&mut session, &mut memory, &after(&parent, &json!("Go on.")));
    assert_eq!(answer.plan.status, 400);
}

#[test]
fn a_connection_remembers_also_for_zero_data_retention() {
    let mut session = Session::new(FakeConfig {
        org: Org::Zdr,
        ..FakeConfig::default()
    });
    let mut memory = ConnectionMemory::default();
    let first = over(&mut session, &mut memory, &unstored(&json!("x")));
    let second = over(&mut session, &mut memory, &after(&id(&first), &json!("y")));
    assert_eq!(second.plan.status, 200);
}

#[test]
fn generate_is_unknown_over_http() {
    let answer = create(
        &mut session(),
        &json!({"model": "gpt-5.6", "input": "x", "generate": false}),
    );
    assert_eq!(body(&answer)["error"]["code"], "unknown_parameter");
}

#[test]
fn what_expired_or_was_evicted_is_not_found() {
    let mut session = session();
    let stored = |session: &mut Session| {
        let body = common::ok(&create(session, &json!({"model": "gpt-5.6", "input": "x"})));
        format!("/v1/responses/{}", body["id"].as_str().expect("an id"))
    };
    let first = stored(&mut session);
    assert_eq!(common::get(&mut session, &first).plan.status, 200);
    session.expire();
    assert_eq!(common::get(&mut session, &first).plan.status, 404);
    let second = stored(&mut session);
    session.limit(1);
    let third = stored(&mut session);
    assert_eq!(common::get(&mut session, &second).plan.status, 404);
    assert_eq!(common::get(&mut session, &third).plan.status, 200);
    assert_eq!((session.stored().responses, session.stored().evicted), (1, 1));
}
