//! The last phase: what the model can do (E05, E14, E22, E31).

use holdover_profile::Model;
use holdover_wire::{ApiError, CreateRequest};

use crate::chain::ChainState;
use crate::refusal;

/// Checks a request against its model. `chain` is the context with the input.
pub(crate) fn check(request: CreateRequest<'_>, model: &Model, chain: &ChainState) -> Result<(), ApiError> {
    if model.reasoning {
        return reasoning_model(request, model);
    }
    if chain.reasoning > 0 {
        return Err(refusal::reasoning_for_plain_model());
    }
    if request.includes("reasoning.encrypted_content") {
        return Err(refusal::encrypted_for_plain_model());
    }
    Ok(())
}

fn reasoning_model(request: CreateRequest<'_>, model: &Model) -> Result<(), ApiError> {
    let thinks = request.effort().or(model.default_effort.as_deref()) != Some("none");
    let refused = ["temperature", "top_p"]
        .into_iter()
        .find(|name| thinks && request.member(name).is_some());
    if let Some(name) = refused {
        return Err(refusal::unsupported_parameter(name));
    }
    if request.includes("message.output_text.logprobs") {
        return Err(refusal::logprobs_for_reasoning_model());
    }
    effort(request, model)
}

fn effort(request: CreateRequest<'_>, model: &Model) -> Result<(), ApiError> {
    let Some(effort) = request.effort() else {
        return Ok(());
    };
    if model.efforts.iter().any(|known| known == effort) {
        return Ok(());
    }
    let legal: Vec<&str> = model.efforts.iter().map(String::as_str).collect();
    Err(refusal::unsupported_effort(effort, &model.name, &legal))
}

/// E22: a background run is kept, so it must be stored.
pub(crate) fn background(request: CreateRequest<'_>) -> Result<(), ApiError> {
    let background = request.member("background").and_then(serde_json::Value::as_bool);
    if background == Some(true) && !request.store() {
        return Err(refusal::background_needs_store());
    }
    Ok(())
}
