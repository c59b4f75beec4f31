//! What leaves a connection: frames one by one, and in the end its end.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt as _;
use futures_util::stream::SplitSink;
use holdover_wire::End;
use tokio::sync::mpsc;

use crate::listen::{Ending, Handle};

/// Frames that may wait for the socket before answers have to.
const WAITING_MAX: usize = 8;
/// How long a client may take to answer a close frame.
const CLOSE_PATIENCE: Duration = Duration::from_secs(5);
/// Codes that stand for an end and are never sent (RFC 6455, section 7.4.1): no code, a lost connection, a failed TLS
/// handshake.
const NO_CODE: u16 = 1005;
const LOST: [u16; 2] = [1006, 1015];

/// One thing to send.
#[derive(Debug)]
pub(super) enum Out {
    /// A frame of text.
    Frame(String),
    /// A close frame with this code, and the end.
    Close(u16),
    /// The end of the connection beneath.
    End(Ending),
    /// The end at once, whatever still waits.
    Now(Now),
}

/// An end at once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Now {
    Close,
    Reset,
}

/// The way out, for answers.
#[derive(Clone, Debug)]
pub(super) struct Outlet {
    out: mpsc::Sender<Out>,
    /// How the answers end that are under way when the connection does; empty while nobody but the client can end it.
    ended: Arc<OnceLock<End>>,
}

impl Outlet {
    /// The way out, and what the writer reads.
    pub(super) fn new() -> (Self, mpsc::Receiver<Out>) {
        let (out, waiting) = mpsc::channel(WAITING_MAX);
        let outlet = Self {
            out,
            ended: Arc::default(),
        };
        (outlet, waiting)
    }

    /// Sends; a connection that is gone drops whoever waits here.
    pub(super) async fn send(&self, out: Out) {
        if self.out.send(out).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// From now on what ends is ended by the server.
    pub(super) fn cut_by_server(&self) {
        // Whoever was first is right.
        let _ = self.ended.set(End::Cut);
    }

    /// How an answer ended that was dropped.
    pub(super) fn end_of_dropped(&self) -> End {
        self.ended.get().copied().unwrap_or(End::ClientGone)
    }
}

/// Sends until the end; whoever runs it ends the connection when it returns.
pub(super) async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut waiting: mpsc::Receiver<Out>,
    handle: Option<Arc<Handle>>,
) {
    while let Some(out) = waiting.recv().await {
        match out {
            Out::Frame(text) => {
                if sink.send(Message::Text(text.into())).await.is_err() {
                    return;
                }
            }
            Out::Close(code) if LOST.contains(&code) => {
                return end(sink, handle.as_deref(), Ending::Cut).await;
            }
            Out::Close(code) => return close(sink, code).await,
            Out::End(ending) => return end(sink, handle.as_deref(), ending).await,
            Out::Now(now) => {
                match (now, &handle) {
                    (Now::Close, Some(handle)) => handle.close_now(),
                    (Now::Reset, Some(handle)) => handle.reset_now(),
                    (_, None) => {}
                }
                return;
            }
        }
    }
}

/// Says goodbye, and waits for the client to say it too: the reader sees it, and ends the connection.
async fn close(mut sink: SplitSink<WebSocket, Message>, code: u16) {
    let frame = (code != NO_CODE).then(|| CloseFrame {
        code,
        reason: "".into(),
    });
    if sink.send(Message::Close(frame)).await.is_ok() {
        tokio::time::sleep(CLOSE_PATIENCE).await;
    }
}

/// Ends the connection beneath after all that was written.
async fn end(mut sink: SplitSink<WebSocket, Message>, handle: Option<&Handle>, ending: Ending) {
    let Some(handle) = handle else { return };
    handle.end_after_flush(ending);
    // It fails when the end is there: that is what it is for.
    let _ = sink.flush().await;
    if ending == Ending::HalfClose {
        // The client may still send; when it goes, the reader ends the connection.
        std::future::pending::<()>().await;
    }
}
