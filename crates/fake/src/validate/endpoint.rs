//! What one endpoint wants of every create request, after its schema (E23, `tests/facts/endpoints.md`, cross rules).

use holdover_profile::CreateRules;
use holdover_wire::{ApiError, CreateRequest};

use crate::fake::Job;
use crate::refusal;
use crate::store::Connection;

/// Rules that name members together, and those of one backend.
pub(crate) fn check(job: &Job<'_>, request: CreateRequest<'_>) -> Result<(), ApiError> {
    let by_socket = job.loaded.connection == Connection::Remembers;
    if !by_socket {
        if request.member("generate").is_some() {
            return Err(refusal::unknown_parameter("generate", None));
        }
        if request.member("stream_options").is_some() && !request.stream() {
            return Err(refusal::stream_options_without_stream());
        }
    }
    match job.fake.config.profile.switches.create {
        CreateRules::Public => Ok(()),
        CreateRules::Codex => codex(request, by_socket),
    }
}

/// E23.
fn codex(request: CreateRequest<'_>, by_socket: bool) -> Result<(), ApiError> {
    if request.store() {
        return Err(refusal::store_must_be_false());
    }
    if request.previous_response_id().is_some() && !by_socket {
        return Err(refusal::unsupported_here("previous_response_id"));
    }
    if request.instructions().is_none() {
        return Err(refusal::instructions_required());
    }
    Ok(())
}
