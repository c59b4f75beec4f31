//! Refusals in the words and the envelope of an endpoint.

use holdover_profile::provider::{Breach, Confidence, Endpoint, Spot, Violation};
use holdover_wire::{Evidence, Plan, PlanBody};
use serde_json::Value;

use crate::fill;

/// What stands where the wording was not recorded: no text is invented.
const NOT_RECORDED: &str = "(holdover: the wording of this refusal was not recorded)";

/// The plan that refuses a request for a breach of a rule.
pub fn breach(endpoint: &Endpoint, breach: &Breach<'_>, violation: &Violation) -> Plan {
    let source = format!("{}/{}", endpoint.name, breach.rule.name);
    let evidence = match breach.rule.confidence {
        Confidence::High | Confidence::Medium => Evidence::Reported,
        Confidence::Low => Evidence::Inferred,
    };
    let message = match violation.message.as_str() {
        "" => NOT_RECORDED,
        text => text,
    };
    let body = document(endpoint, &breach.spots, violation, message);
    plan(endpoint, violation.status, body, evidence, source)
}

/// The plan that refuses a request that is not in the form of its wire: the words are ours.
pub fn form(endpoint: &Endpoint, message: &str) -> Plan {
    let violation = Violation {
        status: 400,
        kind: None,
        code: None,
        message: String::new(),
    };
    let body = document(endpoint, &[], &violation, message);
    plan(
        endpoint,
        400,
        body,
        Evidence::Inferred,
        format!("{}/form", endpoint.name),
    )
}

/// The plan of a failure that a script wants; the words are those of the Responses API, the envelope is the endpoint's.
pub fn failure(endpoint: &Endpoint, error: &holdover_wire::ApiError) -> Plan {
    let violation = Violation {
        status: error.status,
        kind: Some(error.kind.clone()),
        code: error.code.clone(),
        message: String::new(),
    };
    let body = document(endpoint, &[], &violation, &error.message);
    plan(
        endpoint,
        error.status,
        body,
        Evidence::Ours,
        format!("{}/script", endpoint.name),
    )
}

/// A refusal where a list of documents was asked for: a list of one.
pub(crate) fn in_list(mut plan: Plan) -> Plan {
    if let PlanBody::Json(body) = &mut plan.body {
        let document = body.take();
        **body = Value::Array(vec![document]);
    }
    plan
}

fn plan(endpoint: &Endpoint, status: u16, body: Value, evidence: Evidence, source: String) -> Plan {
    let mut headers: Vec<(String, String)> = endpoint
        .refusal
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if !headers.iter().any(|(name, _)| name == "content-type") {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    headers.push(("x-holdover-profile".to_owned(), endpoint.name.clone()));
    headers.push(("x-holdover-evidence".to_owned(), evidence.as_str().to_owned()));
    headers.push(("x-holdover-refusal".to_owned(), source));
    Plan::json(status, headers, body)
}

fn document(endpoint: &Endpoint, spots: &[Spot], violation: &Violation, message: &str) -> Value {
    let refusal = &endpoint.refusal;
    let first = spots.first().cloned().unwrap_or_default();
    let places = places(endpoint, violation, message, &first);
    let in_messages: Vec<&Spot> = spots.iter().filter(|spot| spot.message.is_some()).collect();
    let lists = !refusal.each.is_empty();
    let coded = violation.code.is_some() && !refusal.coded.is_empty();
    let template = match (lists && in_messages.is_empty(), coded) {
        (true, _) => &refusal.plain,
        (false, true) => &refusal.coded,
        (false, false) => &refusal.body,
    };
    let body = fill::document(&parse(template), &places, &["index"]);
    if !lists {
        return body;
    }
    let each = parse(&refusal.each);
    let entries: Vec<Value> = in_messages
        .iter()
        .map(|spot| {
            let places = self::places(endpoint, violation, message, spot);
            fill::document(&each, &places, &["index"])
        })
        .collect();
    put_each(body, &entries)
}

/// `{each}` is a list of what stands there for each place.
fn put_each(body: Value, entries: &[Value]) -> Value {
    match body {
        Value::String(text) if text == "{each}" => Value::Array(entries.to_vec()),
        Value::Object(object) => {
            let members = object.into_iter();
            Value::Object(
                members
                    .map(|(name, value)| (name, put_each(value, entries)))
                    .collect(),
            )
        }
        other => other,
    }
}

fn kind(endpoint: &Endpoint, violation: &Violation) -> String {
    violation
        .kind
        .clone()
        .unwrap_or_else(|| endpoint.refusal.kind.clone())
}

fn places(
    endpoint: &Endpoint,
    violation: &Violation,
    message: &str,
    spot: &Spot,
) -> Vec<(&'static str, String)> {
    let index = spot.message.unwrap_or(0);
    let mut places = vec![
        ("index", index.to_string()),
        ("position", (index + 1).to_string()),
        ("part", spot.part.to_string()),
        ("call", spot.call.clone()),
        ("text", spot.text.clone()),
        ("found", spot.found.clone()),
    ];
    let message = fill::text(message, &places);
    let code = violation.code.as_ref().unwrap_or(&endpoint.refusal.code);
    places.push(("message", message));
    places.push(("type", kind(endpoint, violation)));
    places.push(("code", code.clone()));
    places
}

/// The document of a data file; a test reads each.
fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}
