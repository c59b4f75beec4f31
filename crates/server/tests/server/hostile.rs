//! Input that nobody should send.

use holdover_server::{Limits, ServerConfig};
use holdover_wire::End;
use serde_json::json;

use crate::support::{KEY, Running, hello, name, patiently};

/// The server still answers.
async fn is_well(server: &Running) {
    let answer = server
        .client()
        .await
        .create("/s/well/v1/responses", &hello("hi"))
        .await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused_as_ours() {
    let config = ServerConfig {
        limits: Limits {
            body_bytes_max: 3 << 20,
            ..Limits::default()
        },
        ..ServerConfig::default()
    };
    let server = Running::start(config).await;
    let mut client = server.client().await;
    let fits = hello(&"x".repeat((3 << 20) - 200)).to_string();
    assert_eq!(
        client
            .send("POST", "/v1/responses", &KEY, fits.as_bytes())
            .await
            .status,
        200
    );
    let large = hello(&"x".repeat(3 << 20)).to_string();
    let answer = client.send("POST", "/v1/responses", &KEY, large.as_bytes()).await;
    assert_eq!(answer.status, 413);
    assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
    assert!(answer.message().contains("3 MiB"), "{}", answer.message());
    is_well(&server).await;
    server.stop().await;
}

#[tokio::test]
async fn a_body_without_an_end_is_refused_while_it_comes() {
    let mut config = ServerConfig::default();
    config.limits.body_bytes_max = 1 << 20;
    let server = Running::start(config).await;
    for path in ["/v1/responses", "/_holdover/sessions/a"] {
        let mut client = server.client().await;
        let head = format!(
            "PUT {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        client.write(head.as_bytes()).await;
        let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
        // More than twice the limit, and no end: the answer must be readable although the client is still writing.
        for _ in 0..40 {
            client.write(&chunk).await;
        }
        let answer = client.answer().await;
        assert_eq!(answer.status, 413, "{path}");
        assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
        assert_eq!(answer.header("connection"), Some("close"));
        client.write(&chunk).await;
    }
    is_well(&server).await;
    server.stop().await;
}

#[tokio::test]
async fn an_own_answer_that_wants_no_body_keeps_the_connection() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let body = vec![b'x'; 300_000];
    for (method, path, status) in [
        ("POST", "/_holdover/health", 405),
        ("POST", "/_holdover/nothing", 404),
        ("GET", "/_holdover/health", 200),
        ("DELETE", "/_holdover/sessions/none", 404),
        ("PATCH", "/v1/responses", 405),
        ("BREW", "/v1/responses", 405),
    ] {
        let headers = [("authorization", "Bearer x")];
        let answer = client.send(method, path, &headers, &body).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        assert_eq!(answer.header("connection"), None, "{method} {path}");
    }
    assert_eq!(client.get("/v1/models").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn an_absurd_announcement_is_refused_without_waiting_for_it() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client
        .write(b"POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999\r\n\r\n")
        .await;
    assert_eq!(client.answer().await.status, 413);
    is_well(&server).await;
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_to_go_on() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let body = hello("hi").to_string();
    let head = format!(
        "POST /v1/responses HTTP/1.1\r\nhost: x\r\nauthorization: Bearer x\r\nexpect: 100-continue\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    client.write(head.as_bytes()).await;
    assert!(patiently(client.read_head()).await.starts_with("HTTP/1.1 100 "));
    client.write(body.as_bytes()).await;
    assert_eq!(client.answer().await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_string_of_65_mebibytes_gets_the_answer_of_the_api() {
    // `tests/facts/endpoints.md`, size limits: an input string has at most 10 485 760 characters.
    let server = Running::with_defaults().await;
    let body = hello(&"x".repeat(65 << 20)).to_string();
    let answer = server
        .client()
        .await
        .send("POST", "/v1/responses", &KEY, body.as_bytes())
        .await;
    assert_eq!(answer.status, 400);
    assert_ne!(answer.header("x-holdover-evidence"), Some("ours"));
    let error = &answer.json()["error"];
    assert_eq!(error["param"], "input");
    assert_eq!(error["code"], "string_above_max_length");
    server.stop().await;
}

#[tokio::test]
async fn a_body_that_is_no_json_is_the_fakes_to_refuse() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let deep = "[".repeat(100_000);
    for body in [
        &b"{\"model\":"[..],
        b"\xff\xfe\x00",
        deep.as_bytes(),
        b"\xef\xbb\xbf{}",
    ] {
        let answer = client.send("POST", "/v1/responses", &KEY, body).await;
        assert_eq!(answer.status, 400);
        assert!(
            answer.message().starts_with("We could not parse the JSON body"),
            "{}",
            answer.message()
        );
    }
    let recording = server
        .sessions
        .recording(&name("default"))
        .await
        .expect("a recording");
    assert_eq!(recording.exchanges[0].request.body, json!("{\"model\":"));
    server.stop().await;
}

#[tokio::test]
async fn broken_requests_do_not_hurt_the_server() {
    let server = Running::with_defaults().await;
    let huge_header = format!(
        "GET /v1/models HTTP/1.1\r\nhost: x\r\nx-big: {}\r\n\r\n",
        "y".repeat(2 << 20)
    );
    let many_headers = format!(
        "GET /v1/models HTTP/1.1\r\nhost: x\r\n{}\r\n",
        "a: b\r\n".repeat(5000)
    );
    let broken: [&[u8]; 7] = [
        b"\x00\x01\x02\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"POST /v1/responses HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{}",
        b"GET /v1/\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n",
        huge_header.as_bytes(),
        many_headers.as_bytes(),
    ];
    for bytes in broken {
        let mut client = server.client().await;
        // The server may close while we write.
        let _ = tokio::io::AsyncWriteExt::write_all(client.stream(), bytes).await;
        drop(client);
    }
    is_well(&server).await;
    server.stop().await;
}

#[tokio::test]
async fn odd_paths_and_header_values_are_answered() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    for path in [
        "/",
        "/s",
        "/s/",
        "/s/a",
        "/s//",
        "/s/%00%ff/v1/responses/%ff?%=%&&=&a",
        "/v1/%2e%2e/%2e%2e/etc/passwd",
        "/v1/responses/%zz",
        "//v1//responses",
        "/_holdover/../v1/responses",
    ] {
        let answer = client.get(path).await;
        assert!((400..500).contains(&answer.status), "{path}: {}", answer.status);
    }
    let request = b"GET /v1/models HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \xff\xfe\r\nx-holdover-session: \xff\r\n\r\n";
    client.write(request).await;
    assert_eq!(client.answer().await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_goes_away_while_it_sends_leaves_no_exchange() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    client
        .write(b"POST /s/half/v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{\"model\"")
        .await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    drop(client);
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    is_well(&server).await;
    let recording = patiently(server.sessions.recording(&name("half")))
        .await
        .expect("a session");
    // hyper may drop the request or report its body as broken; an answer was never read either way.
    for exchange in &recording.exchanges {
        let response = exchange.response.as_ref().expect("a response");
        assert_eq!((response.status, response.end), (400, End::Complete));
    }
    server.stop().await;
}

#[tokio::test]
async fn more_sessions_than_there_may_be_are_refused_as_ours() {
    let config = ServerConfig {
        limits: Limits {
            sessions_max: 2,
            ..Limits::default()
        },
        ..ServerConfig::default()
    };
    let server = Running::start(config).await;
    let mut client = server.client().await;
    for session in ["a", "b", "a"] {
        let path = format!("/s/{session}/v1/responses");
        assert_eq!(client.create(&path, &hello("hi")).await.status, 200);
    }
    let answer = client.create("/s/c/v1/responses", &hello("hi")).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
    assert_eq!(
        client
            .send("DELETE", "/_holdover/sessions/a", &[], b"")
            .await
            .status,
        204
    );
    assert_eq!(client.create("/s/c/v1/responses", &hello("hi")).await.status, 200);
    server.stop().await;
}
