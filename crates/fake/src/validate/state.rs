//! The state phase: which state a request continues, and whether it may (E15 to E18).

use holdover_profile::Org;
use holdover_wire::{ApiError, CreateRequest};

use crate::chain::ChainState;
use crate::fake::Job;
use crate::refusal;

/// The context that a request continues; empty when it continues none.
pub(crate) fn continued(job: &Job<'_>, request: CreateRequest<'_>) -> Result<ChainState, ApiError> {
    let (previous, conversation) = (request.previous_response_id(), request.conversation());
    if previous.is_some() && conversation.is_some() {
        return Err(refusal::two_state_modes());
    }
    if let Some(id) = conversation {
        let found = job.loaded.conversation.as_ref();
        let found = found.ok_or_else(|| refusal::conversation_not_found(id))?;
        return Ok(found.chain.clone());
    }
    if let Some(prompt) = request.member("prompt") {
        let id = prompt.get("id").and_then(serde_json::Value::as_str).unwrap_or("");
        return Err(refusal::prompt_not_found(id));
    }
    let Some(id) = previous else {
        return Ok(ChainState::default());
    };
    if job.fake.config.org == Org::Zdr {
        return Err(refusal::previous_response_under_zdr());
    }
    let found = job.loaded.responses.get(id);
    let found = found.ok_or_else(|| refusal::previous_response_not_found(id))?;
    Ok(found.chain.clone())
}
