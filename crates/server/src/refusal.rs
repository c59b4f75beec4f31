//! Answers that are Holdover's own and not the API's: each says so in `x-holdover-evidence: ours`.

use holdover_wire::{ApiError, Evidence};

use crate::state::StateError;

/// `x-holdover-refusal` of these answers.
const SOURCE: &str = "ours";
/// `error.type` of these answers.
const KIND: &str = "holdover_error";

fn ours(status: u16, message: String) -> ApiError {
    ApiError {
        status,
        message,
        kind: KIND.to_owned(),
        param: None,
        code: None,
        source: SOURCE,
        evidence: Evidence::Ours,
    }
}

/// 413: the body is larger than Holdover takes.
pub(crate) fn body_too_large(bytes_max: usize) -> ApiError {
    let mebibytes = bytes_max >> 20;
    ours(
        413,
        format!("the request body is larger than {mebibytes} MiB, the most that holdover takes"),
    )
}

/// 400: the body did not arrive whole.
pub(crate) fn body_broken() -> ApiError {
    ours(400, "the request body ended before it was complete".to_owned())
}

/// 400: the body is not what `content-encoding` says.
pub(crate) fn body_undecodable(coding: &str) -> ApiError {
    ours(
        400,
        format!("the request body is no valid {coding}, though its `content-encoding` says so"),
    )
}

/// 415: a body in a coding that is not read.
pub(crate) fn unknown_coding(coding: &str) -> ApiError {
    ours(
        415,
        format!(
            "holdover does not read request bodies with `content-encoding: {coding}`; send them as gzip, zstd or plain"
        ),
    )
}

/// 503: state is kept somewhere that does not answer.
pub(crate) fn no_state(error: &StateError) -> ApiError {
    ours(503, format!("holdover cannot reach its state: {error}"))
}

/// 404: the base URL was written down twice.
pub(crate) fn doubled_path(method: &str, path: &str, base_url: &str) -> ApiError {
    ours(
        404,
        format!(
            "Invalid URL ({method} {path}). A part of the base URL is there twice; the right base URL is {base_url}"
        ),
    )
}

/// 426: the profile has no WebSocket mode. A client that can (Codex does) falls back to HTTP at once on this status, and
/// tries again several times on any other (`tests/facts/clients/needs.md`).
pub(crate) fn no_websocket() -> ApiError {
    ours(
        426,
        "this endpoint is played without the WebSocket mode (`websocket = \"refused\"`); use HTTP".to_owned(),
    )
}

/// 400: no handshake of a WebSocket.
pub(crate) fn bad_upgrade(reason: &str) -> ApiError {
    ours(400, format!("the handshake of the WebSocket is broken: {reason}"))
}

/// 503: too many sessions.
pub(crate) fn too_many_sessions(sessions_max: usize) -> ApiError {
    ours(
        503,
        format!(
            "there are already {sessions_max} sessions, the most that holdover keeps; finish or delete some: \
             POST /_holdover/sessions/NAME/finish"
        ),
    )
}

/// 500: a bug of Holdover.
pub(crate) fn bug() -> ApiError {
    ours(
        500,
        "holdover itself failed while answering this request; please report it with the request".to_owned(),
    )
}

/// 400: a request to an own route that is not understood.
pub(crate) fn bad_own_request(message: String) -> ApiError {
    ours(400, message)
}

/// 404: nothing of this name.
pub(crate) fn unknown(message: String) -> ApiError {
    ours(404, message)
}

/// 405: an own route that does not take this method.
pub(crate) fn wrong_method(method: &str, path: &str) -> ApiError {
    ours(405, format!("`{path}` does not take {method}"))
}
