//! Switches of the profile, set for one session.

use serde_json::{Value, json};

use crate::support::{Answer, KEY, Running, hello_stream};

/// A stream of a session with one switch; the scripted reply fails, so that there is an `error` event.
async fn stream(name: &str, value: &str) -> Answer {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let failing = json!([[{"message": "Partly"}, {"end": {"failed": "server_error"}}]]);
    let setup = json!({"switches": {name: value}, "replies": failing}).to_string();
    let opened = client
        .send("PUT", "/_holdover/sessions/s", &KEY, setup.as_bytes())
        .await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    let answer = client.create("/s/s/v1/responses", &hello_stream("hi")).await;
    server.stop().await;
    answer
}

/// The `data` objects, and what is no event.
fn read(answer: &Answer) -> (Vec<Value>, Vec<String>) {
    let text = answer.text();
    let blocks = text.split_terminator("\n\n");
    let mut events = Vec::new();
    let mut others = Vec::new();
    for block in blocks {
        let data = block.split_once("\ndata: ").map(|(_, data)| data);
        match data.and_then(|data| serde_json::from_str(data).ok()) {
            Some(event) => events.push(event),
            None => others.push(block.to_owned()),
        }
    }
    (events, others)
}

fn error_of(events: &[Value]) -> &Value {
    let mut events = events.iter();
    events
        .find(|event| event["type"] == "error")
        .expect("an error event")
}

#[tokio::test]
async fn the_end_of_a_stream_may_be_done() {
    let (_, others) = read(&stream("stream-done", "sent").await);
    assert_eq!(others, ["data: [DONE]"]);
    let (_, others) = read(&stream("stream-done", "absent").await);
    assert_eq!(others, [""; 0]);
}

#[tokio::test]
async fn what_keeps_alive_is_a_comment_or_an_event_that_counts() {
    let (_, others) = read(&stream("keep-alive", "comment").await);
    assert_eq!(others, [": keep-alive"]);
    let (events, others) = read(&stream("keep-alive", "event").await);
    assert_eq!(others, [""; 0]);
    assert_eq!(events[2], json!({"type": "keepalive", "sequence_number": 2}));
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
    }
}

#[tokio::test]
async fn the_error_event_is_nested_or_flat() {
    let (events, _) = read(&stream("error-event", "flat").await);
    let flat = error_of(&events);
    assert_eq!(flat["code"], "server_error");
    assert_eq!(flat.get("error"), None);
    let (events, _) = read(&stream("error-event", "nested").await);
    let nested = error_of(&events);
    assert_eq!(nested["error"]["code"], "server_error");
    assert_eq!(nested.get("code"), None);
}

/// `tests/facts/streaming.md` section 3.
#[tokio::test]
async fn keys_have_the_order_of_2026_or_that_of_2025() {
    for (value, first) in [
        (
            "newest",
            ["type", "content_index", "delta", "item_id", "logprobs"],
        ),
        (
            "older",
            [
                "type",
                "sequence_number",
                "item_id",
                "output_index",
                "content_index",
            ],
        ),
    ] {
        let (events, _) = read(&stream("event-keys", value).await);
        let delta = events
            .iter()
            .find(|event| event["type"] == "response.output_text.delta");
        let keys = delta.and_then(Value::as_object).expect("a delta").keys();
        assert_eq!(keys.take(5).collect::<Vec<_>>(), first, "{value}");
    }
}

/// Codex falls back to HTTP at once on 426 only (`tests/facts/clients/needs.md`).
#[tokio::test]
async fn the_web_socket_may_be_refused() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let setup = json!({"switches": {"websocket": "refused"}}).to_string();
    client
        .send("PUT", "/_holdover/sessions/s", &KEY, setup.as_bytes())
        .await;
    let headers = [
        ("authorization", "Bearer x"),
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    let answer = client.send("GET", "/s/s/v1/responses", &headers, b"").await;
    assert_eq!(answer.status, 426);
    assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
    server.stop().await;
}
