//! Which session a request belongs to, and which path it means.

use crate::support::{KEY, Running, hello, name};

fn sessions_with_traffic(server: &Running) -> Vec<String> {
    let summaries = server.sessions.summaries();
    let busy = summaries.into_iter().filter(|summary| summary.exchanges > 0);
    busy.map(|summary| summary.session.as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_session_is_named_by_path_header_or_key() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let body = hello("hi").to_string();
    let sent = [
        (
            "/s/by-path/v1/responses",
            [
                ("x-holdover-session", "no"),
                ("authorization", "Bearer sk-holdover-no"),
            ],
        ),
        (
            "/v1/responses",
            [
                ("x-holdover-session", "by-header"),
                ("authorization", "Bearer sk-holdover-no"),
            ],
        ),
        (
            "/responses",
            [("authorization", "Bearer sk-holdover-by.key"), ("accept", "*/*")],
        ),
        (
            "/v1/responses",
            [
                ("authorization", "Bearer sk-holdover-bad name"),
                ("accept", "*/*"),
            ],
        ),
        ("/s/bad%20name/responses", KEY),
    ];
    for (path, headers) in sent {
        let answer = client.send("POST", path, &headers, body.as_bytes()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    assert_eq!(
        sessions_with_traffic(&server),
        ["by-header", "by-path", "by.key", "default"]
    );
    let default = server
        .sessions
        .recording(&name("default"))
        .await
        .expect("a recording");
    let paths: Vec<&str> = default
        .exchanges
        .iter()
        .map(|exchange| exchange.request.path.as_str())
        .collect();
    assert_eq!(paths, ["/v1/responses", "/v1/responses"]);
    server.stop().await;
}

#[tokio::test]
async fn a_doubled_path_says_the_right_base_url() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    for (path, base_url) in [
        ("/v1/responses/responses", "http://test.local:1/v1"),
        ("/v1/v1/responses", "http://test.local:1/v1"),
        ("/s/a/v1/responses/responses", "http://test.local:1/s/a/v1"),
    ] {
        let answer = client.create(path, &hello("hi")).await;
        assert_eq!(answer.status, 404);
        assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
        let message = answer.message();
        assert!(message.starts_with("Invalid URL (POST /v1"), "{message}");
        assert!(
            message.ends_with(&format!("the right base URL is {base_url}")),
            "{message}"
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn paths_that_are_not_served_are_listed() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    for path in ["/v1/files", "/files", "/v1/responses/responses"] {
        assert_eq!(client.get(path).await.status, 404, "{path}");
    }
    assert_eq!(client.create("/v1/responses", &hello("hi")).await.status, 200);
    // A response that is not there is no path that is not served.
    assert_eq!(client.get("/v1/responses/resp_unknown").await.status, 404);
    let summary = &server.sessions.summaries()[0];
    let unserved: Vec<_> = summary
        .unserved
        .iter()
        .map(|(what, count)| (what.as_str(), *count))
        .collect();
    assert_eq!(
        unserved,
        [("GET /v1/files", 2), ("GET /v1/responses/responses", 1)]
    );
    assert_eq!(summary.exchanges, 5);
    server.stop().await;
}

#[tokio::test]
async fn query_and_escapes_reach_the_recording() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client
        .get("/v1/responses/resp%5F1?include[]=a&include[]=b&api-key=s3cret")
        .await;
    let recording = server
        .sessions
        .recording(&name("default"))
        .await
        .expect("a recording");
    let path = &recording.exchanges[0].request.path;
    assert_eq!(path, "/v1/responses/resp_1?include[]=a&include[]=b&api-key=…");
    server.stop().await;
}
