//! Failures after sampling began: in a stream, or as the HTTP error of a JSON answer (`tests/facts/errors.md` section 7,
//! `tests/facts/endpoints.md`, Errors).

use holdover_wire::{ApiError, Evidence};

use Evidence::{Fixture, Inferred, Measured};

/// What the sentences name.
pub(crate) struct Told<'a> {
    /// Model as the response names it.
    pub(crate) model: &'a str,
    /// Organisation that asks.
    pub(crate) organisation: &'a str,
    /// `x-request-id`
    pub(crate) request_id: &'a str,
}

/// The failure of a code, with the sentence that the API says with it.
pub(crate) fn of_code(code: &str, told: &Told<'_>) -> ApiError {
    let error = match code {
        "insufficient_quota" => quota(),
        "rate_limit_exceeded" => rate_limit(told),
        "server_error" => server_error(told),
        "server_is_overloaded" | "slow_down" => overloaded(),
        "context_length_exceeded" => super::context_exceeded(),
        _ => ApiError::invalid("E35", Inferred, format!("The response failed: {code}.")),
    };
    error.code(code)
}

fn quota() -> ApiError {
    let message = "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.";
    kind(
        "insufficient_quota",
        429,
        ApiError::invalid("endpoints", Measured, message),
    )
}

/// E33. The numbers are those of the facts.
fn rate_limit(told: &Told<'_>) -> ApiError {
    let message = format!(
        "Rate limit reached for {} in organization {} on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s. Visit https://platform.openai.com/account/rate-limits to learn more.",
        told.model, told.organisation
    );
    kind("tokens", 429, ApiError::invalid("E33", Fixture, message))
}

/// E34. The middle of the sentence is elided in the facts.
fn server_error(told: &Told<'_>) -> ApiError {
    let message = format!(
        "An error occurred while processing your request. You can retry your request, or contact us through our help center if the error persists. Please include the request ID {} in your message.",
        told.request_id
    );
    kind("server_error", 500, ApiError::invalid("E34", Fixture, message))
}

fn overloaded() -> ApiError {
    let message = "Our servers are currently overloaded. Please try again later.";
    kind("server_error", 503, ApiError::invalid("E34", Fixture, message))
}

fn kind(kind: &str, status: u16, error: ApiError) -> ApiError {
    ApiError {
        kind: kind.to_owned(),
        ..error
    }
    .status(status)
}
