//! Plans on a real socket: what the client sees, and what is recorded.

use std::io::ErrorKind;
use std::time::Instant;

use axum::Router;
use axum::extract::ConnectInfo;
use holdover_wire::{CallBody, Event, Exchange, Object, SessionName};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::*;
use crate::config::ServerConfig;
use crate::exchange::RequestHalf;
use crate::listen::Peer;
use crate::server::bind;

/// What a client saw of one answer, and the exchange that was recorded.
struct Seen {
    text: String,
    end: Result<(), ErrorKind>,
    exchange: Exchange,
}

/// How long a client waits for the end of an answer.
#[derive(Clone, Copy)]
enum Patience {
    UntilTheEnd,
    Short,
}

fn event(name: &str) -> Step {
    let mut object = Object::new();
    object.insert("type".to_owned(), name.into());
    Step::Event(Event::new(object))
}

fn ending(mut plan: Plan, end: End) -> Plan {
    plan.end = end;
    plan
}

fn stream(steps: Vec<Step>) -> Plan {
    let mut plan = Plan::stream(Vec::new(), Vec::new());
    plan.body = PlanBody::Stream(steps);
    plan
}

async fn see(plan: Plan, patience: Patience) -> Seen {
    // The server lends its sessions and its thread; the plan is played beside its routes.
    let mut server = bind(ServerConfig::default()).await.expect("a free port");
    let name = SessionName::default_session();
    let session = server.sessions().of(&name).expect("room");
    let shared = server.shared();
    let route = axum::routing::get(move |ConnectInfo(peer): ConnectInfo<Peer>| {
        let mut open = Open::new(
            Arc::clone(&session),
            Arc::clone(&shared),
            session.number(),
            None,
            0,
        );
        open.request(RequestHalf {
            method: http::Method::GET,
            path: "/v1/test".to_owned(),
            headers: Vec::new(),
            body: CallBody::Empty,
            bytes: Some(Bytes::new()),
        });
        play(plan.clone(), open, Some(peer.handle))
    });
    server.add(Router::new().route("/test", route));
    let (address, sessions) = (server.local_addr(), server.sessions());
    tokio::spawn(server.run(std::future::pending()));
    let mut client = TcpStream::connect(address).await.expect("a server");
    client
        .write_all(b"GET /test HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await
        .expect("a connection");
    let mut bytes = Vec::new();
    let end = match patience {
        Patience::UntilTheEnd => {
            let read = client.read_to_end(&mut bytes);
            let read = tokio::time::timeout(Duration::from_secs(20), read)
                .await
                .expect("it hangs");
            read.map(|_| ()).map_err(|error| error.kind())
        }
        Patience::Short => {
            let read = client.read_to_end(&mut bytes);
            let read = tokio::time::timeout(Duration::from_millis(150), read).await;
            assert!(read.is_err(), "it should go on for ever");
            Ok(())
        }
    };
    drop(client);
    let session = sessions.of(&name).expect("a session");
    session.settle(Duration::from_secs(20)).await;
    let mut recording = sessions.recording(&name).await.expect("a recording");
    Seen {
        text: String::from_utf8(bytes).expect("UTF-8"),
        end,
        exchange: recording.exchanges.remove(0),
    }
}

fn recorded(exchange: &Exchange) -> (u16, Vec<&str>, End) {
    let response = exchange.response.as_ref().expect("a response");
    let events = response.events.iter().flatten().map(Event::name);
    (response.status, events.collect(), response.end)
}

#[tokio::test]
async fn a_cut_comes_after_what_was_sent() {
    let plan = stream(vec![event("a"), event("b")]);
    let seen = see(ending(plan, End::Cut), Patience::UntilTheEnd).await;
    assert!(
        seen.text.ends_with("event: b\ndata: {\"type\":\"b\"}\n\n\r\n"),
        "{}",
        seen.text
    );
    assert_eq!(seen.end, Ok(()));
    assert_eq!(recorded(&seen.exchange), (200, vec!["a", "b"], End::Cut));
}

#[tokio::test]
async fn a_reset_is_a_reset() {
    let plan = stream(vec![event("a"), Step::Wait(Duration::from_millis(50))]);
    let seen = see(ending(plan, End::Reset), Patience::UntilTheEnd).await;
    assert_eq!(seen.end, Err(ErrorKind::ConnectionReset));
    assert_eq!(recorded(&seen.exchange), (200, vec!["a"], End::Reset));
}

#[tokio::test]
async fn a_half_close_ends_what_the_client_reads() {
    let plan = stream(vec![event("a")]);
    let seen = see(ending(plan, End::HalfClose), Patience::UntilTheEnd).await;
    assert!(
        seen.text.contains("event: a\n") && !seen.text.ends_with("0\r\n\r\n"),
        "{}",
        seen.text
    );
    assert_eq!(seen.end, Ok(()));
    assert_eq!(recorded(&seen.exchange), (200, vec!["a"], End::HalfClose));
}

#[tokio::test]
async fn an_end_is_asked_for_once() {
    // A body that asks at each poll wakes itself for ever, and a later `close_now` is forgotten.
    let server = bind(ServerConfig::default()).await.expect("a free port");
    let session = server
        .sessions()
        .of(&SessionName::default_session())
        .expect("room");
    let open = Open::new(Arc::clone(&session), server.shared(), session.number(), None, 0);
    let handle = Arc::new(Handle::default());
    let mut body = StreamBody::new(Vec::new(), End::HalfClose, open, Some(Arc::clone(&handle)));
    let mut context = Context::from_waker(std::task::Waker::noop());
    let mut poll = || Pin::new(&mut body).poll_frame(&mut context).is_pending();
    assert!(poll());
    handle.close_now();
    assert!(poll());
    assert!(format!("{handle:?}").contains("asked: 3"), "{handle:?}");
}

#[tokio::test]
async fn a_timeout_goes_on_until_the_client_leaves() {
    let plan = stream(vec![event("a")]);
    let seen = see(ending(plan, End::Timeout), Patience::Short).await;
    assert_eq!(recorded(&seen.exchange), (200, vec!["a"], End::Timeout));
}

#[tokio::test]
async fn a_document_that_is_cut_promises_more_than_comes() {
    let plan = Plan::json(200, Vec::new(), json!({"a": "0123456789"}));
    let seen = see(ending(plan, End::Cut), Patience::UntilTheEnd).await;
    // `{\n  "a": "0123456789"\n}` has 23 bytes; half of them, rounded down, are sent.
    assert!(seen.text.contains("content-length: 23\r\n"), "{}", seen.text);
    assert!(seen.text.ends_with("\r\n\r\n{\n  \"a\": \"0"), "{}", seen.text);
    assert_eq!(recorded(&seen.exchange), (200, vec![], End::Cut));
}

#[tokio::test]
async fn silence_sends_not_a_byte() {
    for (end, patience, saw) in [
        (End::Cut, Patience::UntilTheEnd, Ok(())),
        (End::Reset, Patience::UntilTheEnd, Err(ErrorKind::ConnectionReset)),
        (End::Timeout, Patience::Short, Ok(())),
    ] {
        let seen = see(Plan::nothing(end), patience).await;
        assert_eq!((seen.text.as_str(), seen.end), ("", saw), "{end:?}");
        assert_eq!(recorded(&seen.exchange), (0, vec![], end));
    }
}

#[tokio::test]
async fn waits_are_real() {
    let mut plan = stream(vec![
        event("a"),
        Step::Wait(Duration::from_millis(60)),
        event("b"),
    ]);
    plan.wait = Duration::from_millis(60);
    let begun = Instant::now();
    let seen = see(plan, Patience::UntilTheEnd).await;
    assert!(
        begun.elapsed() >= Duration::from_millis(120),
        "{:?}",
        begun.elapsed()
    );
    assert!(seen.text.ends_with("0\r\n\r\n"), "{}", seen.text);
    assert_eq!(recorded(&seen.exchange), (200, vec!["a", "b"], End::Complete));
}

#[tokio::test]
async fn a_client_that_leaves_before_the_first_byte_is_recorded() {
    let mut plan = stream(vec![event("a")]);
    plan.wait = Duration::from_secs(600);
    let seen = see(plan, Patience::Short).await;
    assert_eq!(recorded(&seen.exchange), (0, vec![], End::ClientGone));
}

#[tokio::test]
async fn raw_bytes_and_pieces_of_a_document_leave_as_they_are() {
    let pieces = vec![Step::Raw(b"{\"a\"".to_vec()), Step::Raw(b":1}".to_vec())];
    let seen = see(stream(pieces), Patience::UntilTheEnd).await;
    assert!(
        seen.text.ends_with("4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n"),
        "{}",
        seen.text
    );
    let response = seen.exchange.response.expect("a response");
    assert_eq!(response.body, Some(json!({"a": 1}).into()));
    let done = stream(vec![event("a"), Step::Raw(b"data: [DONE]\n\n".to_vec())]);
    let seen = see(done, Patience::UntilTheEnd).await;
    assert!(seen.text.contains("data: [DONE]\n\n"), "{}", seen.text);
    assert_eq!(recorded(&seen.exchange), (200, vec!["a"], End::Complete));
}
