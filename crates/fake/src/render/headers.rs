//! Headers of every answer (`tests/facts/endpoints.md`, "Wire format details").

use std::collections::BTreeSet;

use holdover_wire::ApiError;
use holdover_wire::recording::EVICTED_HEADER;

use crate::derive::Purpose;
use crate::fake::{Carried, Job};
use crate::render::usage::Usage;

/// Room for the headers of a usual answer.
const HEADERS: usize = 16;

/// Headers of a JSON answer.
pub(crate) fn json(job: &Job<'_>) -> Vec<(String, String)> {
    common(job, "application/json")
}

/// Headers of a stream.
pub(crate) fn stream(job: &Job<'_>) -> Vec<(String, String)> {
    common(job, "text/event-stream; charset=utf-8")
}

fn common(job: &Job<'_>, content_type: &str) -> Vec<(String, String)> {
    let account = &job.fake.config.account;
    let processing_ms = 200 + job.draw.number(Purpose::Processing) % 1_800;
    let pairs = [
        ("content-type", content_type.to_owned()),
        ("openai-version", "2020-10-01".to_owned()),
        ("openai-organization", account.organisation.clone()),
        ("openai-project", account.project.clone()),
        ("openai-processing-ms", processing_ms.to_string()),
        ("x-request-id", request_id(job)),
    ];
    let mut headers = Vec::with_capacity(HEADERS);
    headers.extend(pairs.map(|(name, value)| (name.to_owned(), value)));
    headers
}

/// `x-request-id`
pub(crate) fn request_id(job: &Job<'_>) -> String {
    format!("req_{}", job.draw.hex(Purpose::RequestId, 16))
}

/// Says that something disputed was accepted.
pub(crate) fn note(note: &str, headers: &mut Vec<(String, String)>) {
    headers.push(("x-holdover-note".to_owned(), note.to_owned()));
}

/// Entries of another provider's endpoint about which nobody is sure and that had a say.
pub(crate) fn probes(probes: &[String], headers: &mut Vec<(String, String)>) {
    if !probes.is_empty() {
        headers.push(("x-holdover-probe".to_owned(), probes.join(",")));
    }
}

/// What the store had let go of what a refused request names: the limit is ours, and no mistake of the client.
pub(crate) fn evicted(ids: &BTreeSet<String>, headers: &mut Vec<(String, String)>) {
    if !ids.is_empty() {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        headers.push((EVICTED_HEADER.to_owned(), ids.join(",")));
    }
}

/// The two numbers of what was carried over.
pub(crate) fn carried(carried: Carried, headers: &mut Vec<(String, String)>) {
    let numbers = [
        ("x-holdover-prior-protected", carried.prior_protected),
        ("x-holdover-rendered", carried.rendered),
    ];
    headers.extend(numbers.map(|(name, number)| (name.to_owned(), number.to_string())));
}

/// Requests and tokens of a minute that the account may use (virtual; the names are certain, the numbers are ours:
/// `tests/facts/endpoints.md`, Rate-limit headers).
const REQUESTS_PER_MINUTE: u64 = 10_000;
const TOKENS_PER_MINUTE: u64 = 30_000_000;

/// Rate limits as if this request were the only one of its minute: no answer depends on others.
pub(crate) fn rate_limits(usage: Usage, headers: &mut Vec<(String, String)>) {
    let tokens = usage.input + usage.output;
    let pairs = [
        ("x-ratelimit-limit-requests", REQUESTS_PER_MINUTE.to_string()),
        ("x-ratelimit-limit-tokens", TOKENS_PER_MINUTE.to_string()),
        (
            "x-ratelimit-remaining-requests",
            (REQUESTS_PER_MINUTE - 1).to_string(),
        ),
        (
            "x-ratelimit-remaining-tokens",
            TOKENS_PER_MINUTE.saturating_sub(tokens).to_string(),
        ),
        // What one request takes of a minute, in milliseconds.
        (
            "x-ratelimit-reset-requests",
            format!("{}ms", 60_000 / REQUESTS_PER_MINUTE),
        ),
        (
            "x-ratelimit-reset-tokens",
            format!("{}ms", tokens * 60_000 / TOKENS_PER_MINUTE),
        ),
    ];
    headers.extend(pairs.map(|(name, value)| (name.to_owned(), value)));
}

/// When a rate limit lets the client come back: the time that its message names
/// (`tests/facts/examples/15_errors.json`, `rate_limit`).
pub(crate) fn retry_after(error: &ApiError, mut headers: Vec<(String, String)>) -> Vec<(String, String)> {
    if error.code.as_deref() == Some("rate_limit_exceeded") {
        headers.push(("retry-after".to_owned(), "12".to_owned()));
        headers.push(("retry-after-ms".to_owned(), "11054".to_owned()));
    }
    headers
}
