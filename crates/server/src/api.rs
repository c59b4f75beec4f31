//! Every request that is not for an own route: read it, let the fake answer, play the answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use bytes::Bytes;
use holdover_fault::model_name;
use holdover_wire::{ApiError, Call, CallBody, Method, Plan, PlanBody};
use http::header::{CONTENT_LENGTH, HOST};
use http::request::Parts;
use http::{HeaderMap, Response};

use crate::answer::{Asked, answer};
use crate::app::App;
use crate::body::{self, Incoming};
use crate::decode::Codings;
use crate::exchange::{Open, RequestHalf};
use crate::faulty::Keep;
use crate::listen::{Handle, Peer};
use crate::play::play;
use crate::refusal;
use crate::route::{PathShape, Target};
use crate::session::Session;
use crate::sessions::OpenError;
use crate::socket;
use crate::via::Via;

/// Bodies from here on are parsed and answered on a thread of their own, so that they hold up nobody else.
const LARGE_BODY_BYTES: usize = 512 << 10;

/// One request to the API, before its body.
struct Arrived {
    parts: Parts,
    target: Target,
    session: Arc<Session>,
    connection: Option<Arc<Handle>>,
}

/// Serves one request.
pub(crate) async fn serve(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let target = Target::of(&parts.uri, &parts.headers);
    let session = match app.sessions.of(&target.session) {
        Ok(session) => session,
        Err(error) => return unrecorded(&open_error(&error)),
    };
    session.queue().admit().await;
    let connection = parts
        .extensions
        .get::<ConnectInfo<Peer>>()
        .map(|peer| Arc::clone(&peer.0.handle));
    let mut arrived = Arrived {
        parts,
        target,
        session,
        connection,
    };
    match arrived.own_refusal(&app) {
        // The body is of no interest, but a client that is still writing it would not read the answer.
        Some(error) => {
            let _ = arrived.read_body(&app, body).await;
            arrived.refuse(&app, &error, CallBody::Empty).play().await
        }
        None if socket::is_upgrade(&arrived.parts, &arrived.target) => match arrived.upgrade(&app).await {
            Ok(response) => response,
            Err(error) => arrived.refuse(&app, &error, CallBody::Empty).play().await,
        },
        None => arrived.answer(app, body).await,
    }
}

/// An answer that waits to be played.
struct Ready {
    plan: Plan,
    open: Open,
    connection: Option<Arc<Handle>>,
}

impl Ready {
    async fn play(self) -> Response<Body> {
        play(self.plan, self.open, self.connection).await
    }
}

/// The refusal for a session that cannot be opened.
pub(crate) fn open_error(error: &OpenError) -> ApiError {
    match error {
        OpenError::TooMany { sessions_max } => refusal::too_many_sessions(*sessions_max),
        OpenError::Pattern(error) => refusal::bad_own_request(error.to_string()),
        OpenError::Setup(_) => refusal::bad_own_request(error.to_string()),
        OpenError::State(error) => refusal::no_state(error),
    }
}

/// An own answer outside any session.
pub(crate) fn unrecorded(error: &ApiError) -> Response<Body> {
    let plan = Plan::refusal(error, Vec::new());
    let PlanBody::Json(body) = &plan.body else {
        return Response::new(Body::empty());
    };
    let mut response = crate::own::json(plan.status, body);
    for (name, value) in &plan.headers {
        let name = http::HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, http::HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

impl Arrived {
    async fn answer(self, app: Arc<App>, body: Body) -> Response<Body> {
        let incoming = match self.read_body(&app, body).await {
            Incoming::Whole(bytes) => self.decoded(&app, bytes).await,
            other => other,
        };
        match incoming {
            Incoming::Whole(bytes) if bytes.len() < LARGE_BODY_BYTES => {
                self.answer_body(&app, &bytes).play().await
            }
            Incoming::Whole(bytes) => {
                let ready = tokio::task::spawn_blocking(move || self.answer_body(&app, &bytes));
                match ready.await {
                    Ok(ready) => ready.play().await,
                    Err(_) => unrecorded(&refusal::bug()),
                }
            }
            Incoming::TooLarge(rest) => {
                let error = refusal::body_too_large(app.limits.body_bytes_max);
                let mut ready = self.refuse(&app, &error, CallBody::Empty);
                ready.plan.headers.extend(rest.headers());
                ready.play().await
            }
            Incoming::Broken => {
                let error = refusal::body_broken();
                self.refuse(&app, &error, CallBody::Empty).play().await
            }
            Incoming::Undecodable(coding) => {
                let error = refusal::body_undecodable(coding.as_str());
                self.refuse(&app, &error, CallBody::Empty).play().await
            }
        }
    }

    /// The body as it was before it was compressed.
    async fn decoded(&self, app: &App, bytes: Bytes) -> Incoming {
        // A coding that is not read was refused before the body was.
        let codings = Codings::of(&self.parts.headers).unwrap_or_default();
        if codings.is_empty() {
            return Incoming::Whole(bytes);
        }
        let bytes_max = app.limits.body_bytes_max;
        let decoding = tokio::task::spawn_blocking(move || codings.decode(bytes, bytes_max));
        decoding.await.unwrap_or(Incoming::Broken)
    }

    async fn upgrade(&mut self, app: &Arc<App>) -> Result<Response<Body>, ApiError> {
        let handle = self.connection.clone();
        socket::upgrade(app, &self.session, &self.target, &mut self.parts, handle).await
    }

    async fn read_body(&self, app: &App, body: Body) -> Incoming {
        body::read(
            body,
            content_length(&self.parts.headers),
            app.limits.body_bytes_max,
        )
        .await
    }

    fn method(&self) -> Method {
        Method::parse(self.parts.method.as_str())
    }

    /// What Holdover refuses by itself, before it looks at the body.
    fn own_refusal(&self, app: &App) -> Option<ApiError> {
        let headers = &self.parts.headers;
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        if self.target.shape == PathShape::Doubled {
            let base_url = app.base_url(text(HOST), &self.target.prefix);
            let method = self.parts.method.as_str();
            self.session
                .note_unserved(format!("{method} {}", self.target.path));
            app.metrics.unserved();
            return Some(refusal::doubled_path(method, &self.target.path, &base_url));
        }
        Codings::of(headers)
            .err()
            .map(|coding| refusal::unknown_coding(&coding))
    }

    fn refuse(self, app: &App, error: &ApiError, body: CallBody) -> Ready {
        let number = self.session.number();
        let mut open = Open::new(
            Arc::clone(&self.session),
            Arc::clone(&app.shared),
            number,
            app.arrived_ms(),
            0,
        );
        open.request(RequestHalf {
            method: self.parts.method,
            path: self.target.recorded(),
            headers: header_pairs(&self.parts.headers),
            body,
            bytes: None,
        });
        Ready {
            plan: Plan::refusal(error, Vec::new()),
            open,
            connection: self.connection,
        }
    }

    fn answer_body(self, app: &App, bytes: &Bytes) -> Ready {
        let mut call = Call {
            method: self.method(),
            path: self.target.path.clone(),
            query: self.target.query_pairs(),
            headers: header_pairs(&self.parts.headers),
            body: CallBody::parse(bytes),
        };
        let named = model_name::take(&mut call);
        let asked = Asked {
            call: &call,
            named: named.as_deref(),
            bytes: bytes.len(),
            via: &Via::Http,
        };
        let answered = catch_unwind(AssertUnwindSafe(|| answer(app, &self.session, asked)));
        let Ok((mut open, made)) = answered else {
            app.metrics.bug();
            return self.refuse(app, &refusal::bug(), call.body);
        };
        self.note_if_unserved(app, &made.plan);
        open.request(RequestHalf {
            method: self.parts.method,
            path: self.target.recorded(),
            headers: call.headers,
            body: call.body,
            // Copied: the bytes are a slice of what the connection reads into, which is larger and goes on.
            bytes: named.is_none().then(|| Bytes::copy_from_slice(bytes)),
        });
        open.writes(made.writes);
        if made.keep == Keep::AtOnce {
            // The client does not get a whole answer anyway.
            let _ = open.commit();
        }
        Ready {
            plan: made.plan,
            open,
            connection: self.connection,
        }
    }

    fn note_if_unserved(&self, app: &App, plan: &Plan) {
        if is_unserved(plan) {
            let method = self.parts.method.as_str();
            self.session
                .note_unserved(format!("{method} {}", self.target.path));
            app.metrics.unserved();
        }
    }
}

/// Whether the fake says that it has no such path or no such method there (`tests/facts/endpoints.md`, Errors).
fn is_unserved(plan: &Plan) -> bool {
    if !matches!(plan.status, 404 | 405) {
        return false;
    }
    let PlanBody::Json(body) = &plan.body else {
        return false;
    };
    let message = body.pointer("/error/message").and_then(serde_json::Value::as_str);
    message
        .is_some_and(|message| message.starts_with("Invalid URL (") || message.starts_with("Not allowed to "))
}

fn content_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// All headers, in order; bytes that are no UTF-8 become U+FFFD.
pub(crate) fn header_pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            (name.as_str().to_owned(), value.into_owned())
        })
        .collect()
}
