//! Responses that fail after they began: the terminal event, and the `error` event in its forms
//! (`tests/facts/streaming.md` section 8, `tests/facts/errors.md` E35).

use holdover_wire::{Object, Plan, PlanBody, Step};
use serde_json::{Value, json};

use super::steps;

/// Code and message of a failure.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) code: String,
    pub(crate) message: String,
}

/// Codes that `response.failed` was seen with.
pub(crate) const CODES: [&str; 5] = [
    "server_error",
    "rate_limit_exceeded",
    "context_length_exceeded",
    "insufficient_quota",
    "invalid_prompt",
];

impl Failure {
    /// The API's words for a code.
    pub(crate) fn of_code(code: &str) -> Self {
        let message = match code {
            "rate_limit_exceeded" => {
                "Rate limit reached for gpt-5.6 in organization org-holdover on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 1.5s."
            }
            "context_length_exceeded" => {
                "Your input exceeds the context window of this model. Please adjust your input and try again."
            }
            "insufficient_quota" => {
                "You exceeded your current quota, please check your plan and billing details."
            }
            "invalid_prompt" => "Invalid prompt.",
            _ => "An error occurred while processing your request. You can retry your request.",
        };
        Self {
            code: code.to_owned(),
            message: message.to_owned(),
        }
    }

    fn error(&self) -> Value {
        json!({"code": self.code, "message": self.message})
    }

    /// `{"type":"error","error":{…}}`, as it was captured.
    pub(crate) fn nested(&self) -> Value {
        json!({
            "type": "error",
            "sequence_number": 0,
            "error": {"type": self.code, "code": self.code, "message": self.message, "param": null},
        })
    }

    /// `{"type":"error","code":…}`, as the SDKs type it.
    pub(crate) fn flat(&self) -> Value {
        json!({
            "type": "error",
            "code": self.code,
            "message": self.message,
            "param": null,
            "sequence_number": 0,
        })
    }
}

/// What `error` of a failed response holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorMember {
    /// Code and message.
    Given,
    /// `null`
    Null,
}

/// Ends a stream after the step at `spot`: `events`, then `response.failed`. Says whether there was such a stream.
pub(crate) fn fail(
    plan: &mut Plan,
    spot: Option<usize>,
    events: Vec<Value>,
    failed: Option<(&Failure, ErrorMember)>,
) -> bool {
    let (Some(steps), Some(spot)) = (steps::steps(plan), spot) else {
        return false;
    };
    let spot = spot.min(steps::terminal(steps).map_or(usize::MAX, |terminal| terminal.saturating_sub(1)));
    let response = begun(steps);
    steps.truncate(spot + 1);
    steps.extend(
        events
            .into_iter()
            .map(|members| Step::Event(steps::event(members))),
    );
    if let Some((failure, member)) = failed {
        let response = failed_response(response, failure, member);
        let members = json!({"type": "response.failed", "response": response, "sequence_number": 0});
        steps.push(Step::Event(steps::event(members)));
    }
    steps::renumber(steps);
    true
}

/// Makes a document one of a failed response. Says whether it was a response.
pub(crate) fn fail_document(plan: &mut Plan, failure: &Failure, member: ErrorMember) -> bool {
    let PlanBody::Json(document) = &mut plan.body else {
        return false;
    };
    if document.get("output").is_none() || document.get("status").is_none() {
        return false;
    }
    let Some(body) = document.as_object_mut() else {
        return false;
    };
    *body = failed_response(std::mem::take(body), failure, member);
    true
}

/// The response as `response.created` shows it.
fn begun(steps: &[Step]) -> Object {
    let mut events = steps.iter().filter_map(Step::event);
    events
        .find_map(|event| Some(event.response()?.object().clone()))
        .unwrap_or_default()
}

fn failed_response(mut response: Object, failure: &Failure, member: ErrorMember) -> Object {
    let error = match member {
        ErrorMember::Given => failure.error(),
        ErrorMember::Null => Value::Null,
    };
    let members = [
        ("status", json!("failed")),
        ("error", error),
        ("output", json!([])),
        ("usage", Value::Null),
        ("completed_at", Value::Null),
    ];
    for (name, value) in members {
        response.insert(name.to_owned(), value);
    }
    response
}
