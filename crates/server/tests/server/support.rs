//! A server in the background, and a small HTTP/1.1 client that keeps chunks apart.

use std::net::SocketAddr;
use std::time::Duration;

use holdover_server::{ServerConfig, Sessions, bind};
use holdover_wire::SessionName;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Nothing in these tests takes longer than this; a hang is a failure.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs until it is stopped or dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) sessions: Sessions,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start(config: ServerConfig) -> Self {
        let server = bind(config).await.expect("a free port");
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async move {
            let _ = stopped.await;
        };
        Self {
            address: server.local_addr(),
            sessions: server.sessions(),
            stop: Some(stop),
            task: tokio::spawn(server.run(shutdown)),
        }
    }

    pub(crate) async fn with_defaults() -> Self {
        Self::start(ServerConfig::default()).await
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(self.address).await
    }

    pub(crate) async fn stop(mut self) {
        let _ = self.stop.take().expect("stopped once").send(());
        patiently(&mut self.task).await.expect("no panic");
    }
}

/// Fails instead of hanging.
pub(crate) async fn patiently<F: Future>(work: F) -> F::Output {
    tokio::time::timeout(PATIENCE, work).await.expect("it hangs")
}

/// One answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// Data of each chunk; one entry for an answer with a length.
    pub(crate) chunks: Vec<Vec<u8>>,
    pub(crate) end: AnswerEnd,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerEnd {
    /// As HTTP says.
    Whole,
    /// The connection was closed before.
    Closed,
    /// The connection was reset before.
    Reset,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(key, _)| key == name);
        named.next().map(|(_, value)| value.as_str())
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        self.chunks.concat()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body()).expect("UTF-8")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body()).expect("JSON")
    }

    /// `error.message`
    pub(crate) fn message(&self) -> String {
        let body = self.json();
        body["error"]["message"].as_str().unwrap_or_default().to_owned()
    }
}

/// A kept-alive connection.
pub(crate) struct Client {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a server");
        stream.set_nodelay(true).expect("an open socket");
        Self {
            stream,
            read: Vec::new(),
        }
    }

    /// The socket, for tests that misbehave.
    pub(crate) fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("a connection");
    }

    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        self.begin(method, path, headers, body).await;
        self.answer().await
    }

    /// Writes a request and does not wait.
    pub(crate) async fn begin(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: test.local:1\r\n").into_bytes();
        for (name, value) in headers {
            request.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        request.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
        request.extend_from_slice(body);
        self.write(&request).await;
    }

    /// A create call with a key.
    pub(crate) async fn create(&mut self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &KEY, body.to_string().as_bytes()).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.send("GET", path, &KEY, b"").await
    }

    pub(crate) async fn answer(&mut self) -> Answer {
        patiently(self.read_answer()).await
    }

    async fn read_answer(&mut self) -> Answer {
        let head = self.read_head().await;
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .expect("a status line");
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Answer {
            status: status.parse().expect("a status"),
            headers,
            chunks: Vec::new(),
            end: AnswerEnd::Whole,
        };
        let length = answer
            .header("content-length")
            .map(|text| text.parse::<usize>().expect("a length"));
        let read = match length {
            Some(length) => self.read_length(length, &mut answer).await,
            None if answer.header("transfer-encoding") == Some("chunked") => {
                self.read_chunks(&mut answer).await
            }
            None => Ok(()),
        };
        if let Err(end) = read {
            answer.end = end;
        }
        answer
    }

    pub(crate) async fn read_head(&mut self) -> String {
        loop {
            if let Some(at) = find(&self.read, b"\r\n\r\n") {
                let rest = self.read.split_off(at + 4);
                let head = std::mem::replace(&mut self.read, rest);
                return String::from_utf8(head).expect("a head is ASCII");
            }
            self.fill().await.expect("a head");
        }
    }

    async fn read_length(&mut self, length: usize, answer: &mut Answer) -> Result<(), AnswerEnd> {
        while self.read.len() < length {
            if let Err(end) = self.fill().await {
                answer.chunks.push(std::mem::take(&mut self.read));
                return Err(end);
            }
        }
        let rest = self.read.split_off(length);
        answer.chunks.push(std::mem::replace(&mut self.read, rest));
        Ok(())
    }

    async fn read_chunks(&mut self, answer: &mut Answer) -> Result<(), AnswerEnd> {
        loop {
            let chunk = self.read_chunk().await?;
            if chunk.is_empty() {
                return Ok(());
            }
            answer.chunks.push(chunk);
        }
    }

    /// The data of the next chunk; empty for the last one.
    pub(crate) async fn read_chunk(&mut self) -> Result<Vec<u8>, AnswerEnd> {
        let at = loop {
            match find(&self.read, b"\r\n") {
                Some(at) => break at,
                None => self.fill().await?,
            }
        };
        let line = std::str::from_utf8(&self.read[..at]).expect("a chunk's size is ASCII");
        let size = usize::from_str_radix(line, 16).expect("a chunk's size");
        while self.read.len() < at + 2 + size + 2 {
            self.fill().await?;
        }
        let rest = self.read.split_off(at + 2 + size + 2);
        let chunk = std::mem::replace(&mut self.read, rest);
        Ok(chunk[at + 2..at + 2 + size].to_vec())
    }

    async fn fill(&mut self) -> Result<(), AnswerEnd> {
        match self.stream.read_buf(&mut self.read).await {
            Ok(0) => Err(AnswerEnd::Closed),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => Err(AnswerEnd::Reset),
            Err(error) => panic!("cannot read: {error}"),
        }
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// The headers of a client that names no session.
pub(crate) const KEY: [(&str, &str); 2] = [
    ("authorization", "Bearer sk-test"),
    ("content-type", "application/json"),
];

pub(crate) fn name(text: &str) -> SessionName {
    SessionName::parse(text).expect("a session's name")
}

/// A create body of one user message.
pub(crate) fn hello(text: &str) -> Value {
    json!({"model": "gpt-5.6", "input": text, "store": false, "include": ["reasoning.encrypted_content"]})
}

/// The same, streamed.
pub(crate) fn hello_stream(text: &str) -> Value {
    let mut body = hello(text);
    body["stream"] = json!(true);
    body
}
