//! The bound of what is kept in memory.

use holdover_server::{Limits, ServerConfig};
use serde_json::{Value, json};

use crate::frames::Socket;
use crate::support::{Client, Running};

const BOUND: usize = 256 << 10;

fn config() -> ServerConfig {
    ServerConfig {
        limits: Limits {
            state_bytes_max: BOUND,
            ..Limits::default()
        },
        ..ServerConfig::default()
    }
}

async fn create(client: &mut Client, session: &str, input: &str) -> String {
    let body = json!({"model": "gpt-5.6", "input": input});
    let answer = client.create(&format!("/s/{session}/v1/responses"), &body).await;
    answer.json()["id"].as_str().expect("an id").to_owned()
}

async fn metric(client: &mut Client, name: &str) -> usize {
    let text = client.get("/_holdover/metrics").await.text();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .expect("a metric");
    line.trim().parse().expect("a number")
}

#[tokio::test]
async fn all_sessions_share_one_bound_and_the_oldest_goes() {
    let server = Running::start(config()).await;
    let mut client = server.client().await;
    let first = create(&mut client, "idle", "first").await;
    let kept = create(&mut client, "busy", "kept").await;
    let mut newest = kept.clone();
    for number in 0..60 {
        newest = create(&mut client, "busy", &number.to_string()).await;
        assert!(metric(&mut client, "holdover_state_bytes ").await <= BOUND);
    }
    assert!(metric(&mut client, "holdover_state_evicted_total ").await > 10);
    for (session, id, status) in [
        ("idle", &first, 404),
        ("busy", &kept, 404),
        ("busy", &newest, 200),
    ] {
        let answer = client.get(&format!("/s/{session}/v1/responses/{id}")).await;
        assert_eq!(answer.status, status, "{session} {id}");
        let evicted = (status == 404).then_some(id.as_str());
        assert_eq!(answer.header("x-holdover-evicted"), evicted);
    }
    // A session that ends makes room.
    client
        .send("POST", "/_holdover/sessions/busy/finish", &[], b"")
        .await;
    assert_eq!(metric(&mut client, "holdover_state_bytes ").await, 0);
    server.stop().await;
}

#[tokio::test]
async fn a_frame_says_what_was_let_go_as_a_header_does() {
    let server = Running::start(config()).await;
    let mut client = server.client().await;
    let first = create(&mut client, "s", "first").await;
    for number in 0..60 {
        create(&mut client, "s", &number.to_string()).await;
    }
    let mut socket = Socket::open(&server, "/s/s/v1/responses").await;
    let answer = socket
        .ask(&json!({"input": "go on", "previous_response_id": first}))
        .await;
    assert_eq!(answer[0]["error"]["code"], "previous_response_not_found");
    assert_eq!(
        answer[0]["error"]["headers"],
        json!({"x-holdover-evicted": first})
    );
    let never = socket
        .ask(&json!({"input": "go on", "previous_response_id": "resp_A"}))
        .await;
    assert_eq!(never[0]["error"].get("headers"), None);
    server.stop().await;
}

#[tokio::test]
async fn the_finding_on_the_refusal_says_that_it_was_let_go() {
    let server = Running::start(config()).await;
    let mut client = server.client().await;
    let first = create(&mut client, "s", "first").await;
    for number in 0..60 {
        create(&mut client, "s", &number.to_string()).await;
    }
    let next = json!({"model": "gpt-5.6", "previous_response_id": first, "input": "go on"});
    assert_eq!(client.create("/s/s/v1/responses", &next).await.status, 400);
    let verdict = client
        .send("POST", "/_holdover/sessions/s/finish", &[], b"")
        .await
        .json();
    let findings = verdict["findings"].as_array().expect("findings");
    let stale: Vec<&Value> = findings
        .iter()
        .filter(|finding| finding["rule"] == "stale-anchor")
        .collect();
    assert_eq!(stale.len(), 1, "{verdict}");
    let message = stale[0]["message"].as_str().expect("a message");
    assert!(
        message.contains("Holdover's own store had let it go"),
        "{message}"
    );
    assert_eq!(stale[0]["severity"], "warning");
    server.stop().await;
}
