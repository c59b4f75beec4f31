//! Betas of a call: the header `anthropic-beta`, or the body of the clouds that have no such header.

use std::borrow::Cow;

use holdover_wire::{Call, Object};
use serde_json::Value;

/// Where conditions look for them: `/anthropic-beta/NAME`.
const MEMBER: &str = "anthropic-beta";

/// The betas of a call, in order.
pub(crate) fn of(call: &Call, body: &Object) -> Vec<String> {
    let headers = call.headers.iter().filter(|(name, _)| name == MEMBER);
    let named = headers.flat_map(|(_, value)| value.split(','));
    let listed = body.get("anthropic_beta").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    named.chain(listed).map(|beta| beta.trim().to_owned()).collect()
}

/// The body with its betas, so that conditions see them as members.
pub(crate) fn inside<'a>(body: &'a Object, betas: &[String]) -> Cow<'a, Object> {
    if betas.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut body = body.clone();
    let betas = betas.iter().map(|beta| (beta.clone(), Value::Bool(true)));
    body.insert(MEMBER.to_owned(), Value::Object(betas.collect()));
    Cow::Owned(body)
}
