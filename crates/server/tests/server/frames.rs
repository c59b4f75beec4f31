//! A client of the WebSocket mode.

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::support::{Running, patiently};

/// An open connection.
pub(crate) struct Socket(WebSocketStream<TcpStream>);

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SocketEnd {
    /// With a close frame, and its code if it had one.
    Closed(Option<u16>),
    /// Without.
    Lost,
}

impl Socket {
    pub(crate) async fn open(server: &Running, path: &str) -> Self {
        let url = format!("ws://{}{path}", server.address);
        let mut request = url.into_client_request().expect("a URL");
        let key = HeaderValue::from_static("Bearer sk-test");
        request.headers_mut().insert("authorization", key);
        let stream = TcpStream::connect(server.address).await.expect("a server");
        let (socket, _) = patiently(tokio_tungstenite::client_async(request, stream))
            .await
            .expect("a WebSocket");
        Self(socket)
    }

    pub(crate) async fn send(&mut self, message: Message) {
        patiently(self.0.send(message)).await.expect("an open socket");
    }

    /// Sends a `response.create` with these members.
    pub(crate) async fn create(&mut self, members: &Value) {
        let mut frame = json!({"type": "response.create", "model": "gpt-5.6-sol", "store": false});
        for (name, value) in members.as_object().expect("members") {
            frame[name] = value.clone();
        }
        self.send(Message::text(frame.to_string())).await;
    }

    /// The next frame, or the end.
    pub(crate) async fn next(&mut self) -> Result<Value, SocketEnd> {
        loop {
            match patiently(self.0.next()).await {
                Some(Ok(Message::Text(text))) => return Ok(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(frame))) => {
                    return Err(SocketEnd::Closed(frame.map(|frame| frame.code.into())));
                }
                Some(Ok(_)) => {}
                Some(Err(Error::ConnectionClosed)) | None => return Err(SocketEnd::Closed(None)),
                Some(Err(_)) => return Err(SocketEnd::Lost),
            }
        }
    }

    /// Frames up to the first that ends an answer.
    pub(crate) async fn answer(&mut self) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await.expect("a whole answer");
            frames.push(frame);
            if ends(frames.last().expect("one")) {
                return frames;
            }
        }
    }

    /// What is still to come.
    pub(crate) async fn rest(&mut self) -> (Vec<Value>, SocketEnd) {
        let mut frames = Vec::new();
        loop {
            match self.next().await {
                Ok(frame) => frames.push(frame),
                Err(end) => return (frames, end),
            }
        }
    }

    /// Asks for an answer, and takes it.
    pub(crate) async fn ask(&mut self, members: &Value) -> Vec<Value> {
        self.create(members).await;
        self.answer().await
    }
}

fn ends(frame: &Value) -> bool {
    let names = [
        "response.completed",
        "response.incomplete",
        "response.failed",
        "error",
    ];
    frame["type"].as_str().is_some_and(|name| names.contains(&name))
}

/// Types of frames, without the `response.` of most.
pub(crate) fn types(frames: &[Value]) -> Vec<&str> {
    let names = frames.iter().map(|frame| frame["type"].as_str().unwrap_or("?"));
    names
        .map(|name| name.strip_prefix("response.").unwrap_or(name))
        .collect()
}

/// Id of the response of an answer.
pub(crate) fn id(frames: &[Value]) -> &str {
    frames[0]["response"]["id"].as_str().expect("an id")
}
