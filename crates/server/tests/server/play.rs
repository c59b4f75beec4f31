//! How answers leave: bodies, chunks, waits, ends.

use std::time::{Duration, Instant};

use holdover_server::ServerConfig;
use holdover_wire::{End, sse};
use serde_json::{Value, json};

use crate::support::{AnswerEnd, Running, hello, hello_stream, name, patiently};

#[tokio::test]
async fn json_is_indented_as_the_api_does_it() {
    let server = Running::with_defaults().await;
    let answer = server.client().await.create("/v1/responses", &hello("hi")).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let text = answer.text();
    assert!(text.starts_with("{\n  \"id\": \"resp_"), "{text}");
    assert!(text.ends_with("\n}"), "no line feed at the end");
    assert_eq!(
        answer.header("content-length"),
        Some(text.len().to_string().as_str())
    );
    assert_eq!(answer.header("transfer-encoding"), None);
    server.stop().await;
}

#[tokio::test]
async fn every_event_is_one_chunk() {
    let server = Running::with_defaults().await;
    let answer = server
        .client()
        .await
        .create("/v1/responses", &hello_stream("hi"))
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    assert_eq!(answer.header("content-length"), None);
    let mut sequence = 0;
    for chunk in &answer.chunks {
        let text = std::str::from_utf8(chunk).expect("UTF-8");
        assert!(text.ends_with("\n\n"), "{text}");
        let frames = sse::Decoder::new().push(chunk);
        assert_eq!(frames.len(), 1, "{text}");
        let event = frames[0].event().expect("an event");
        assert_eq!(event.name(), frames[0].name);
        assert_eq!(event.object()["sequence_number"], json!(sequence));
        sequence += 1;
    }
    assert!(sequence > 5, "a whole life cycle, not {sequence} events");
    let last = String::from_utf8_lossy(answer.chunks.last().expect("a chunk"));
    assert!(last.starts_with("event: response.completed\n"), "{last}");
    server.stop().await;
}

#[tokio::test]
async fn a_kept_alive_stream_ends_at_once() {
    // Without TCP_NODELAY each stream on a kept-alive connection takes 44 ms (`docs/style.md`).
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client.create("/v1/responses", &hello_stream("warm")).await;
    let mut fastest = Duration::MAX;
    for round in 0..10 {
        let begun = Instant::now();
        let answer = client
            .create("/v1/responses", &hello_stream(&format!("{round}")))
            .await;
        assert_eq!(answer.end, AnswerEnd::Whole);
        fastest = fastest.min(begun.elapsed());
    }
    assert!(
        fastest < Duration::from_millis(25),
        "the fastest of ten took {fastest:?}"
    );
    server.stop().await;
}

#[tokio::test]
async fn equal_requests_give_equal_bytes_on_any_server_and_in_any_company() {
    let first = Running::with_defaults().await;
    let second = Running::with_defaults().await;
    let alone = three_turns(&first, "same").await;
    // The same session elsewhere, while others are busy.
    let busy: Vec<_> = (0..8).map(|number| format!("busy-{number}")).collect();
    let others = futures_util::future::join_all(busy.iter().map(|session| three_turns(&second, session)));
    let (crowded, _) = futures_util::future::join(three_turns(&second, "same"), others).await;
    assert_eq!(alone, crowded);
    assert_ne!(
        alone,
        three_turns(&first, "other").await,
        "another session is another world"
    );
    first.stop().await;
    second.stop().await;
}

/// The bodies of three answers: JSON, streamed, and one that carries both over.
async fn three_turns(server: &Running, session: &str) -> Vec<Vec<u8>> {
    let path = format!("/s/{session}/v1/responses");
    let mut client = server.client().await;
    let first = client.create(&path, &hello("one")).await;
    let mut input = vec![json!({"role": "user", "content": "one"})];
    input.extend(first.json()["output"].as_array().expect("output").iter().cloned());
    input.push(json!({"role": "user", "content": "two"}));
    let mut body = hello_stream("");
    body["input"] = Value::Array(input);
    let second = client.create(&path, &body).await;
    let third = client.create(&path, &body).await;
    for answer in [&first, &second, &third] {
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    assert_eq!(second.header("x-holdover-prior-protected"), Some("1"));
    vec![first.body(), second.body(), third.body()]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_goes_away_is_recorded_with_what_left() {
    let server = Running::with_defaults().await;
    // Far more than the buffers of two sockets hold, so that the server cannot have sent it all.
    let text = "word ".repeat(80_000);
    let mut body = hello_stream("hi");
    body["input"] = json!([{"role": "user", "content": "hi"}]);
    let setup = json!({"replies": [["reasoning", {"message": text}]]}).to_string();
    let mut client = server.client().await;
    let opened = client
        .send("PUT", "/_holdover/sessions/gone", &[], setup.as_bytes())
        .await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    client
        .begin(
            "POST",
            "/s/gone/v1/responses",
            &crate::support::KEY,
            body.to_string().as_bytes(),
        )
        .await;
    client.read_head().await;
    let first = client.read_chunk().await.expect("an event");
    assert!(first.starts_with(b"event: response.created\n"));
    drop(client);
    let report = patiently(
        server
            .sessions
            .finish(&name("gone"), holdover_server::Evidence::default()),
    )
    .await;
    let report = report.expect("a session");
    let response = report.recording.exchanges[0]
        .response
        .as_ref()
        .expect("a response");
    assert_eq!(response.end, End::ClientGone);
    let events = response.events.as_ref().expect("events");
    assert_eq!(events[0].name(), "response.created");
    assert!(!events.iter().any(holdover_wire::Event::is_terminal));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_background_run_goes_on_without_its_client() {
    // `tests/facts/endpoints.md`, GET rules: background responses can be polled while they run and afterwards.
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let setup = json!({"replies": [["reasoning", {"message": "word ".repeat(80_000)}]]}).to_string();
    client
        .send("PUT", "/_holdover/sessions/run", &[], setup.as_bytes())
        .await;
    let body = json!({"model": "gpt-5.6", "input": "hi", "background": true, "stream": true}).to_string();
    client
        .begin(
            "POST",
            "/s/run/v1/responses",
            &crate::support::KEY,
            body.as_bytes(),
        )
        .await;
    client.read_head().await;
    let first = client.read_chunk().await.expect("an event");
    drop(client);
    let created = sse::Decoder::new()
        .push(&first)
        .remove(0)
        .event()
        .expect("an event");
    let id = created
        .response()
        .and_then(|response| response.id().map(str::to_owned))
        .expect("an id");
    let polled = server
        .client()
        .await
        .get(&format!("/s/run/v1/responses/{id}"))
        .await;
    assert_eq!(polled.status, 200, "{}", polled.text());
    assert_eq!(polled.json()["id"], id);
    server.stop().await;
}

#[tokio::test]
async fn a_slow_reader_gets_everything_and_holds_up_nobody() {
    let server = Running::with_defaults().await;
    let text = "word ".repeat(20_000);
    let setup = json!({"replies": [[{"message": text}]]}).to_string();
    let mut slow = server.client().await;
    slow.send("PUT", "/_holdover/sessions/slow", &[], setup.as_bytes())
        .await;
    let body = hello_stream("hi").to_string();
    slow.begin(
        "POST",
        "/s/slow/v1/responses",
        &crate::support::KEY,
        body.as_bytes(),
    )
    .await;
    slow.read_head().await;
    let mut other = server.client().await;
    for _ in 0..20 {
        let answer = other.create("/v1/responses", &hello("hi")).await;
        assert_eq!(answer.status, 200);
    }
    let mut decoder = sse::Decoder::new();
    let mut told = String::new();
    loop {
        let chunk = patiently(slow.read_chunk()).await.expect("a whole stream");
        if chunk.is_empty() {
            break;
        }
        let frame = decoder.push(&chunk).remove(0);
        told.push_str(frame.event().expect("an event").delta().unwrap_or(""));
    }
    assert_eq!(told, text);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_connections_at_once_are_all_answered() {
    let server = Running::with_defaults().await;
    let address = server.address;
    let clients = (0..300).map(|number| {
        tokio::spawn(async move {
            let mut client = crate::support::Client::connect(address).await;
            let path = format!("/s/s{}/v1/responses", number % 7);
            let first = client.create(&path, &hello(&format!("{number}"))).await;
            let second = client.create(&path, &hello_stream(&format!("{number}"))).await;
            (first.status, second.status, second.end)
        })
    });
    for answered in patiently(futures_util::future::join_all(clients)).await {
        assert_eq!(answered.expect("no panic"), (200, 200, AnswerEnd::Whole));
    }
    let exchanges: u64 = server
        .sessions
        .summaries()
        .iter()
        .map(|summary| summary.exchanges)
        .sum();
    assert_eq!(exchanges, 600);
    server.stop().await;
}

#[tokio::test]
async fn an_event_leaves_before_the_pause_after_it() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let pause = json!({"faults": ["pause:ms=2000,event=response.in_progress"]});
    let opened = client
        .send(
            "PUT",
            "/_holdover/sessions/pause",
            &[],
            pause.to_string().as_bytes(),
        )
        .await;
    assert_eq!(opened.status, 201, "{}", opened.text());
    let begun = Instant::now();
    let body = hello_stream("hi").to_string();
    client
        .begin(
            "POST",
            "/s/pause/v1/responses",
            &crate::support::KEY,
            body.as_bytes(),
        )
        .await;
    client.read_head().await;
    client.read_chunk().await.expect("response.created");
    assert!(
        begun.elapsed() < Duration::from_millis(1500),
        "{:?}",
        begun.elapsed()
    );
    while !client.read_chunk().await.expect("a chunk").is_empty() {}
    assert!(begun.elapsed() >= Duration::from_secs(2), "{:?}", begun.elapsed());
    server.stop().await;
}

#[tokio::test]
async fn a_shutdown_ends_even_with_an_idle_and_a_listening_client() {
    let server = Running::with_defaults().await;
    let mut idle = server.client().await;
    idle.create("/v1/responses", &hello("hi")).await;
    let mut listening = server.client().await;
    listening.begin("GET", "/_holdover/events", &[], b"").await;
    listening.read_head().await;
    let sessions = server.sessions.clone();
    let begun = Instant::now();
    server.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // What was recorded is still there.
    assert_eq!(
        sessions
            .recording(&name("default"))
            .await
            .expect("a recording")
            .exchanges
            .len(),
        1
    );
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let server = Running::with_defaults().await;
    let config = ServerConfig {
        listen: server.address,
        ..ServerConfig::default()
    };
    let error = holdover_server::bind(config)
        .await
        .map(|_| ())
        .expect_err("taken");
    assert_eq!(error.to_string(), format!("`{}` is in use", server.address));
    server.stop().await;
}
