//! What only a WebSocket says, each frame whole (`tests/facts/errors.md` E36, `tests/facts/streaming.md` section 11).

use serde_json::{Value, json};

use crate::frames::{Socket, types};
use crate::support::Running;

/// An error frame; all have the same type.
fn frame(message: &str, code: &str, param: &str) -> Value {
    let error = json!({"type": "invalid_request_error", "code": code, "message": message, "param": param});
    json!({"type": "error", "status": 400, "error": error})
}

#[tokio::test]
async fn a_response_that_the_connection_does_not_have() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let answer = socket
        .ask(&json!({"input": "x", "previous_response_id": "resp_A"}))
        .await;
    let message = "Previous response with id 'resp_A' not found.";
    let expected = frame(message, "previous_response_not_found", "previous_response_id");
    assert_eq!(answer, [expected]);
    server.stop().await;
}

#[tokio::test]
async fn a_lane_without_a_name() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let answer = socket.ask(&json!({"input": "x", "stream_id": ""})).await;
    let message = "The 'stream_id' field must be a non-empty string with at most 256 characters and may only contain letters, numbers, underscores, hyphens, and periods.";
    assert_eq!(answer, [frame(message, "invalid_stream_id", "stream_id")]);
    server.stop().await;
}

#[tokio::test]
async fn a_lane_too_many() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    for index in 0..32 {
        let warm = json!({"generate": false, "input": [], "stream_id": format!("l{index}")});
        assert_eq!(types(&socket.ask(&warm).await).last(), Some(&"completed"));
    }
    let answer = socket.ask(&json!({"input": "x", "stream_id": "one.more"})).await;
    let message = "This WebSocket connection has reached its maximum number of distinct stream IDs (32). Reuse an existing stream_id or open a new WebSocket connection.";
    let mut expected = frame(message, "websocket_stream_limit_reached", "stream_id");
    expected["stream_id"] = json!("one.more");
    assert_eq!(answer, [expected]);
    server.stop().await;
}
