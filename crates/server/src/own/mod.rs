//! Holdover's own routes, under `/_holdover/`.
//!
//! | module | routes |
//! |---|---|
//! | `access` | who may use them |
//! | `health` | `GET health`, `GET metrics` |
//! | `sessions` | `GET sessions`, `PUT`, `DELETE sessions/NAME`, `POST sessions/NAME/finish` |
//! | `reading` | `GET recording`, `GET findings` |
//! | `events` | `GET events`: exchanges and findings as they come |
//! | `faults` | `GET faults`: the catalogue |

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::routing::{get, post, put};
use holdover_wire::{ApiError, SessionName};
use http::header::{CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde::Serialize;

use crate::api::unrecorded;
use crate::app::App;
use crate::body::{self, Incoming, Rest};
use crate::config::OwnRoutes;
use crate::refusal;
use crate::session::SessionSetup;

mod access;
mod account;
mod events;
mod fault;
mod faults;
mod health;
mod reading;
mod reply;
mod sessions;
mod setup;

/// The setup of a template with what the body of a `PUT sessions/NAME` changes, which was taken once before.
pub(crate) fn read_setup(body: &[u8], template: SessionSetup) -> Result<SessionSetup, String> {
    let body = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    setup::read(Some(body), template).map_err(|error| error.message)
}

/// The routes, as a 404 lists them.
const ROUTES: &str =
    "health, sessions, sessions/NAME, sessions/NAME/finish, recording, findings, faults, events, metrics";

/// The routes, to be nested under `/_holdover`.
pub(crate) fn routes(app: &Arc<App>, access: OwnRoutes) -> Router<Arc<App>> {
    Router::new()
        .route("/health", get(health::health))
        .route("/metrics", get(health::metrics))
        .route("/sessions", get(sessions::list))
        .route(
            "/sessions/{name}",
            put(sessions::open)
                .patch(sessions::change)
                .delete(sessions::remove),
        )
        .route("/sessions/{name}/finish", post(sessions::finish))
        .route("/recording", get(reading::recording))
        .route("/findings", get(reading::findings))
        .route("/faults", get(faults::list))
        .route("/events", get(events::events))
        .method_not_allowed_fallback(wrong_method)
        .fallback(unknown)
        .layer(from_fn(move |request, next| {
            access::check(access.clone(), request, next)
        }))
        .layer(from_fn_with_state(Arc::clone(app), read_whole))
}

/// Reads the body before anything else, wanted or not: what is left of it would end the connection without a word.
async fn read_whole(State(app): State<Arc<App>>, request: Request, next: Next) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let bytes_max = app.limits.body_bytes_max;
    let mut left = Rest::Read;
    let refused = match body::read(body, content_length(&parts.headers), bytes_max).await {
        Incoming::Whole(bytes) => return next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Incoming::TooLarge(rest) => {
            left = rest;
            refusal::body_too_large(bytes_max)
        }
        Incoming::Broken => refusal::body_broken(),
        Incoming::Undecodable(coding) => refusal::body_undecodable(coding.as_str()),
    };
    let mut response = unrecorded(&refused);
    if left == Rest::Comes {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn unknown(request: Request) -> Response<Body> {
    let path = request.uri().path();
    unrecorded(&refusal::unknown(format!(
        "`{path}` is none of holdover's own routes; under /_holdover/ there are: {ROUTES}"
    )))
}

async fn wrong_method(request: Request) -> Response<Body> {
    unrecorded(&refusal::wrong_method(
        request.method().as_str(),
        request.uri().path(),
    ))
}

/// A JSON answer.
pub(crate) fn json(status: u16, body: &impl Serialize) -> Response<Body> {
    // Our own types have string keys only, so serializing cannot fail.
    let bytes = serde_json::to_vec_pretty(body).unwrap_or_default();
    text(status, "application/json", bytes)
}

fn text(status: u16, kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A session's name, or why it is none.
fn session_name(text: &str) -> Result<SessionName, ApiError> {
    SessionName::parse(text).ok_or_else(|| {
        refusal::bad_own_request(format!(
            "`{text}` is no name of a session; it needs 1 to 64 of the characters A-Z a-z 0-9 _ . -"
        ))
    })
}

fn no_session(name: &SessionName) -> ApiError {
    refusal::unknown(format!(
        "there is no session `{name}`: nothing was sent to it and nobody opened it"
    ))
}
