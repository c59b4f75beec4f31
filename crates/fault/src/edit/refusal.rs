//! Answers of the API that refuse (`tests/facts/endpoints.md`, Errors; `tests/facts/errors.md`).

use holdover_wire::{ApiError, Evidence, Plan, PlanBody};

use super::pieces;
use crate::scene::Scene;

/// A refusal with the headers that every answer has.
pub(crate) fn refuse(scene: &mut Scene<'_>, error: &ApiError) -> Plan {
    refuse_with(scene, error, &[])
}

/// The same with further headers.
pub(crate) fn refuse_with(scene: &mut Scene<'_>, error: &ApiError, further: &[(&str, &str)]) -> Plan {
    let mut headers = common(scene);
    headers.extend(pairs(further));
    Plan::refusal(error, headers)
}

/// A refusal of a gateway in front of the API: a body that is no JSON, and none of the API's headers.
pub(crate) fn gateway(status: u16, kind: &str, body: &str) -> Plan {
    let mut plan = Plan::json(
        status,
        pairs(&[("server", "cloudflare")]),
        serde_json::Value::Null,
    );
    plan.body = pieces::document(kind, body.as_bytes().to_vec(), &mut plan.headers);
    if let (PlanBody::Stream(steps), true) = (&mut plan.body, body.is_empty()) {
        steps.clear();
    }
    plan
}

fn common(scene: &mut Scene<'_>) -> Vec<(String, String)> {
    let id = format!("req_{}", scene.dice.hex(32));
    pairs(&[
        ("content-type", "application/json"),
        ("openai-version", "2020-10-01"),
        ("x-request-id", &id),
    ])
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// An error of the server's side: `type` and `code` as the API has them.
pub(crate) fn server_error(
    (status, source, evidence): (u16, &'static str, Evidence),
    kind: &str,
    message: &str,
) -> ApiError {
    let mut error = ApiError::invalid(source, evidence, message).status(status);
    kind.clone_into(&mut error.kind);
    error
}

/// E15: the response before is not there.
pub(crate) fn previous_not_found(id: &str) -> ApiError {
    let message = format!("Previous response with id '{id}' not found.");
    ApiError::invalid("E15", Evidence::Measured, message)
        .at("previous_response_id")
        .code("previous_response_not_found")
}

/// E07a: an item is not there although it was stored; E15 for a response.
pub(crate) fn not_found(id: &str) -> ApiError {
    if id.starts_with("resp_") {
        return previous_not_found(id);
    }
    let message = format!("Item with id '{id}' not found.");
    ApiError::invalid("E07", Evidence::Reported, message)
        .at("input")
        .status(404)
}

/// E12 in its newer form: a token that could not be verified, with the reason.
pub(crate) fn not_verified(item: holdover_wire::item::ItemView<'_>, reason: &str) -> ApiError {
    let message = match item.id() {
        Some(id) => format!("The encrypted content for item {id} could not be verified. Reason: {reason}"),
        None => format!("{} Reason: {reason}", elided(item)),
    };
    ApiError::invalid("E12", Evidence::Reported, message).code("invalid_encrypted_content")
}

/// E12 in its older form: the first and last four characters of the token.
pub(crate) fn elided(item: holdover_wire::item::ItemView<'_>) -> String {
    let token = item.encrypted_content().unwrap_or_default();
    let head: String = token.chars().take(4).collect();
    let tail: Vec<char> = token.chars().rev().take(4).collect();
    let tail: String = tail.into_iter().rev().collect();
    format!("The encrypted content {head}...{tail} could not be verified.")
}

/// The reason of a token that cannot be opened.
pub(crate) const UNREADABLE: &str = "Encrypted content could not be decrypted or parsed.";
/// The reason of a token of another organisation.
pub(crate) const OTHER_ORGANISATION: &str =
    "Encrypted content organization_id did not match the target organization.";
