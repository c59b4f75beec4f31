//! `GET events`: exchanges and findings of all sessions as they come, as server-sent events.
//!
//! `event: exchange` has `{"session", "exchange"}`, `event: finding` has `{"session", "finding"}`, and
//! `event: lagged` says how many a slow reader has missed.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::Response;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::worker::Live;

/// Sends what comes from now on.
pub(super) async fn events(State(app): State<Arc<App>>) -> Response<Body> {
    let news = stream::unfold(app.sessions.subscribe(), |mut receiver| async move {
        let bytes = match receiver.recv().await {
            Ok(news) => frame(&news),
            Err(RecvError::Lagged(missed)) => write("lagged", &json!({"missed": missed})),
            Err(RecvError::Closed) => return None,
        };
        Some((bytes, receiver))
    });
    // The first bytes tell a reader that it is connected.
    let hello = stream::once(async { Bytes::from_static(b": holdover\n\n") });
    let body = Body::from_stream(hello.chain(news).map(Ok::<_, std::convert::Infallible>));
    super::text(200, "text/event-stream; charset=utf-8", body)
}

fn frame(news: &Live) -> Bytes {
    match news {
        Live::Exchange { session, exchange } => {
            write("exchange", &json!({"session": session, "exchange": **exchange}))
        }
        Live::Finding { session, finding } => {
            write("finding", &json!({"session": session, "finding": **finding}))
        }
    }
}

fn write(name: &str, data: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}
