//! `faults`: there are none in this version, and asking for one says so.

use axum::body::Body;
use http::Response;
use serde_json::json;

use crate::api::unrecorded;
use crate::refusal;

/// The empty list.
pub(super) async fn list() -> Response<Body> {
    super::json(200, &json!({"faults": []}))
}

/// Faults cannot be set yet.
pub(super) async fn change() -> Response<Body> {
    unrecorded(&refusal::not_landed("faults"))
}
