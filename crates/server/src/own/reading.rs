//! `GET recording` and `GET findings`, each of `?session=NAME` (default `default`).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, State};
use holdover_wire::{ApiError, SessionName};
use http::Response;
use serde::Deserialize;
use serde_json::json;

use crate::api::unrecorded;
use crate::app::App;
use crate::refusal;

/// The query of both routes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    session: Option<String>,
}

type AskedQuery = Result<Query<Asked>, axum::extract::rejection::QueryRejection>;

fn name_of(query: AskedQuery) -> Result<SessionName, ApiError> {
    let Query(asked) = query.map_err(|_| {
        refusal::bad_own_request("the query may hold `session=NAME` and nothing else".to_owned())
    })?;
    match asked.session {
        Some(text) => super::session_name(&text),
        None => Ok(SessionName::default_session()),
    }
}

/// The recording of a session, as JSON lines.
pub(super) async fn recording(State(app): State<Arc<App>>, query: AskedQuery) -> Response<Body> {
    let name = match name_of(query) {
        Ok(name) => name,
        Err(error) => return unrecorded(&error),
    };
    match app.sessions.recording_lines(&name).await {
        Some(lines) => super::text(200, "application/jsonl", lines),
        None => unrecorded(&super::no_session(&name)),
    }
}

/// The findings of a session that are settled so far.
pub(super) async fn findings(State(app): State<Arc<App>>, query: AskedQuery) -> Response<Body> {
    let name = match name_of(query) {
        Ok(name) => name,
        Err(error) => return unrecorded(&error),
    };
    match app.sessions.findings(&name).await {
        Some(findings) => super::json(200, &json!({"session": name, "findings": findings})),
        None => unrecorded(&super::no_session(&name)),
    }
}
