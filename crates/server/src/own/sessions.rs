//! `sessions`: opened, listed, finished and thrown away over HTTP.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use holdover_judge::Export;
use holdover_wire::{ApiError, AuditRecord};
use http::{Response, StatusCode, header};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::{open_error, unrecorded};
use crate::app::App;
use crate::refusal;
use crate::session::{Evidence, SessionReport};
use crate::sessions::{Opened, Removed};

use super::setup;

/// Body of `POST sessions/NAME/finish`, all of it optional.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FinishBody {
    #[serde(default)]
    exports: Vec<ExportBody>,
    #[serde(default)]
    audit: Vec<AuditRecord>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportBody {
    file: String,
    text: String,
}

/// All sessions, open and finished.
pub(super) async fn list(State(app): State<Arc<App>>) -> Response<Body> {
    app.sessions.flush().await;
    let finished = app.sessions.finished();
    let finished: Vec<Value> = finished.iter().map(|report| finished_entry(report)).collect();
    super::json(
        200,
        &json!({"open": app.sessions.summaries(), "finished": finished}),
    )
}

fn finished_entry(report: &SessionReport) -> Value {
    let mut entry = json!(report.summary);
    entry["verdict"] = json!(report.verdict.outcome);
    entry
}

/// Opens a session, or starts it again.
pub(super) async fn open(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    request: Request,
) -> Response<Body> {
    let headers = request.headers().clone();
    match open_session(&app, &name, request).await {
        Ok((opened, mut body)) => {
            let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
            body["base_url"] = json!(app.base_url(host, &format!("/s/{name}")));
            let status = match opened {
                Opened::New => StatusCode::CREATED,
                Opened::Replaced => StatusCode::OK,
            };
            super::json(status.as_u16(), &body)
        }
        Err(error) => unrecorded(&error),
    }
}

async fn open_session(app: &App, name: &str, request: Request) -> Result<(Opened, Value), ApiError> {
    let name = super::session_name(name)?;
    let body = read_json(request).await?;
    let setup = setup::read(body.clone(), app.sessions.setup(&name))?;
    app.sessions
        .reset_state(&name, body.as_ref())
        .map_err(|error| refusal::no_state(&error))?;
    let opened = app
        .sessions
        .open(&name, setup)
        .map_err(|error| open_error(&error))?;
    let session = app.sessions.find(&name).ok_or_else(|| super::no_session(&name))?;
    Ok((opened, json!(session.summary())))
}

/// Changes a session that runs: its faults, and nothing that it remembers.
pub(super) async fn change(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    request: Request,
) -> Response<Body> {
    match change_session(&app, &name, request).await {
        Ok(body) => super::json(200, &body),
        Err(error) => unrecorded(&error),
    }
}

async fn change_session(app: &App, name: &str, request: Request) -> Result<Value, ApiError> {
    let name = super::session_name(name)?;
    let body = read_json(request).await?;
    let faults = setup::read_change(body)?;
    let session = app.sessions.find(&name).ok_or_else(|| super::no_session(&name))?;
    session.replant(faults);
    Ok(json!(session.summary()))
}

/// Ends a session; the same call again gives the same verdict.
pub(super) async fn finish(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    request: Request,
) -> Response<Body> {
    match finish_session(&app, &name, request).await {
        Ok(body) => super::json(200, &body),
        Err(error) => unrecorded(&error),
    }
}

async fn finish_session(app: &App, name: &str, request: Request) -> Result<Value, ApiError> {
    let name = super::session_name(name)?;
    let evidence = evidence(read_json(request).await?)?;
    let report = app.sessions.finish_and_keep(&name, evidence).await;
    let report = report.ok_or_else(|| super::no_session(&name))?;
    let mut body = json!(report.verdict);
    for member in ["session", "exchanges", "unserved", "evicted", "meta"] {
        body[member] = json!(report.summary)[member].take();
    }
    Ok(body)
}

fn evidence(body: Option<Value>) -> Result<Evidence, ApiError> {
    let Some(body) = body else {
        return Ok(Evidence::default());
    };
    let body: FinishBody = serde_json::from_value(body).map_err(|error| {
        refusal::bad_own_request(format!("the body of `finish` is not understood: {error}"))
    })?;
    let exports = body.exports.into_iter().map(|export| Export {
        file: export.file,
        text: export.text,
    });
    Ok(Evidence {
        exports: exports.collect(),
        audit: body.audit,
    })
}

/// Throws a session away.
pub(super) async fn remove(State(app): State<Arc<App>>, Path(name): Path<String>) -> Response<Body> {
    let name = match super::session_name(&name) {
        Ok(name) => name,
        Err(error) => return unrecorded(&error),
    };
    match app.sessions.remove(&name) {
        Removed::Gone => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        Removed::Unknown => unrecorded(&super::no_session(&name)),
    }
}

/// The JSON of a body, which was read before; `None` when there is no body.
async fn read_json(request: Request) -> Result<Option<Value>, ApiError> {
    let read = request.into_body().collect().await;
    let bytes = read.map_err(|_| refusal::body_broken())?.to_bytes();
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| refusal::bad_own_request(format!("the body is no JSON: {error}")))
}
