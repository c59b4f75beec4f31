//! `GET health` and `GET metrics`.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use http::Response;
use serde_json::json;

use crate::app::App;
use crate::metrics::Gauges;

/// Answers as soon as the socket is bound; `tokenizer` says whether the first count has to wait.
pub(super) async fn health(State(app): State<Arc<App>>) -> Response<Body> {
    let body = json!({
        "status": "ok",
        "server": "holdover",
        "version": env!("CARGO_PKG_VERSION"),
        "tokenizer": app.warm.word(),
        "record_trouble": app.sessions.record_trouble(),
    });
    super::json(200, &body)
}

/// Plain counters, one a line.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response<Body> {
    app.sessions.flush().await;
    let evicted = app.sessions.evicted();
    let (state_bytes, state_evicted) = app.sessions.state_size();
    let gauges = Gauges {
        sessions: app.sessions.summaries().len(),
        connections_open: app.connections.open(),
        connections_accepted: app.connections.accepted(),
        queue_entries: app.sessions.queue_entries(),
        evicted_exchanges: evicted.exchanges,
        evicted_bytes: evicted.bytes,
        state_bytes,
        state_evicted,
    };
    super::text(200, "text/plain; charset=utf-8", app.metrics.text(gauges))
}
