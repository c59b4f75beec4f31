//! The WebSocket mode: how a connection ends.

use std::time::Duration;

use holdover_server::ServerConfig;
use holdover_wire::{End, Exchange, Transport};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::frames::{Socket, SocketEnd, types};
use crate::support::{Running, name};

async fn exchanges(server: &Running) -> Vec<Exchange> {
    let recording = server.sessions.recording(&name("default")).await;
    recording.expect("a recording").exchanges
}

fn end(exchange: &Exchange) -> (Transport, End, usize) {
    let response = exchange.response.as_ref().expect("a response");
    let events = response.events.as_ref().map_or(0, Vec::len);
    (exchange.transport, response.end, events)
}

/// What a client sees of an answer under a fault, and how it is recorded.
async fn under(fault: &str) -> (Vec<Value>, SocketEnd, (Transport, End, usize)) {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let model = format!("gpt-5.6-sol:fault={fault}");
    socket.create(&json!({"model": model, "input": "x"})).await;
    let (frames, seen) = socket.rest().await;
    let end = end(&exchanges(&server).await[0]);
    server.stop().await;
    (frames, seen, end)
}

#[tokio::test]
async fn a_fault_closes_with_its_code() {
    let (frames, seen, end) = under("ws-close:code=1013,index=2").await;
    assert_eq!(types(&frames), ["created", "in_progress"]);
    assert_eq!(seen, SocketEnd::Closed(Some(1013)));
    assert_eq!(end, (Transport::Ws, End::Cut, 2));
}

#[tokio::test]
async fn codes_that_are_never_sent_are_what_they_stand_for() {
    let (frames, seen, _) = under("ws-close:code=1006,index=2").await;
    assert_eq!((frames.len(), seen), (2, SocketEnd::Lost));
    let (frames, seen, _) = under("ws-close:code=1005,index=2").await;
    assert_eq!((frames.len(), seen), (2, SocketEnd::Closed(None)));
}

#[tokio::test]
async fn faults_of_the_connection_act_beneath_the_frames() {
    for (fault, recorded) in [
        ("cut:index=3", End::Cut),
        ("reset:index=3", End::Reset),
        ("half-close:index=3", End::HalfClose),
    ] {
        let (frames, seen, end) = under(fault).await;
        assert_eq!(seen, SocketEnd::Lost, "{fault}");
        assert_eq!(end, (Transport::Ws, recorded, 3), "{fault}");
        // What a reset overtakes may be lost.
        assert!(
            frames.len() == 3 || recorded == End::Reset,
            "{fault}: {}",
            frames.len()
        );
    }
    for fault in ["close-before-headers", "reset-before-headers"] {
        let (frames, seen, end) = under(fault).await;
        assert_eq!((frames.len(), seen, end.2), (0, SocketEnd::Lost, 0), "{fault}");
    }
}

#[tokio::test]
async fn a_refusal_by_a_fault_is_an_error_frame_and_evicts() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let first = socket.ask(&json!({"input": "x"})).await;
    let parent = crate::frames::id(&first).to_owned();
    let model = "gpt-5.6-sol:fault=rate-limit";
    let refused = socket
        .ask(&json!({"model": model, "input": "y", "previous_response_id": parent}))
        .await;
    assert_eq!(refused[0]["status"], 429);
    assert_eq!(refused[0]["error"]["code"], "rate_limit_exceeded");
    let gone = socket
        .ask(&json!({"input": "y", "previous_response_id": parent}))
        .await;
    assert_eq!(gone[0]["error"]["code"], "previous_response_not_found");
    // A page of a proxy is no frame.
    let html = "gpt-5.6-sol:fault=server-error-html";
    socket.create(&json!({"model": html, "input": "x"})).await;
    assert_eq!(socket.rest().await, (Vec::new(), SocketEnd::Closed(Some(1011))));
    server.stop().await;
}

#[tokio::test]
async fn a_connection_that_is_too_old_is_told_and_closed() {
    let mut config = ServerConfig::default();
    config.limits.socket_life = Duration::from_millis(300);
    let server = Running::start(config).await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    assert_eq!(
        types(&socket.ask(&json!({"input": "x"})).await).last(),
        Some(&"completed")
    );
    let (frames, seen) = socket.rest().await;
    // The sentence names the life in minutes, which is none here.
    let error = json!({
        "type": "invalid_request_error",
        "code": "websocket_connection_limit_reached",
        "message": "Responses websocket connection limit reached (0 minutes). Create a new websocket connection to continue.",
    });
    assert_eq!(frames, [json!({"type": "error", "status": 400, "error": error})]);
    assert_eq!(seen, SocketEnd::Closed(Some(1000)));
    server.stop().await;
}

#[tokio::test]
async fn bytes_are_no_frames() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    socket.send(Message::binary(b"{}".to_vec())).await;
    assert_eq!(socket.rest().await, (Vec::new(), SocketEnd::Closed(Some(1003))));
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_leaves_is_recorded_as_gone() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    let model = "gpt-5.6-sol:fault=pause:ms=60000,index=4";
    socket.create(&json!({"model": model, "input": "x"})).await;
    for _ in 0..3 {
        socket.next().await.expect("a frame");
    }
    socket.send(Message::Close(None)).await;
    assert_eq!(socket.rest().await, (Vec::new(), SocketEnd::Closed(None)));
    let recorded = end(&exchanges(&server).await[0]);
    assert_eq!(recorded, (Transport::Ws, End::ClientGone, 3));
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_stops_says_goodbye() {
    let server = Running::with_defaults().await;
    let mut socket = Socket::open(&server, "/v1/responses").await;
    socket.ask(&json!({"input": "x"})).await;
    let sessions = server.sessions.clone();
    let ((), (frames, seen)) = tokio::join!(server.stop(), socket.rest());
    assert_eq!((frames, seen), (Vec::new(), SocketEnd::Closed(Some(1001))));
    let recording = sessions.recording(&name("default")).await.expect("a recording");
    assert_eq!(recording.exchanges.len(), 1);
}
