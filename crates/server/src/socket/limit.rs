//! What only a WebSocket is refused with (`tests/facts/streaming.md` section 11, `tests/facts/errors.md` E36).

use holdover_wire::{ApiError, Evidence};
use serde_json::{Value, json};

/// Entry of `tests/facts/errors.md`.
const SOURCE: &str = "E36";

/// `stream_id` is none.
pub(super) fn invalid_stream_id() -> ApiError {
    let message = "The 'stream_id' field must be a non-empty string with at most 256 characters and may only contain letters, numbers, underscores, hyphens, and periods.";
    ApiError::invalid(SOURCE, Evidence::Fixture, message)
        .at("stream_id")
        .code("invalid_stream_id")
}

/// One lane too many.
pub(super) fn too_many_lanes(lanes_max: usize) -> ApiError {
    let message = format!(
        "This WebSocket connection has reached its maximum number of distinct stream IDs ({lanes_max}). Reuse an existing stream_id or open a new WebSocket connection."
    );
    ApiError::invalid(SOURCE, Evidence::Fixture, message)
        .at("stream_id")
        .code("websocket_stream_limit_reached")
}

/// The frame after which a connection that is too old is closed; it has no `param`.
pub(super) fn too_old(minutes: u64) -> Value {
    let message = format!(
        "Responses websocket connection limit reached ({minutes} minutes). Create a new websocket connection to continue."
    );
    json!({
        "type": "error",
        "status": 400,
        "error": {
            "type": "invalid_request_error",
            "code": "websocket_connection_limit_reached",
            "message": message,
        },
    })
}

/// The frame is no JSON object: what the API says of such a body over HTTP, which is all that is known.
pub(super) fn malformed() -> ApiError {
    let message = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";
    ApiError::invalid(SOURCE, Evidence::Inferred, message)
}

/// There is no `type`: by analogy with other members that must be there.
pub(super) fn missing_type() -> ApiError {
    ApiError::invalid(SOURCE, Evidence::Inferred, "Missing required parameter: 'type'.")
        .at("type")
        .code("missing_required_parameter")
}

/// `type` is none of a client's: by analogy with other members that have few values.
pub(super) fn unknown_type(name: &str) -> ApiError {
    let message =
        format!("Invalid value: '{name}'. Supported values are: 'response.create' and 'response.steer'.");
    ApiError::invalid(SOURCE, Evidence::Inferred, message)
        .at("type")
        .code("invalid_value")
}
