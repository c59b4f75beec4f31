//! What is recorded, in memory and in files.

use holdover_server::{Clock, Evidence, Limits, ServerConfig};
use holdover_wire::{End, Event, Recording, Transport};
use serde_json::json;

use crate::support::{Running, hello, hello_stream, name};

#[tokio::test]
async fn an_exchange_holds_what_crossed_the_wire() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let headers = [
        ("authorization", "Bearer sk-holdover-r"),
        ("User-Agent", "OpenAI/Python 3.57"),
        ("cookie", "secret"),
        ("x-stainless-retry-count", "1"),
    ];
    let body = hello("hi");
    let plain = client
        .send("POST", "/v1/responses", &headers, body.to_string().as_bytes())
        .await;
    let streamed = hello_stream("hi");
    let stream = client
        .send("POST", "/v1/responses", &headers, streamed.to_string().as_bytes())
        .await;
    let recording = server.sessions.recording(&name("r")).await.expect("a recording");
    assert_eq!(recording.header.session, "r");
    let [first, second] = recording.exchanges.as_slice() else {
        panic!("two exchanges, not {}", recording.exchanges.len());
    };
    assert_eq!((first.exchange, first.transport), (1, Transport::Json));
    assert_eq!(first.request.body, body);
    let kept: Vec<_> = first.request.headers.keys().collect();
    assert_eq!(kept, ["user-agent", "x-stainless-retry-count"]);
    let response = first.response.as_ref().expect("a response");
    assert_eq!(response.body, Some(plain.json().into()));
    assert_eq!(response.events, None);
    assert_eq!((second.exchange, second.transport), (2, Transport::Sse));
    let response = second.response.as_ref().expect("a response");
    let events = response.events.as_ref().expect("events");
    let mut framed = Vec::new();
    for event in events {
        holdover_wire::sse::encode(event, &mut framed);
    }
    assert_eq!(framed, stream.body(), "the events are those that left");
    assert!(events.last().is_some_and(Event::is_terminal));
    let text = recording.to_lines();
    assert!(
        !text.contains("sk-holdover") && !text.contains("secret"),
        "no credential is recorded"
    );
    server.stop().await;
}

#[tokio::test]
async fn the_recording_reads_back_from_its_route() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client.create("/v1/responses", &hello("hi")).await;
    let lines = client.get("/_holdover/recording").await.text();
    let (read, errors) = Recording::parse(&lines);
    assert_eq!(errors, vec![]);
    assert_eq!(Some(read), server.sessions.recording(&name("default")).await);
    server.stop().await;
}

#[tokio::test]
async fn files_are_written_while_the_server_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = ServerConfig {
        record: Some(folder.path().join("run.jsonl")),
        ..ServerConfig::default()
    };
    let server = Running::start(config).await;
    let mut client = server.client().await;
    for number in 0..3 {
        client.create("/v1/responses", &hello(&format!("{number}"))).await;
        client
            .create("/s/a/v1/responses", &hello_stream(&format!("{number}")))
            .await;
    }
    server.sessions.flush().await;
    for (file, session) in [("run.jsonl", "default"), ("run.a.jsonl", "a")] {
        let text = std::fs::read_to_string(folder.path().join(file)).expect("a file");
        let (read, errors) = Recording::parse(&text);
        assert_eq!(errors, vec![]);
        assert_eq!(
            Some(read),
            server.sessions.recording(&name(session)).await,
            "{file}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_told_before_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = ServerConfig {
        record: Some(folder.path().join("missing").join("run.jsonl")),
        ..ServerConfig::default()
    };
    let error = holdover_server::bind(config)
        .await
        .map(|_| ())
        .expect_err("no such folder");
    assert!(error.to_string().contains("run.jsonl"), "{error}");
}

#[tokio::test]
async fn a_recording_is_bounded_and_says_what_it_lost() {
    let config = ServerConfig {
        limits: Limits {
            recording_bytes_max: 40 << 10,
            ..Limits::default()
        },
        ..ServerConfig::default()
    };
    let server = Running::start(config).await;
    let mut client = server.client().await;
    for number in 0..50 {
        client.create("/v1/responses", &hello(&format!("{number}"))).await;
    }
    let report = server
        .sessions
        .finish(&name("default"), Evidence::default())
        .await
        .expect("a session");
    let kept = report.recording.exchanges.len() as u64;
    assert!(kept < 50, "{kept} are kept");
    assert_eq!(report.summary.evicted.exchanges + kept, 50);
    assert_eq!(
        report
            .recording
            .exchanges
            .last()
            .map(|exchange| exchange.exchange),
        Some(50)
    );
    assert_eq!(report.verdict.coverage.turns, 50, "the judge has seen all");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_ends_although_an_answer_hangs() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let setup = json!({"faults": ["silence"]}).to_string();
    client
        .send("PUT", "/_holdover/sessions/hung", &[], setup.as_bytes())
        .await;
    let body = hello_stream("hi").to_string();
    client
        .begin(
            "POST",
            "/s/hung/v1/responses",
            &crate::support::KEY,
            body.as_bytes(),
        )
        .await;
    while server
        .sessions
        .summaries()
        .iter()
        .all(|summary| summary.session != name("hung") || summary.exchanges == 0)
    {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let hung = name("hung");
    let finish = server.sessions.finish(&hung, Evidence::default());
    let report = crate::support::patiently(finish).await.expect("a session");
    assert_eq!(report.summary.exchanges, 1);
    let response = report.recording.exchanges[0]
        .response
        .as_ref()
        .expect("a response");
    assert_eq!((response.status, response.end), (0, End::Timeout));
    server.stop().await;
}

#[tokio::test]
async fn time_is_virtual_unless_it_is_wanted() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let first = client.create("/v1/responses", &hello("one")).await;
    let mut input = vec![json!({"role": "user", "content": "one"})];
    input.extend(first.json()["output"].as_array().expect("output").iter().cloned());
    input.push(json!({"role": "user", "content": "two"}));
    let mut body = hello("");
    body["input"] = json!(input);
    client.create("/v1/responses", &body).await;
    let recording = server
        .sessions
        .recording(&name("default"))
        .await
        .expect("a recording");
    let times: Vec<u64> = recording
        .exchanges
        .iter()
        .map(|exchange| exchange.at_ms)
        .collect();
    // Law 1: the tick of a turn is one more than the highest tick in what it carries; a tick is a second.
    assert_eq!(times[0], 0);
    assert!(times[1] >= 1000 && times[1].is_multiple_of(1000), "{times:?}");
    server.stop().await;

    let server = Running::start(ServerConfig {
        clock: Clock::Wall,
        ..ServerConfig::default()
    })
    .await;
    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    server.client().await.create("/v1/responses", &hello("one")).await;
    let recording = server
        .sessions
        .recording(&name("default"))
        .await
        .expect("a recording");
    assert!(
        recording.exchanges[0].at_ms >= 50,
        "{}",
        recording.exchanges[0].at_ms
    );
    server.stop().await;
}
