//! A refusal as the next request must take it (`tests/facts/errors.md`).

use holdover_wire::Members as _;
use holdover_wire::Object;
use holdover_wire::recording::{EVICTED_HEADER, ResponseRecord};
use serde_json::Value;

/// Whether the same body may be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retryable {
    Yes,
    No,
}

/// One refusal: an HTTP error, or `response.failed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) code: Option<String>,
    pub(crate) message: String,
    pub(crate) retryable: Retryable,
    /// Milliseconds to wait, where the answer names them.
    pub(crate) wait_ms: Option<u64>,
    /// Ids that the request names and that the store of the fake had let go.
    pub(crate) evicted: Vec<String>,
}

/// Statuses that a client may retry; every other 4xx it may not.
const RETRYABLE: [u16; 4] = [408, 409, 425, 429];

impl Refusal {
    /// The refusal in this answer, if it is one.
    pub(crate) fn of(record: &ResponseRecord) -> Option<Self> {
        if record.status >= 400 {
            let empty = Object::new();
            let error = record.error().unwrap_or(&empty);
            return Some(Self::read(record.status, error, &record.headers));
        }
        if let Some(event) = error_event(record) {
            let status = event.member("status").and_then(Value::as_u64);
            let status = status
                .and_then(|status| u16::try_from(status).ok())
                .unwrap_or(500);
            let nested = event.member("error").and_then(Value::as_object);
            return Some(Self::read(status, nested.unwrap_or(event), &record.headers));
        }
        let failed = record
            .terminal()
            .filter(|response| response.status() == Some("failed"))?;
        let error = failed.object().member("error").and_then(Value::as_object)?;
        Some(Self::read(500, error, &record.headers))
    }

    fn read(status: u16, error: &Object, headers: &Object) -> Self {
        let text = |name: &str| error.member(name).and_then(Value::as_str).map(str::to_owned);
        let code = text("code");
        let message = text("message").unwrap_or_default();
        let advice = headers.get("x-should-retry").and_then(Value::as_str);
        let retryable = match (advice, code.as_deref()) {
            (Some("true"), _) | (_, Some("conversation_locked")) => Retryable::Yes,
            (Some("false"), _) => Retryable::No,
            // E07a: another backend does not see a stored item; a retry may pass.
            _ if message.starts_with("Item with id") && message.ends_with("not found.") => Retryable::Yes,
            _ if status >= 500 || RETRYABLE.contains(&status) => Retryable::Yes,
            _ => Retryable::No,
        };
        Self {
            status,
            code,
            message,
            retryable,
            wait_ms: wait_ms(headers),
            evicted: evicted(headers),
        }
    }

    /// Whether its cause can be in what the client carries: who asks (401, 403) and for which model is not.
    pub(crate) fn is_about_input(&self) -> bool {
        !matches!(self.status, 401 | 403) && self.code.as_deref() != Some("model_not_found")
    }

    /// Whether it is the size of the request alone: of its body (413), or of its context (E32).
    pub(crate) fn is_about_size(&self) -> bool {
        self.status == 413 || self.code.as_deref() == Some("context_length_exceeded")
    }

    /// Whether the refusal is about a token (E12) or about an item that is not there (E06, E07): dropping that
    /// reasoning once is the right recovery.
    pub(crate) fn asks_to_drop_reasoning(&self) -> bool {
        self.code.as_deref() == Some("invalid_encrypted_content")
            || [
                "could not be verified",
                "decrypt",
                "Item with id",
                "Referenced reasoning item",
            ]
            .iter()
            .chain(&[
                "Reasoning input items can only",
                "was provided without its required",
            ])
            .any(|wording| self.message.contains(wording))
    }

    /// Whether the anchor could not be resolved (E15, E16, E18).
    pub(crate) fn is_about_anchor(&self) -> bool {
        self.code.as_deref() == Some("previous_response_not_found")
            || self.message.starts_with("Previous response")
            || self.message.starts_with("Conversation with id")
    }
}

/// The `error` event of a stream, or the error frame of a socket, when no terminal event follows it
/// (`tests/facts/streaming.md` sections 8 and 11).
pub(crate) fn error_event(record: &ResponseRecord) -> Option<&Object> {
    let last = record.events.as_ref()?.last()?;
    (last.name() == "error").then(|| last.object())
}

fn evicted(headers: &Object) -> Vec<String> {
    let ids = headers.get(EVICTED_HEADER).and_then(Value::as_str);
    let ids = ids.into_iter().flat_map(|ids| ids.split(','));
    ids.map(str::to_owned).collect()
}

fn wait_ms(headers: &Object) -> Option<u64> {
    let text = |name: &str| headers.member(name).and_then(Value::as_str);
    if let Some(wait) = text("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(wait);
    }
    let seconds: u64 = text("retry-after")?.trim().parse().ok()?;
    Some(seconds.saturating_mul(1000))
}
