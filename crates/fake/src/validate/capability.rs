//! The last phase: what the model can do (E05, E14, E22, E31, E32).

use holdover_profile::{Model, Org};
use holdover_wire::Members as _;
use holdover_wire::{ApiError, CreateRequest, Evidence};
use serde_json::Value;

use crate::chain::ChainState;
use crate::fake::Job;
use crate::refusal;
use crate::render::usage;
use crate::validate::InputTokens;

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
        return Err(refusal::logprobs_for_reasoning_model(
            "include",
            Evidence::Measured,
        ));
    }
    let alternatives = request.member("top_logprobs").and_then(Value::as_u64);
    if alternatives.is_some_and(|count| count > 0) {
        return Err(refusal::logprobs_for_reasoning_model(
            "top_logprobs",
            Evidence::Inferred,
        ));
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

/// E16: what the code interpreter keeps, an organisation with Zero Data Retention may not.
fn retention(job: &Job<'_>, request: CreateRequest<'_>) -> Result<(), ApiError> {
    let tools = request.member("tools").and_then(Value::as_array);
    let mut tools = tools.into_iter().flatten();
    let interprets =
        tools.any(|tool| tool.member("type").and_then(Value::as_str) == Some("code_interpreter"));
    match job.fake.config.org {
        Org::Zdr if interprets => Err(refusal::code_interpreter_under_zdr()),
        Org::Zdr | Org::Default => Ok(()),
    }
}

/// E22: a background run is kept, so it must be stored. E16 belongs to it: both are about what is kept.
pub(crate) fn background(job: &Job<'_>, request: CreateRequest<'_>) -> Result<(), ApiError> {
    retention(job, request)?;
    if request.member("background") != Some(&Value::Bool(true)) {
        return Ok(());
    }
    match job.fake.config.org {
        Org::Zdr => Err(refusal::background_under_zdr()),
        Org::Default if !request.store() => Err(refusal::background_needs_store()),
        Org::Default => Ok(()),
    }
}

/// E32: what the model is shown must fit its window, unless the API may drop the oldest items.
pub(crate) fn window(
    request: CreateRequest<'_>,
    model: &Model,
    chain: &ChainState,
) -> Result<InputTokens, ApiError> {
    let instructions = request.instructions().map_or(0, usage::message_tokens);
    let header = instructions + usage::tools_tokens(request.member("tools"));
    let all = header + chain.tokens + usage::REQUEST_TOKENS;
    let may_drop = request.member("truncation").is_some_and(|word| word == "auto");
    if all > model.context_window && !may_drop {
        return Err(refusal::context_exceeded());
    }
    Ok(InputTokens {
        header,
        shown: all.min(model.context_window),
        all,
    })
}
