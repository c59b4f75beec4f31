//! Refusals of the state phase and of what is kept: E15 to E24, E32, background runs.

use holdover_wire::{ApiError, Evidence};

use super::ENDPOINTS;
use Evidence::{Fixture, Inferred, Measured, Reported};

pub(crate) fn previous_response_not_found(id: &str) -> ApiError {
    ApiError::invalid(
        "E15",
        Measured,
        format!("Previous response with id '{id}' not found."),
    )
    .at("previous_response_id")
    .code("previous_response_not_found")
}

pub(crate) fn previous_response_under_zdr() -> ApiError {
    let message = "Previous response cannot be used for this organization due to Zero Data Retention.";
    ApiError::invalid("E16", Reported, message)
        .at("previous_response_id")
        .code("unsupported_parameter")
}

/// The sentence was seen in fixtures; param and code are by analogy.
pub(crate) fn code_interpreter_under_zdr() -> ApiError {
    let message = "Code interpreter tool cannot be used for this organization due to Zero Data Retention";
    ApiError::invalid("E16", Inferred, message)
        .at("tools")
        .code("unsupported_parameter")
}

pub(crate) fn two_state_modes() -> ApiError {
    // The empty name and the cut one are what the API sends (E17).
    let message = "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.";
    ApiError::invalid("E17", Measured, message).code("mutually_exclusive_parameters")
}

pub(crate) fn conversation_not_found(id: &str) -> ApiError {
    ApiError::invalid("E18", Measured, format!("Conversation with id '{id}' not found.")).status(404)
}

pub(crate) fn prompt_not_found(id: &str) -> ApiError {
    ApiError::invalid("E18", Measured, format!("Prompt with id '{id}' not found.")).status(404)
}

pub(crate) fn invalid_conversation_item() -> ApiError {
    ApiError::invalid("E20", Reported, "Invalid item")
        .at("item")
        .code("invalid_item")
}

pub(crate) fn response_not_found(id: &str) -> ApiError {
    ApiError::invalid("E21", Inferred, format!("Response with id '{id}' not found.")).status(404)
}

pub(crate) fn conversation_item_not_found(item: &str, conversation: &str) -> ApiError {
    ApiError::invalid(
        "E18",
        Inferred,
        format!("Item with id '{item}' not found in conversation '{conversation}'."),
    )
    .status(404)
}

pub(crate) fn background_needs_store() -> ApiError {
    ApiError::invalid("E22", Fixture, "Background mode requires 'store' to be true.")
        .at("background")
        .code("background_requires_store")
}

pub(crate) fn cannot_cancel() -> ApiError {
    ApiError::invalid(ENDPOINTS, Fixture, "Cannot cancel a synchronous response.")
}

/// E22 for an organisation whose responses cannot be kept.
pub(crate) fn background_under_zdr() -> ApiError {
    ApiError {
        evidence: Inferred,
        ..background_needs_store()
    }
}

/// A run that is over cannot be cancelled where a profile says so; `word` is its status.
pub(crate) fn cannot_cancel_finished(word: &str) -> ApiError {
    ApiError::invalid(ENDPOINTS, Fixture, format!("Cannot cancel a {word} response."))
}

pub(crate) fn cannot_delete_running() -> ApiError {
    ApiError::invalid(ENDPOINTS, Fixture, "Cannot delete an in-flight response.")
}

pub(crate) fn cannot_stream(missing: &str) -> ApiError {
    let message = format!("This response cannot be streamed because it was not created with {missing}=true.");
    let evidence = if missing == "background" {
        Fixture
    } else {
        Inferred
    };
    ApiError::invalid(ENDPOINTS, evidence, message)
}

pub(crate) fn conversation_locked() -> ApiError {
    let message =
        "Another process is currently operating on this conversation. Please retry in a few seconds.";
    ApiError::invalid("E19", Reported, message)
        .at("conversation")
        .code("conversation_locked")
}

pub(crate) fn context_exceeded() -> ApiError {
    let message =
        "Your input exceeds the context window of this model. Please adjust your input and try again.";
    ApiError::invalid("E32", Fixture, message)
        .at("input")
        .code("context_length_exceeded")
}

pub(crate) fn stream_options_without_stream() -> ApiError {
    ApiError::invalid(ENDPOINTS, Inferred, "stream_options requires stream=true").at("stream_options")
}

// One backend's own rules (E23).

pub(crate) fn store_must_be_false() -> ApiError {
    ApiError::invalid("E23", Reported, "Store must be set to false")
}

pub(crate) fn unsupported_here(name: &str) -> ApiError {
    ApiError::invalid("E23", Reported, format!("Unsupported parameter: {name}"))
}

pub(crate) fn instructions_required() -> ApiError {
    ApiError::invalid("E23", Inferred, "Instructions are required")
}

pub(crate) fn nothing_to_continue() -> ApiError {
    let message =
        "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.";
    ApiError::invalid("E24", Measured, message).code("missing_required_parameter")
}
