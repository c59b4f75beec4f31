//! The request that opens a connection.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts as _;
use axum::extract::ws::WebSocketUpgrade;
use holdover_wire::{ApiError, Call};
use http::Response;
use http::header::UPGRADE;
use http::request::Parts;

use super::connection::Connection;
use crate::app::App;
use crate::listen::Handle;
use crate::refusal;
use crate::route::Target;
use crate::session::Session;

/// The one path that has the WebSocket mode.
const PATH: &str = "/v1/responses";

/// Whether a request wants to become a WebSocket where there is one. Elsewhere the wish is ignored, as HTTP allows.
pub(crate) fn is_upgrade(parts: &Parts, target: &Target) -> bool {
    let wanted = parts.headers.get(UPGRADE).and_then(|value| value.to_str().ok());
    let wanted = wanted.is_some_and(|value| value.eq_ignore_ascii_case("websocket"));
    wanted && parts.method == http::Method::GET && target.path.trim_end_matches('/') == PATH
}

/// Opens a connection, or says why not.
pub(crate) async fn upgrade(
    app: &Arc<App>,
    session: &Session,
    target: &Target,
    parts: &mut Parts,
    handle: Option<Arc<Handle>>,
) -> Result<Response<Body>, ApiError> {
    let headers = crate::api::header_pairs(&parts.headers);
    let mut call = Call::post(PATH, serde_json::Value::Null);
    call.headers.clone_from(&headers);
    if let Some(error) = session.refuses_socket(&call) {
        return Err(error);
    }
    let upgrade = WebSocketUpgrade::from_request_parts(parts, &())
        .await
        .map_err(|rejection| refusal::bad_upgrade(&rejection.body_text()))?;
    let connection = Connection {
        app: Arc::clone(app),
        target: target.clone(),
        headers,
        handle,
        serving: app.serving.subscribe(),
    };
    // Twice the limit: what is a little too large is refused with a frame, what is larger ends the connection.
    let bytes_max = app.limits.body_bytes_max.saturating_mul(2);
    let upgrade = upgrade.max_message_size(bytes_max).max_frame_size(bytes_max);
    Ok(upgrade.on_upgrade(|socket| connection.run(socket)))
}
