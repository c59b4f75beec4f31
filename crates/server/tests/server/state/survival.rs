//! What outlives a server, and what a second server sees.

use holdover_server::{StateConfig, bind};
use serde_json::{Value, json};

use super::{Place, file};
use crate::support::{Answer, Client, Running, hello};

async fn chained(client: &mut Client, previous: &Value, input: &str) -> Answer {
    let body = json!({"model": "gpt-5.6", "previous_response_id": previous, "input": input});
    client.create("/s/s/v1/responses", &body).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restarted_server_goes_on_with_the_file() {
    let place = Place::sqlite();
    let server = Running::start(place.config()).await;
    let mut client = server.client().await;
    let setup = json!({"world": "w", "accounts": [{"name": "a"}, {"name": "b", "keys": ["sk-b"]}], "replies": [[{"message": "one"}], [{"message": "two"}]]});
    client
        .send("PUT", "/_holdover/sessions/s", &[], setup.to_string().as_bytes())
        .await;
    let first = chained(&mut client, &Value::Null, "a").await.json();
    server.stop().await;
    let server = Running::start(place.config()).await;
    let mut client = server.client().await;
    let second = chained(&mut client, &first["id"], "b").await;
    assert_eq!(
        second.header("x-holdover-prior-protected"),
        Some("0"),
        "the script has no reasoning"
    );
    let text = &second.json()["output"][0]["content"][0]["text"];
    assert_eq!(text, "two", "the script goes on");
    // The accounts of the session are those that it was opened with.
    let path = format!("/s/s/v1/responses/{}", first["id"].as_str().expect("an id"));
    for (key, status) in [("Bearer sk-a", 200), ("Bearer sk-b", 404)] {
        let answer = client.send("GET", &path, &[("authorization", key)], b"").await;
        assert_eq!(answer.status, status, "{key}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_opened_again_starts_again() {
    for place in [Place::sqlite(), Place::redis()] {
        let server = Running::start(place.config()).await;
        let mut client = server.client().await;
        let first = client.create("/s/s/v1/responses", &hello("hi")).await.text();
        let second = client.create("/s/s/v1/responses", &hello("hi")).await.text();
        assert_ne!(first, second);
        client.send("PUT", "/_holdover/sessions/s", &[], b"{}").await;
        assert_eq!(
            client.create("/s/s/v1/responses", &hello("hi")).await.text(),
            first
        );
        client
            .send("POST", "/_holdover/sessions/s/finish", &[], b"")
            .await;
        assert_eq!(
            client.create("/s/s/v1/responses", &hello("hi")).await.text(),
            first
        );
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_on_one_redis_serve_one_chain_in_turns() {
    let place = Place::redis();
    let replicas = [
        Running::start(place.config()).await,
        Running::start(place.config()).await,
    ];
    let mut clients = [replicas[0].client().await, replicas[1].client().await];
    let mut previous = Value::Null;
    for turn in 0..10 {
        let answer = chained(&mut clients[turn % 2], &previous, &format!("turn {turn}")).await;
        assert_eq!(answer.status, 200, "turn {turn}: {}", answer.text());
        let carried = answer.header("x-holdover-prior-protected").map(str::to_owned);
        assert_eq!(carried, Some(turn.to_string()), "each turn adds a reasoning item");
        previous = answer.json()["id"].clone();
    }
    // A conversation, too.
    let made = clients[0]
        .create("/s/s/v1/conversations", &json!({}))
        .await
        .json();
    for turn in 0..4 {
        let body = json!({"model": "gpt-5.6", "conversation": made["id"], "input": "go on"});
        let answer = clients[turn % 2].create("/s/s/v1/responses", &body).await;
        assert_eq!(
            answer.header("x-holdover-prior-protected"),
            Some(turn.to_string().as_str())
        );
    }
    for server in replicas {
        server.stop().await;
    }
}

/// Without any store: tokens and ids say enough (law 1).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_replica_verifies_tokens_and_names_missing_partners() {
    let replicas = [Running::with_defaults().await, Running::with_defaults().await];
    let mut clients = [replicas[0].client().await, replicas[1].client().await];
    let user = |text: &str| json!({"role": "user", "content": text});
    let mut input = vec![user("start")];
    for turn in 0..6 {
        let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": input});
        let answer = clients[turn % 2].create("/s/s/v1/responses", &body).await;
        assert_eq!(
            answer.header("x-holdover-prior-protected"),
            Some(turn.to_string().as_str())
        );
        input.extend(
            answer.json()["output"]
                .as_array()
                .expect("output")
                .iter()
                .cloned(),
        );
        input.push(user("go on"));
    }
    // Under `store: true` a follower without its reasoning is refused, and the refusal names the partner (E01).
    let stored = json!({"model": "gpt-5.6", "input": "start"});
    let stored = clients[0].create("/s/s/v1/responses", &stored).await.json();
    let (reasoning, message) = (&stored["output"][0], &stored["output"][1]);
    let body = json!({"model": "gpt-5.6", "input": [user("start"), message, user("go on")]});
    let partner = reasoning["id"].as_str().expect("an id");
    for client in &mut clients {
        let answer = client.create("/s/s/v1/responses", &body).await;
        assert_eq!(answer.status, 400);
        let names_it = answer
            .message()
            .ends_with(&format!("its required 'reasoning' item: '{partner}'."));
        assert!(names_it, "{}", answer.message());
    }
    for server in replicas {
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_has_one_server_at_a_time() {
    let place = Place::sqlite();
    let server = Running::start(place.config()).await;
    let error = bind(place.config()).await.expect_err("it is taken");
    assert!(
        error.to_string().ends_with("another process has the file"),
        "{error}"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_cannot_be_used_is_told_when_the_server_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Place::Memory.config();
    config.state = StateConfig::Sqlite(file(&folder.path().join("missing")));
    assert!(bind(config).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_goes_away_is_told_to_the_client() {
    let place = Place::redis();
    let server = Running::start(place.config()).await;
    let mut client = server.client().await;
    assert_eq!(client.create("/v1/responses", &hello("a")).await.status, 200);
    drop(place);
    let answer = client.create("/v1/responses", &hello("b")).await;
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(
        answer.message().starts_with("holdover cannot reach its state"),
        "{}",
        answer.message()
    );
    assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
    server.stop().await;
}
