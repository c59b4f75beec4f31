//! The routes under `/_holdover/`.

use axum::routing::get;
use holdover_server::ServerConfig;
use serde_json::{Value, json};

use crate::support::{Answer, Client, Running, hello, hello_stream, name, patiently};

async fn put(client: &mut Client, session: &str, body: &Value) -> Answer {
    let path = format!("/_holdover/sessions/{session}");
    client.send("PUT", &path, &[], body.to_string().as_bytes()).await
}

async fn finish(client: &mut Client, session: &str, body: &str) -> Answer {
    let path = format!("/_holdover/sessions/{session}/finish");
    client.send("POST", &path, &[], body.as_bytes()).await
}

#[tokio::test]
async fn health_answers() {
    let server = Running::with_defaults().await;
    let answer = server.client().await.get("/_holdover/health").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["status"], "ok");
    server.stop().await;
}

#[tokio::test]
async fn a_session_is_opened_used_and_finished() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let setup = json!({
        "world": "policy",
        "replies": [["reasoning", {"message": "First."}], [{"message": "Second."}]],
        "meta": {"test": "tests/test_a.py::test_b", "line": 7},
    });
    let opened = put(&mut client, "t1", &setup).await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    assert_eq!(opened.json()["base_url"], "http://test.local:1/s/t1/v1");
    assert_eq!(opened.json()["world"], "policy");
    let texts = [
        said(&mut client, "t1", "a").await,
        said(&mut client, "t1", "b").await,
    ];
    assert_eq!(texts, ["First.", "Second."]);
    let finished = finish(&mut client, "t1", "").await;
    assert_eq!(finished.status, 200, "{}", finished.text());
    let verdict = finished.json();
    assert_eq!(verdict["session"], "t1");
    assert_eq!(verdict["exchanges"], 2);
    assert_eq!(verdict["meta"]["line"], 7);
    assert!(verdict["verdict"].is_string(), "{verdict}");
    assert!(verdict["coverage"].is_object(), "{verdict}");
    // The same question has the same answer.
    assert_eq!(finish(&mut client, "t1", "").await.json(), verdict);
    let recording = client.get("/_holdover/recording?session=t1").await;
    assert_eq!(recording.text().lines().count(), 3, "a header and two exchanges");
    server.stop().await;
}

async fn said(client: &mut Client, session: &str, text: &str) -> String {
    let answer = client
        .create(&format!("/s/{session}/v1/responses"), &hello(text))
        .await;
    let body = answer.json();
    let output = body["output"].as_array().expect("output");
    let message = output
        .iter()
        .find(|item| item["type"] == "message")
        .expect("a message");
    message["content"][0]["text"].as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn sessions_that_share_a_world_share_their_bytes() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let mut bodies = Vec::new();
    for session in ["case", "case.twin", "other"] {
        let world = if session == "other" { "elsewhere" } else { "w" };
        put(&mut client, session, &json!({"world": world})).await;
        let answer = client
            .create(&format!("/s/{session}/v1/responses"), &hello("hi"))
            .await;
        bodies.push(answer.text());
    }
    assert_eq!(bodies[0], bodies[1]);
    assert_ne!(bodies[0], bodies[2]);
    server.stop().await;
}

#[tokio::test]
async fn a_session_that_is_opened_again_starts_again() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    assert_eq!(put(&mut client, "a", &json!({})).await.status, 201);
    let first = client.create("/s/a/v1/responses", &hello("hi")).await.text();
    assert_eq!(put(&mut client, "a", &json!({})).await.status, 200);
    let summaries = server.sessions.summaries();
    assert_eq!(summaries[0].exchanges, 0);
    assert_eq!(
        client.create("/s/a/v1/responses", &hello("hi")).await.text(),
        first
    );
    server.stop().await;
}

#[tokio::test]
async fn what_is_not_understood_is_refused_with_what_is_allowed() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let answer = put(&mut client, "a", &json!({"wrold": "x"})).await;
    assert_eq!(answer.status, 400);
    assert!(
        answer.message().contains("`world`, `replies`"),
        "{}",
        answer.message()
    );
    assert_eq!(put(&mut client, "a%20b", &json!({})).await.status, 400);
    assert_eq!(put(&mut client, &"x".repeat(65), &json!({})).await.status, 400);
    let broken = client.send("PUT", "/_holdover/sessions/a", &[], b"{").await;
    assert!(broken.message().contains("no JSON"), "{}", broken.message());
    assert_eq!(finish(&mut client, "never", "").await.status, 404);
    assert_eq!(client.get("/_holdover/recording?session=never").await.status, 404);
    assert_eq!(client.get("/_holdover/recording?sesion=a").await.status, 400);
    assert_eq!(
        client
            .send("DELETE", "/_holdover/sessions/never", &[], b"")
            .await
            .status,
        404
    );
    let unknown = client.get("/_holdover/nothing").await;
    assert_eq!(unknown.status, 404);
    assert!(
        unknown.message().contains("sessions/NAME/finish"),
        "{}",
        unknown.message()
    );
    let method = client.send("POST", "/_holdover/health", &[], b"").await;
    assert_eq!(method.status, 405);
    assert!(server.sessions.names().is_empty(), "own routes open no session");
    server.stop().await;
}

#[tokio::test]
async fn the_catalogue_of_faults_is_listed() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let catalogue = client.get("/_holdover/faults").await.json();
    let faults = catalogue["faults"].as_array().expect("a list");
    assert!(faults.len() >= 45, "{}", faults.len());
    let cut = faults.iter().find(|fault| fault["name"] == "cut-after-done");
    assert_eq!(cut.expect("a fault")["options"][0]["name"], "after");
    let answer = client.send("POST", "/_holdover/faults", &[], b"{}").await;
    assert_eq!(answer.status, 405);
    server.stop().await;
}

#[tokio::test]
async fn the_list_of_sessions_and_the_metrics_count() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client.create("/s/a/v1/responses", &hello("hi")).await;
    client.create("/s/a/v1/responses", &hello_stream("hi")).await;
    client.get("/s/a/v1/nothing").await;
    let list = client.get("/_holdover/sessions").await.json();
    assert_eq!(list["open"][0]["session"], "a");
    assert_eq!(list["open"][0]["exchanges"], 3);
    assert_eq!(list["open"][0]["unserved"], json!({"GET /v1/nothing": 1}));
    let metrics = client.get("/_holdover/metrics").await;
    assert_eq!(metrics.header("content-type"), Some("text/plain; charset=utf-8"));
    let text = metrics.text();
    for line in [
        "holdover_exchanges_total 3",
        "holdover_exchanges_refused_total 1",
        "holdover_unserved_total 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
    server.stop().await;
}

#[tokio::test]
async fn exchanges_are_told_as_they_come() {
    let server = Running::with_defaults().await;
    let mut listener = server.client().await;
    listener.begin("GET", "/_holdover/events", &[], b"").await;
    listener.read_head().await;
    assert_eq!(
        listener.read_chunk().await.expect("a greeting"),
        b": holdover\n\n"
    );
    let mut client = server.client().await;
    client.create("/s/a/v1/responses", &hello("hi")).await;
    let chunk = patiently(listener.read_chunk()).await.expect("news");
    let text = String::from_utf8(chunk).expect("UTF-8");
    let data = text.strip_prefix("event: exchange\ndata: ").expect("an exchange");
    let data: Value = serde_json::from_str(data.trim_end()).expect("JSON");
    assert_eq!(data["session"], "a");
    assert_eq!(data["exchange"]["exchange"], 1);
    assert_eq!(data["exchange"]["request"]["path"], "/v1/responses");
    server.stop().await;
}

#[tokio::test]
async fn finishing_over_http_leaves_the_report_for_the_process() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client.create("/s/a/v1/responses", &hello("hi")).await;
    finish(
        &mut client,
        "a",
        r#"{"exports": [{"file": "app.log", "text": "nothing"}], "audit": [{}]}"#,
    )
    .await;
    assert_eq!(server.sessions.names(), [name("a")]);
    let evidence = holdover_server::Evidence::default();
    let report = server
        .sessions
        .finish(&name("a"), evidence.clone())
        .await
        .expect("a report");
    assert_eq!(report.verdict.coverage.exports_scanned, 1);
    assert_eq!(report.verdict.coverage.audit_records, 1);
    assert_eq!(report.summary.exchanges, 1);
    assert!(
        server.sessions.finish(&name("a"), evidence).await.is_none(),
        "it was taken"
    );
    server.stop().await;
}

#[tokio::test]
async fn extra_routes_stand_beside_the_api() {
    let config = ServerConfig {
        extra_routes: axum::Router::new().route("/api/chat/turn", get(|| async { "taught" })),
        ..ServerConfig::default()
    };
    let server = Running::start(config).await;
    let mut client = server.client().await;
    assert_eq!(client.get("/api/chat/turn").await.text(), "taught");
    assert_eq!(client.create("/v1/responses", &hello("hi")).await.status, 200);
    assert_eq!(client.get("/_holdover/health").await.status, 200);
    server.stop().await;
}
