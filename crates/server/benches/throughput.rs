//! Requests a second over loopback, Holdover's server against a bare axum server.
//!
//! The bare server parses each request and builds a body of the same content: what any fake on this stack must spend.
//! Holdover's validates, unseals, counts, seals, records and judges as well. Both are driven by the same keep-alive
//! client in this process, on the same cores, in interleaved rounds. A create call carries one turn of history with its
//! reasoning item, as the session issued it. `cargo bench -p holdover-server --bench throughput` takes about 40 seconds; `-- streams` measures
//! only those, `-- holdover JSON` only Holdover's server (for a profiler). On a machine that does other work as well, compare
//! the processor time a request, which counts the client's too, and not the rates.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use futures_util::{StreamExt as _, stream};
use holdover_server::{ServerConfig, Sessions, bind};
use holdover_wire::{Event, sse};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CONNECTIONS: usize = 32;
const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_millis(1500);
/// With `cargo test --benches` it only has to work.
const SMOKE_ROUND: Duration = Duration::from_millis(50);

/// What comes before the number in a last message.
const FOLLOW_UP: &str = "Follow-up ";

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Json,
    Stream,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON answers",
            Self::Stream => "streams",
        }
    }
}

fn main() {
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (rounds, round) = if is_bench {
        (ROUNDS, ROUND)
    } else {
        (1, SMOKE_ROUND)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    runtime.block_on(compare(rounds, round, &wanted));
}

async fn compare(rounds: usize, round: Duration, wanted: &[String]) {
    let server = bind(ServerConfig::default()).await.expect("a free port");
    let (ours, sessions) = (server.local_addr(), server.sessions());
    tokio::spawn(server.run(std::future::pending()));
    let sample = Sample::take(ours).await;
    let bare = bare_server(&sample).await;
    println!(
        "{CONNECTIONS} connections, token of {} characters, request of {} bytes, answer of {} bytes, {} events a stream",
        sample.token_length,
        sample.request(Kind::Json, "s", Some(0)).len(),
        sample.json_bytes,
        sample.events.len(),
    );
    let only_ours = wanted.iter().any(|word| word == "holdover");
    let mut kinds = wanted.iter().filter(|word| *word != "holdover").peekable();
    let all = kinds.peek().is_none();
    let kinds: Vec<&String> = kinds.collect();
    for kind in [Kind::Json, Kind::Stream] {
        if !all && !kinds.iter().any(|word| kind.name().contains(*word)) {
            continue;
        }
        let mut rounds_of = [Vec::new(), Vec::new()];
        for number in 0..rounds {
            if !only_ours {
                rounds_of[0].push(drive(bare, &sample, kind, number, round).await);
            }
            rounds_of[1].push(drive(ours, &sample, kind, number, round).await);
            clear(&sessions).await;
        }
        report(kind, &rounds_of);
    }
}

fn report(kind: Kind, rounds_of: &[Vec<Rate>; 2]) {
    let of = |part: fn(&Rate) -> f64| {
        rounds_of
            .each_ref()
            .map(|rounds| median(rounds.iter().map(part).collect()))
    };
    let [bare, ours] = of(|rate| rate.per_second);
    let [bare_cpu, our_cpu] = of(|rate| rate.cpu_us);
    println!(
        "{:>12}: bare {bare:>7.0}/s {bare_cpu:>6.1} us   holdover {ours:>7.0}/s {our_cpu:>6.1} us   ratio {:.2}, by processor time {:.2}",
        kind.name(),
        ours / bare,
        bare_cpu / our_cpu,
    );
}

/// What one round came to.
#[derive(Clone, Copy, Debug)]
struct Rate {
    per_second: f64,
    /// Microseconds of processor time a request, of server and client together; NaN where it cannot be read.
    cpu_us: f64,
}

/// Seconds of processor time of this process so far, where `/proc` tells it, in ticks of 10 ms.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses; user and system time are members 14 and 15 of the line.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let mut members = after_name.split_whitespace().skip(11);
    let mut ticks = || {
        members
            .next()
            .and_then(|ticks| ticks.parse::<f64>().ok())
            .unwrap_or(f64::NAN)
    };
    (ticks() + ticks()) / 100.0
}

/// Sessions of one round go before the next.
async fn clear(sessions: &Sessions) {
    sessions.flush().await;
    for name in sessions.names() {
        sessions.remove(&name);
    }
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN)
}

/// One turn of Holdover, as the history of what is measured and as the template of the bare server.
#[derive(Debug)]
struct Sample {
    history: Vec<Value>,
    answer: Value,
    events: Vec<Event>,
    token_length: usize,
    json_bytes: usize,
}

impl Sample {
    async fn take(address: SocketAddr) -> Self {
        let mut sample = Self {
            history: vec![message("What is a holdover?")],
            answer: Value::Null,
            events: Vec::new(),
            token_length: 0,
            json_bytes: 0,
        };
        let mut connection = Connection::open(address).await;
        let first = connection.json(&sample.request(Kind::Json, "sample", None)).await;
        sample.continue_with(&first);
        let body = connection
            .body(&sample.request(Kind::Json, "sample", Some(1)))
            .await;
        sample.json_bytes = body.len();
        sample.answer = serde_json::from_slice(&body).expect("JSON");
        let streamed = connection
            .body(&sample.request(Kind::Stream, "sample", Some(1)))
            .await;
        let frames = sse::Decoder::new().push(&streamed);
        sample.events = frames.iter().filter_map(sse::Frame::event).collect();
        sample
    }

    fn continue_with(&mut self, first: &Value) {
        let output = first["output"].as_array().expect("output");
        let token = output.iter().find_map(|item| item["encrypted_content"].as_str());
        self.token_length = token.expect("a token").len();
        self.history.extend(output.iter().cloned());
    }

    /// A conversation that had no turn yet.
    fn beginning(&self) -> Self {
        Self {
            history: self.history[..1].to_vec(),
            answer: Value::Null,
            events: Vec::new(),
            ..*self
        }
    }

    /// The bytes of a create call; each number makes another last message, and so another answer.
    fn request(&self, kind: Kind, session: &str, number: Option<u32>) -> Vec<u8> {
        let mut input = self.history.clone();
        if let Some(number) = number {
            input.push(message(&format!("{FOLLOW_UP}{number:06}.")));
        }
        let body = json!({
            "model": "gpt-5.6",
            "instructions": "Answer briefly.",
            "input": input,
            "store": false,
            "stream": kind == Kind::Stream,
            "include": ["reasoning.encrypted_content"],
        })
        .to_string();
        let head = format!(
            "POST /s/{session}/v1/responses HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer sk-x\r\n\
             user-agent: bench\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        [head.into_bytes(), body.into_bytes()].concat()
    }
}

fn message(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The bare server's template.
#[derive(Debug)]
struct Template {
    answer: Value,
    events: Vec<Event>,
}

async fn bare_server(sample: &Sample) -> SocketAddr {
    let template = Arc::new(Template {
        answer: sample.answer.clone(),
        events: sample.events.clone(),
    });
    let routes = axum::Router::new()
        .route("/s/{session}/v1/responses", post(bare_answer))
        .with_state(template);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let address = listener.local_addr().expect("an address");
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        stream.set_nodelay(true).expect("an open socket");
    });
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

async fn bare_answer(State(template): State<Arc<Template>>, body: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&body).expect("JSON");
    if request["stream"] == true {
        let events = template.events.clone();
        let frames = stream::iter(events).map(|event| {
            let mut frame = Vec::with_capacity(1024);
            sse::encode(&event, &mut frame);
            Ok::<_, std::convert::Infallible>(Bytes::from(frame))
        });
        return Response::new(Body::from_stream(frames));
    }
    let answer = template.answer.clone();
    Response::new(Body::from(serde_json::to_vec_pretty(&answer).expect("JSON")))
}

/// Requests a second of one round.
async fn drive(address: SocketAddr, sample: &Sample, kind: Kind, round: usize, length: Duration) -> Rate {
    let answered = Arc::new(AtomicU64::new(0));
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    let clients = (0..CONNECTIONS).map(|number| {
        let answered = Arc::clone(&answered);
        let session = format!("{kind:?}-{round}-{number}");
        let mut own = sample.beginning();
        tokio::spawn(async move {
            let mut connection = Connection::open(address).await;
            // The first turn makes the history of this session, as a client that carries it whole has it.
            let first = connection.json(&own.request(Kind::Json, &session, None)).await;
            own.continue_with(&first);
            let mut request = own.request(kind, &session, Some(0));
            let digits = find(&request, FOLLOW_UP.as_bytes()).expect("a last message") + FOLLOW_UP.len();
            for number in 1_u32.. {
                if begun.elapsed() > length {
                    break;
                }
                request[digits..digits + 6].copy_from_slice(format!("{number:06}").as_bytes());
                connection.pass(kind, &request).await;
                answered.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.expect("no panic");
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate of some thousands")]
    let count = answered.load(Ordering::Relaxed) as f64;
    Rate {
        per_second: count / begun.elapsed().as_secs_f64(),
        cpu_us: (cpu_seconds() - cpu) * 1e6 / count,
    }
}

/// A kept-alive connection that spends as little as it can.
struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a server");
        stream.set_nodelay(true).expect("an open socket");
        Self {
            stream,
            read: Vec::with_capacity(64 << 10),
        }
    }

    /// Sends a request and reads its answer to the end.
    async fn pass(&mut self, kind: Kind, request: &[u8]) {
        self.read.clear();
        self.stream.write_all(request).await.expect("a connection");
        loop {
            self.fill().await;
            let is_over = match kind {
                Kind::Json => self.has_length(),
                Kind::Stream => self.read.ends_with(b"\r\n0\r\n\r\n"),
            };
            if is_over {
                assert!(
                    self.read.starts_with(b"HTTP/1.1 200"),
                    "{}",
                    String::from_utf8_lossy(&self.read)
                );
                return;
            }
        }
    }

    async fn fill(&mut self) {
        let read = self.stream.read_buf(&mut self.read).await.expect("a connection");
        assert!(read > 0, "the server went away");
    }

    fn has_length(&self) -> bool {
        let Some(head) = find(&self.read, b"\r\n\r\n") else {
            return false;
        };
        let at = find(&self.read[..head], b"content-length: ").expect("a length");
        let digits = self.read[at + 16..head]
            .iter()
            .take_while(|byte| byte.is_ascii_digit());
        let length = digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
        self.read.len() >= head + 4 + length
    }

    async fn body(&mut self, request: &[u8]) -> Vec<u8> {
        let kind = if find(request, b"\"stream\":true").is_some() {
            Kind::Stream
        } else {
            Kind::Json
        };
        self.pass(kind, request).await;
        let head = find(&self.read, b"\r\n\r\n").expect("a head");
        let body = &self.read[head + 4..];
        match kind {
            Kind::Json => body.to_vec(),
            Kind::Stream => dechunk(body),
        }
    }

    async fn json(&mut self, request: &[u8]) -> Value {
        serde_json::from_slice(&self.body(request).await).expect("JSON")
    }
}

fn dechunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let at = find(bytes, b"\r\n").expect("a chunk's size");
        let digits = std::str::from_utf8(&bytes[..at]).expect("a chunk's size");
        let size = usize::from_str_radix(digits, 16).expect("a chunk's size");
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&bytes[at + 2..at + 2 + size]);
        bytes = &bytes[at + 2 + size + 2..];
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}
