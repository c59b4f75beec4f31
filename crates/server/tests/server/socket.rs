//! The WebSocket mode: what is said on a connection (`tests/facts/streaming.md` section 11).

use holdover_server::{Evidence, ServerConfig};
use holdover_wire::{End, Transport};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::frames::{Socket, id, types};
use crate::support::{Running, hello_stream, name};

const EXAMPLE: &str = include_str!("../../../../tests/facts/examples/14_websocket_session.jsonl");

/// The answers of the example, one for each client frame.
fn example() -> Vec<Vec<Value>> {
    let mut answers: Vec<Vec<Value>> = Vec::new();
    for line in EXAMPLE.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        if line["dir"] == "client" {
            answers.push(Vec::new());
        } else if let Some(answer) = answers.last_mut() {
            answer.push(line["frame"].clone());
        }
    }
    answers
}

/// Plays the client of the example; ids are those of this server.
async fn play_example(socket: &mut Socket) -> Vec<Vec<Value>> {
    let warm = json!({"generate": false, "instructions": "Be brief.", "input": []});
    let mut answers = vec![socket.ask(&warm).await];
    let parent = id(&answers[0]).to_owned();
    let hi = json!([{"role": "user", "content": "Say hi."}]);
    answers.push(
        socket
            .ask(&json!({"instructions": "Be brief.", "previous_response_id": parent, "input": hi, "reasoning": {"effort": "none"}}))
            .await,
    );
    let parent = id(&answers[1]).to_owned();
    let wrong =
        json!([{"type": "function_call_output", "call_id": "call_openly_wrong_0000000000", "output": "x"}]);
    answers.push(
        socket
            .ask(&json!({"previous_response_id": parent, "input": wrong}))
            .await,
    );
    let again = json!([{"role": "user", "content": "Again?"}]);
    answers.push(
        socket
            .ask(&json!({"previous_response_id": parent, "input": again}))
            .await,
    );
    let ping = json!({"stream_id": "side.1", "input": "ping", "reasoning": {"effort": "none"}});
    answers.push(socket.ask(&ping).await);
    answers.push(
        socket
            .ask(&json!({"stream_id": "bad id!", "input": "ping"}))
            .await,
    );
    answers
}

/// One delta may stand for many, and an answer has as many as its text is long.
fn shape(frames: &[Value]) -> Vec<(String, Vec<String>)> {
    let mut shape: Vec<(String, Vec<String>)> = frames
        .iter()
        .map(|frame| {
            let keys = frame.as_object().expect("an object").keys().cloned().collect();
            (frame["type"].to_string(), keys)
        })
        .collect();
    shape.dedup();
    shape
}

#[tokio::test]
async fn the_session_of_the_example_is_answered_as_there() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let answers = play_example(&mut socket).await;
    let expected = example();
    for (answer, expected) in answers.iter().zip(&expected) {
        assert_eq!(shape(answer), shape(&expected[..answer_length(expected)]));
    }
    assert_eq!(answers.len(), expected.len());
    // Refusals are equal but for the id that they name.
    let parent = id(&answers[1]);
    assert_eq!(answers[2], expected[2]);
    assert_eq!(
        answers[3][0]["error"]["message"],
        format!("Previous response with id '{parent}' not found.")
    );
    assert_eq!(answers[5][0], expected[5][0]);
    for frame in &answers[4] {
        assert_eq!(frame["stream_id"], "side.1");
    }
    for answer in [&answers[0], &answers[1], &answers[4]] {
        for (number, frame) in answer.iter().enumerate() {
            assert_eq!(frame["sequence_number"], number, "each response counts from 0");
        }
    }
    server.stop().await;
}

/// The last answer of the example is followed by the frame of a limit, which belongs to no request.
fn answer_length(frames: &[Value]) -> usize {
    if types(frames)[0] == "error" {
        1
    } else {
        frames.len()
    }
}

#[tokio::test]
async fn what_was_said_is_recorded_and_judged() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/s/recorded/v1/responses").await;
    let answers = play_example(&mut socket).await;
    let report = server
        .sessions
        .finish(&name("recorded"), Evidence::default())
        .await
        .expect("a report");
    let exchanges = &report.recording.exchanges;
    assert_eq!(exchanges.len(), answers.len());
    for (exchange, answer) in exchanges.iter().zip(&answers) {
        let response = exchange.response.as_ref().expect("a response");
        assert_eq!((exchange.transport, response.end), (Transport::Ws, End::Complete));
        assert_eq!(exchange.request.path, "/v1/responses");
        assert_eq!(exchange.request.body["type"], "response.create");
        assert_eq!(json!(response.events), json!(answer));
        let is_refused = types(answer) == ["error"];
        assert_eq!(response.status, if is_refused { 400 } else { 200 });
    }
    // As in the judge's own test of this example (`crates/judge/src/facts_tests.rs`).
    let found: Vec<&str> = report
        .verdict
        .findings
        .iter()
        .map(|finding| finding.rule)
        .collect();
    assert_eq!(
        found,
        ["output-without-call", "instructions-not-resent", "stale-anchor"]
    );
    server.stop().await;
}

#[tokio::test]
async fn both_transports_give_the_same_ids_and_the_connection_remembers() {
    let server = Running::with_defaults().await;
    let over_http = server
        .client()
        .await
        .create("/s/a/v1/responses", &hello_stream("Think."))
        .await;
    // Member by member as over HTTP: equal requests are equal in their order too.
    let mut frame = hello_stream("Think.");
    frame["type"] = json!("response.create");
    let setup = json!({"world": "a"});
    let mut client = server.client().await;
    client
        .send("PUT", "/_holdover/sessions/b", &[], setup.to_string().as_bytes())
        .await;
    let mut socket = Socket::open(&server, "/s/b/v1/responses").await;
    socket.send(Message::text(frame.to_string())).await;
    let first = socket.answer().await;
    assert!(over_http.text().contains(id(&first)), "{}", id(&first));
    let recall = json!({"model": "gpt-5.6", "previous_response_id": id(&first), "input": "holdover:recall"});
    let second = socket.ask(&recall).await;
    assert_eq!(types(&second).last(), Some(&"completed"));
    let said = second.last().expect("frames").to_string();
    assert!(!said.contains("unknown"), "the nonce is recalled: {said}");
    // Another connection remembers nothing.
    let mut other = Socket::open(&server, "/s/b/v1/responses").await;
    let refused = other.ask(&recall).await;
    assert_eq!(refused[0]["error"]["code"], "previous_response_not_found");
    server.stop().await;
}

#[tokio::test]
async fn a_stored_response_is_found_by_another_connection() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let first = socket.ask(&json!({"store": true, "input": "Think."})).await;
    drop(socket);
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let second = socket
        .ask(&json!({"store": true, "input": "Go on.", "previous_response_id": id(&first)}))
        .await;
    assert_eq!(types(&second).last(), Some(&"completed"));
    server.stop().await;
}

#[tokio::test]
async fn a_lane_is_strictly_in_order_and_others_overtake_it() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let slow = "gpt-5.6-sol:fault=first-byte:ms=400";
    socket.create(&json!({"model": slow, "input": "one"})).await;
    socket.create(&json!({"input": "two"})).await;
    socket
        .create(&json!({"input": "three", "stream_id": "side"}))
        .await;
    let mut ended = Vec::new();
    while ended.len() < 3 {
        let frame = socket.next().await.expect("a frame");
        if frame["type"] == "response.completed" {
            let text = frame["response"]["output"].to_string();
            let asked = ["one", "two", "three"]
                .into_iter()
                .find(|word| text.contains(&format!("\\\"{word}\\\"")));
            ended.push(asked.expect("the answer quotes its question"));
        }
    }
    assert_eq!(ended, ["three", "one", "two"]);
    server.stop().await;
}

#[tokio::test]
async fn a_thirty_third_lane_is_refused_and_the_others_go_on() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    for index in 0..32 {
        let warm = json!({"generate": false, "input": [], "stream_id": format!("l{index}")});
        assert_eq!(types(&socket.ask(&warm).await).last(), Some(&"completed"));
    }
    let refused = socket.ask(&json!({"input": "x", "stream_id": "one.more"})).await;
    assert_eq!(refused[0]["error"]["code"], "websocket_stream_limit_reached");
    assert_eq!(refused[0]["stream_id"], "one.more");
    let known = socket.ask(&json!({"input": "x", "stream_id": "l0"})).await;
    assert_eq!(types(&known).last(), Some(&"completed"));
    server.stop().await;
}

#[tokio::test]
async fn what_is_no_create_is_refused_and_the_socket_stays_open() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    for (text, code) in [
        ("{", Value::Null),
        (r#"{"type":"response.cancel"}"#, json!("invalid_value")),
        (
            r#"{"type":"response.create","model":"gpt-5.6","input":"x","nonsense":1}"#,
            json!("unknown_parameter"),
        ),
    ] {
        socket.send(Message::text(text)).await;
        let frame = socket.next().await.expect("a frame");
        assert_eq!(
            (&frame["type"], &frame["status"]),
            (&json!("error"), &json!(400)),
            "{text}"
        );
        assert_eq!(frame["error"]["code"], code, "{text}");
    }
    let steer = json!({"type": "response.steer", "previous_response_id": "resp_1", "input": []});
    socket.send(Message::text(steer.to_string())).await;
    let frame = socket.next().await.expect("a frame");
    assert_eq!(frame["type"], "response.steer.failed");
    // What means nothing here is no mistake (Codex always sends `stream`).
    let answer = socket
        .ask(&json!({"input": "x", "stream": false, "background": true}))
        .await;
    assert_eq!(types(&answer).last(), Some(&"completed"));
    assert_eq!(answer[0]["response"]["background"], false);
    server.stop().await;
}

#[tokio::test]
async fn without_a_key_there_is_no_socket() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let headers = [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let answer = client.send("GET", "/v1/responses", &headers, b"").await;
    assert_eq!(answer.status, 401);
    let keyed: Vec<(&str, &str)> = [("authorization", "Bearer x")]
        .into_iter()
        .chain(headers)
        .collect();
    let without_version = &keyed[..3];
    let answer = client.send("GET", "/v1/responses", without_version, b"").await;
    assert_eq!(answer.status, 400);
    assert!(answer.message().contains("handshake"), "{}", answer.message());
    // Elsewhere the wish is ignored.
    let answer = client.send("GET", "/v1/models", &keyed, b"").await;
    assert_eq!(answer.status, 200);
    let mut second = server.client().await;
    let answer = second.send("GET", "/v1/responses", &keyed, b"").await;
    assert_eq!(answer.status, 101);
    assert_eq!(
        answer.header("sec-websocket-accept"),
        Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        "RFC 6455, section 1.3"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_frame_that_is_too_large_is_refused_as_ours() {
    let mut config = ServerConfig::default();
    config.limits.body_bytes_max = 1 << 20;
    let server = Running::start(config).await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let answer = socket.ask(&json!({"input": "x".repeat(1 << 20)})).await;
    assert_eq!(answer[0]["status"], 413);
    assert_eq!(
        types(&socket.ask(&json!({"input": "x"})).await).last(),
        Some(&"completed")
    );
    server.stop().await;
}
