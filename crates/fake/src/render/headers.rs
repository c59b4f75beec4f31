//! Headers of every answer (`tests/facts/endpoints.md`, "Wire format details").

use crate::derive::Purpose;
use crate::fake::{Carried, Job};

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
    let request_id = format!("req_{}", job.draw.hex(Purpose::RequestId, 16));
    let processing_ms = 200 + job.draw.number(Purpose::Processing) % 1_800;
    let pairs = [
        ("content-type", content_type.to_owned()),
        ("openai-version", "2020-10-01".to_owned()),
        ("openai-organization", account.organisation.clone()),
        ("openai-project", account.project.clone()),
        ("openai-processing-ms", processing_ms.to_string()),
        ("x-request-id", request_id),
    ];
    let pairs = pairs.into_iter();
    pairs.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Says that something disputed was accepted.
pub(crate) fn note(note: &str, headers: &mut Vec<(String, String)>) {
    headers.push(("x-holdover-note".to_owned(), note.to_owned()));
}

/// The two numbers of what was carried over.
pub(crate) fn carried(carried: Carried, headers: &mut Vec<(String, String)>) {
    let numbers = [
        ("x-holdover-prior-protected", carried.prior_protected),
        ("x-holdover-rendered", carried.rendered),
    ];
    headers.extend(numbers.map(|(name, number)| (name.to_owned(), number.to_string())));
}
