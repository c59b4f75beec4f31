//! The lock of a conversation in a store that several servers share.

use std::time::Duration;

use holdover_server::{Limits, ServerConfig};
use serde_json::json;

use super::Place;
use crate::support::Running;

fn config(place: &Place) -> ServerConfig {
    ServerConfig {
        limits: Limits {
            lease: Duration::from_millis(300),
            ..Limits::default()
        },
        ..place.config()
    }
}

/// The answer takes four times as long as a lock lasts that nobody renews.
#[tokio::test]
async fn a_lock_lasts_as_long_as_its_answer() {
    let place = Place::redis();
    let (one, other) = (
        Running::start(config(&place)).await,
        Running::start(config(&place)).await,
    );
    let mut client = one.client().await;
    let made = client
        .send(
            "POST",
            "/v1/conversations",
            &[("authorization", "Bearer sk-x")],
            b"{}",
        )
        .await;
    let conversation = made.json()["id"].as_str().expect("an id").to_owned();
    let body = |model: &str| json!({"model": model, "conversation": conversation, "input": "x"});
    let slow = body("gpt-5.6:fault=first-byte:ms=1200");
    let quick = body("gpt-5.6");
    let mut second = other.client().await;
    let (slow, busy) = tokio::join!(client.create("/v1/responses", &slow), async {
        tokio::time::sleep(Duration::from_millis(900)).await;
        second.create("/v1/responses", &quick).await
    });
    assert_eq!(busy.status, 400, "{}", busy.text());
    assert_eq!(busy.json()["error"]["code"], "conversation_locked");
    assert_eq!(slow.status, 200);
    // It is free at once, and not only when the lock would have ended.
    assert_eq!(second.create("/v1/responses", &quick).await.status, 200);
    one.stop().await;
    other.stop().await;
}
