//! Every fault of the catalogue on a raw socket: the bytes and the end are those of the plan that faults and fake make
//! without a socket.

use std::time::Duration;

use holdover_fake::{FakeConfig, Script, Session};
use holdover_fault::{Before, Chance, Delivery, Fault, Faults, Occasion, Said, catalogue, model_name};
use holdover_wire::{Call, End, Plan, PlanBody};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{KEY, Running, hello, hello_stream, patiently};

/// After so long without a byte an answer counts as silent.
const SILENCE: Duration = Duration::from_millis(1_500); // The first answer of a debug build waits for the tokenizer.

/// An answer as its bytes came.
#[derive(Debug, PartialEq)]
struct Raw {
    /// 0 where there was no status line.
    status: u16,
    headers: Vec<(String, String)>,
    /// Without the sizes of chunks.
    body: Vec<u8>,
    end: RawEnd,
}

/// How a connection ended that the client asked to be closed after the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RawEnd {
    /// The answer is whole, and then the connection closed.
    Whole,
    /// It closed before the answer was whole.
    Early,
    /// It was reset.
    Reset,
    /// It stayed open, and nothing came.
    Silent,
}

async fn ask(server: &Running, path: &str, body: &Value) -> Raw {
    let mut stream = TcpStream::connect(server.address).await.expect("a server");
    let body = body.to_string();
    let mut request = format!("POST {path} HTTP/1.1\r\nhost: test.local:1\r\nconnection: close\r\n");
    for (name, value) in KEY {
        request += &[name, ": ", value, "\r\n"].concat();
    }
    request += &["content-length: ", &body.len().to_string(), "\r\n\r\n", &body].concat();
    stream.write_all(request.as_bytes()).await.expect("a connection");
    let mut bytes = Vec::new();
    let end = loop {
        match tokio::time::timeout(SILENCE, stream.read_buf(&mut bytes)).await {
            Err(_) => break RawEnd::Silent,
            Ok(Ok(0)) => break RawEnd::Whole,
            Ok(Ok(_)) => {}
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionReset => break RawEnd::Reset,
            Ok(Err(error)) => panic!("cannot read: {error}"),
        }
    };
    read(&bytes, end)
}

fn read(bytes: &[u8], end: RawEnd) -> Raw {
    let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
        assert_eq!(bytes, b"", "half a head");
        let end = if end == RawEnd::Whole { RawEnd::Early } else { end };
        return Raw {
            status: 0,
            headers: Vec::new(),
            body: Vec::new(),
            end,
        };
    };
    let head = std::str::from_utf8(&bytes[..at]).expect("a head is ASCII");
    let headers: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let header = |wanted: &str| {
        headers
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_str())
    };
    let rest = &bytes[at + 4..];
    let (body, is_whole) = match header("content-length") {
        Some(length) => (
            rest.to_vec(),
            rest.len() == length.parse::<usize>().expect("a length"),
        ),
        None => dechunked(rest),
    };
    Raw {
        status: head[9..12].parse().expect("a status"),
        body,
        end: if end == RawEnd::Whole && !is_whole {
            RawEnd::Early
        } else {
            end
        },
        headers,
    }
}

/// The data of chunks, and whether the last one came.
fn dechunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(at) = rest.windows(2).position(|window| window == b"\r\n") {
        let size = std::str::from_utf8(&rest[..at]).expect("a size is ASCII");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return (body, true);
        }
        body.extend_from_slice(&rest[at + 2..at + 2 + size]);
        rest = &rest[at + 2 + size + 2..];
    }
    (body, false)
}

/// The same session without a socket.
struct Mirror {
    session: Session,
    faults: Faults,
    exchange: u64,
}

impl Mirror {
    fn new(world: &str, flag: &str) -> Self {
        let config = FakeConfig {
            world: world.to_owned(),
            ..FakeConfig::default()
        };
        let fault = Fault::parse_flag(flag).expect("a fault");
        Self {
            faults: Faults::new(vec![fault], Chance::new(config.seed, world)),
            session: Session::new(config),
            exchange: 0,
        }
    }

    fn ask(&mut self, body: &Value) -> Plan {
        self.exchange += 1;
        let call = Call::post("/v1/responses", body.clone());
        let occasion = Occasion::new(self.exchange, &call);
        let Before { refusal, mut ticket } = self.faults.before(&occasion);
        if let Some(refusal) = refusal {
            return self.faults.rewrite(&occasion, ticket, refusal).plan;
        }
        let mut prepared = self.session.begin(&call);
        match self.faults.reply(&occasion, &mut ticket, prepared.reply()) {
            Said::Scripted => {}
            Said::Changed(reply) => prepared.say(reply, Script::GoesOn),
            Said::Instead(reply) => prepared.say(reply, Script::Waits),
        }
        let answer = prepared.answer(&call);
        let played = self.faults.rewrite(&occasion, ticket, answer.plan);
        self.session.commit(match played.delivery {
            Delivery::Whole => answer.writes,
            Delivery::Lost => prepared.lost(),
        });
        played.plan
    }
}

fn expected_end(plan: &Plan) -> RawEnd {
    match plan.end {
        End::Complete => RawEnd::Whole,
        End::Cut | End::HalfClose => RawEnd::Early,
        End::Reset => RawEnd::Reset,
        End::Timeout | End::ClientGone => RawEnd::Silent,
    }
}

/// Each fault so that it waits little and finds something to act on.
fn flag(name: &str) -> String {
    match name {
        "first-byte" => "first-byte:ms=20".to_owned(),
        "pause" | "jitter" => format!("{name}:ms=1"),
        "bandwidth" => "bandwidth:bytes-per-second=40000".to_owned(),
        // What the first call issued comes back with the third, and is named by the fourth.
        "key-changed" | "account-changed" | "region-changed" | "model-changed" => format!("{name}:call=3"),
        "chain-expired" => "chain-expired:call=4".to_owned(),
        "not-visible" => "not-visible:calls=9".to_owned(),
        "other-backend" => "other-backend:percent=100".to_owned(),
        name => name.to_owned(),
    }
}

/// Faults that these requests give nothing to act on: they come by HTTP, and carry no compaction item.
const IDLE: [&str; 2] = ["ws-close", "compaction-undecodable"];

/// Requests that give every kind of fault something to act on; `previous` is the answer to the first.
fn requests(previous: &Plan) -> Vec<Value> {
    let mut summed_up = hello_stream("two");
    summed_up["reasoning"] = json!({"summary": "auto"});
    let mut requests = vec![hello("one"), summed_up];
    let PlanBody::Json(first) = &previous.body else {
        return requests;
    };
    let mut replay = hello_stream("");
    let mut input = first["output"].as_array().cloned().unwrap_or_default();
    input.push(json!({"role": "user", "content": "three"}));
    replay["input"] = Value::Array(input);
    requests.push(replay);
    requests.push(json!({"model": "gpt-5.6", "input": "four", "previous_response_id": first["id"]}));
    requests.push(json!({"model": "gpt-5.6", "input": "five", "conversation": "conv_none"}));
    requests
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_crosses_the_socket_as_it_was_planned() {
    let server = Running::with_defaults().await;
    for card in catalogue::all() {
        let flag = flag(card.name);
        let mut client = server.client().await;
        let path = format!("/_holdover/sessions/{}", card.name);
        let setup = json!({"faults": [flag]}).to_string();
        let opened = client.send("PUT", &path, &[], setup.as_bytes()).await;
        assert_eq!(opened.status, 201, "{}", opened.text());
        let mut mirror = Mirror::new(card.name, &flag);
        // An answer that no fault touched, so that what is replayed is well formed.
        let stored = Mirror::new(card.name, "refuse:call=99").ask(&hello("one"));
        let mut acted = false;
        for body in requests(&stored) {
            let plan = mirror.ask(&body);
            acted |= plan.header("x-holdover-fault") == Some(card.name);
            let came = patiently(ask(&server, &format!("/s/{}/v1/responses", card.name), &body)).await;
            same(card.name, &plan, &came);
        }
        assert_eq!(acted, !IDLE.contains(&card.name), "{}", card.name);
    }
    server.stop().await;
}

fn same(name: &str, plan: &Plan, came: &Raw) {
    assert_eq!(came.end, expected_end(plan), "{name}");
    assert_eq!(came.status, plan.status, "{name}");
    // A reset may take what the client had not read yet with it.
    if came.end != RawEnd::Reset {
        assert_eq!(
            String::from_utf8_lossy(&came.body),
            String::from_utf8_lossy(&plan.body.bytes()),
            "{name}"
        );
        for (header, value) in &plan.headers {
            let found = came
                .headers
                .iter()
                .any(|(name, came)| name == header && came == value);
            assert!(found || plan.status == 0, "{name}: {header}: {value}");
        }
    }
}

async fn open(server: &Running, session: &str, setup: &Value) {
    let mut client = server.client().await;
    let path = format!("/_holdover/sessions/{session}");
    let opened = client.send("PUT", &path, &[], setup.to_string().as_bytes()).await;
    assert_eq!(opened.status, 201, "{}", opened.text());
}

#[tokio::test]
async fn a_lost_answer_is_not_stored_and_its_reply_is_said_to_the_retry() {
    let server = Running::with_defaults().await;
    let replies = json!([["reasoning", {"message": "one"}], ["reasoning", {"message": "two"}]]);
    open(
        &server,
        "lost",
        &json!({"replies": replies, "faults": ["cut-after-done:turn=1"]}),
    )
    .await;
    let mut body = hello_stream("hi");
    body["store"] = json!(true);
    let cut = ask(&server, "/s/lost/v1/responses", &body).await;
    assert_eq!(cut.end, RawEnd::Early);
    let id = created(&cut);
    let mut client = server.client().await;
    assert_eq!(
        client.get(&format!("/s/lost/v1/responses/{id}")).await.status,
        404
    );
    let retry = ask(&server, "/s/lost/v1/responses", &body).await;
    assert_eq!(retry.end, RawEnd::Whole);
    assert!(String::from_utf8_lossy(&retry.body).contains(r#""text":"one""#));
    let id = created(&retry);
    assert_eq!(
        client.get(&format!("/s/lost/v1/responses/{id}")).await.status,
        200
    );
    server.stop().await;
}

fn created(answer: &Raw) -> String {
    let frames = holdover_wire::sse::Decoder::new().push(&answer.body);
    let event = frames[0].event().expect("an event");
    let response = event.response().expect("a response");
    response.id().expect("an id").to_owned()
}

#[tokio::test]
async fn a_half_closed_connection_still_takes_bytes() {
    let server = Running::with_defaults().await;
    open(&server, "half", &json!({"faults": ["half-close:index=1"]})).await;
    let mut client = server.client().await;
    client
        .begin(
            "POST",
            "/s/half/v1/responses",
            &KEY,
            hello_stream("hi").to_string().as_bytes(),
        )
        .await;
    let answer = client.answer().await;
    assert_eq!(answer.end, crate::support::AnswerEnd::Closed);
    for _ in 0..3 {
        client
            .stream()
            .write_all(b"x")
            .await
            .expect("the other half is open");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_fault_in_the_name_of_a_model_is_for_its_requests_only() {
    let server = Running::with_defaults().await;
    let mut client = server.client().await;
    let mut named = hello("hi");
    named["model"] = json!("gpt-5.6:fault=quota:times=1");
    let refused = client.create("/v1/responses", &named).await;
    assert_eq!(refused.status, 429, "{}", refused.text());
    let plain = client.create("/v1/responses", &hello("hi")).await;
    assert_eq!(plain.status, 200);
    let retry = client.create("/v1/responses", &named).await;
    assert_eq!(retry.status, 200, "{}", retry.text());
    assert!(
        retry.json()["model"]
            .as_str()
            .expect("a model")
            .starts_with("gpt-5.6")
    );
    named["model"] = json!("gpt-5.6:fault=qota");
    let wrong = client.create("/v1/responses", &named).await;
    assert_eq!(wrong.status, 400);
    assert_eq!(wrong.header("x-holdover-evidence"), Some("ours"));
    assert!(
        wrong.message().contains("did you mean `quota`?"),
        "{}",
        wrong.message()
    );
    server.stop().await;
}

#[tokio::test]
async fn a_wait_comes_before_the_status_line() {
    let server = Running::with_defaults().await;
    open(&server, "late", &json!({"faults": ["first-byte:ms=150"]})).await;
    let begun = std::time::Instant::now();
    let answer = ask(&server, "/s/late/v1/responses", &hello("hi")).await;
    assert_eq!(answer.status, 200);
    assert!(
        begun.elapsed() >= Duration::from_millis(150),
        "{:?}",
        begun.elapsed()
    );
    server.stop().await;
}

#[tokio::test]
async fn a_recording_shows_what_left_in_whatever_bytes() {
    let server = Running::with_defaults().await;
    open(&server, "bytes", &json!({"faults": ["trickle:size=100", "crlf"]})).await;
    open(&server, "plain", &json!({"world": "bytes"})).await;
    for body in [hello("hi"), hello_stream("hi")] {
        for session in ["bytes", "plain"] {
            ask(&server, &format!("/s/{session}/v1/responses"), &body).await;
        }
    }
    let mut shown = Vec::new();
    for session in ["bytes", "plain"] {
        let recording = patiently(server.sessions.recording(&crate::support::name(session))).await;
        let responses = recording.expect("a recording").exchanges.into_iter();
        let responses = responses.filter_map(|exchange| exchange.response);
        shown.push(
            responses
                .map(|response| (response.body, response.events))
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(shown[0].len(), 2);
    assert!(shown[0][0].0.is_some() && shown[0][1].1.is_some());
    assert_eq!(shown[0], shown[1]);
    server.stop().await;
}

#[test]
fn the_mirror_plays_without_faults_as_the_fake_does() {
    let body = hello("hi");
    let mut call = Call::post("/v1/responses", body.clone());
    assert_eq!(model_name::take(&mut call), None);
    let config = FakeConfig {
        world: "x".to_owned(),
        ..FakeConfig::default()
    };
    let answer = Session::new(config).handle(&call);
    assert_eq!(Mirror::new("x", "refuse:call=99").ask(&body), answer.plan);
}
