//! Requests whose body is compressed.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use holdover_server::{Limits, ServerConfig};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::support::{Answer, Client, Running, hello, name};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

async fn send(client: &mut Client, coding: &str, body: &[u8]) -> Answer {
    let headers = [("content-encoding", coding), ("authorization", "Bearer x")];
    client.send("POST", "/v1/responses", &headers, body).await
}

#[tokio::test]
async fn a_compressed_request_is_answered_and_recorded_as_the_plain_one() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let body = hello("hi");
    let text = body.to_string();
    for (coding, bytes) in [
        ("gzip", gzip(text.as_bytes())),
        ("zstd", zstd(text.as_bytes())),
        ("identity", text.clone().into_bytes()),
    ] {
        assert_eq!(send(&mut client, coding, &bytes).await.status, 200, "{coding}");
    }
    let recording = server.sessions.recording(&name("default")).await;
    let exchanges = recording.expect("a recording").exchanges;
    assert_eq!(exchanges.len(), 3);
    for exchange in exchanges {
        assert_eq!(exchange.request.body, body);
    }
    server.stop().await;
}

#[tokio::test]
async fn what_is_not_compressed_as_it_says_is_refused_as_ours() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    for (coding, status, said) in [
        ("gzip", 400, "no valid gzip"),
        ("zstd", 400, "no valid zstd"),
        ("br", 415, "`content-encoding: br`"),
    ] {
        let answer = send(&mut client, coding, hello("hi").to_string().as_bytes()).await;
        assert_eq!(answer.status, status, "{coding}");
        assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
        assert!(answer.message().contains(said), "{}", answer.message());
    }
    server.stop().await;
}

#[tokio::test]
async fn the_limit_holds_for_what_a_body_becomes() {
    let config = ServerConfig {
        limits: Limits {
            body_bytes_max: 1 << 20,
            ..Limits::default()
        },
        ..ServerConfig::default()
    };
    let server = Running::start(config).await;
    let mut client = server.client().await;
    let large = hello(&"x".repeat(1 << 20)).to_string();
    for (coding, bytes) in [("gzip", gzip(large.as_bytes())), ("zstd", zstd(large.as_bytes()))] {
        assert!(bytes.len() < 1 << 20, "{coding}: small before it is unpacked");
        let answer = send(&mut client, coding, &bytes).await;
        assert_eq!(answer.status, 413, "{coding}");
        assert_eq!(answer.header("x-holdover-evidence"), Some("ours"));
    }
    server.stop().await;
}
