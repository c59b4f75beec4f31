//! List objects with `limit`, `order` and `after` (`tests/facts/endpoints.md`, List object).

use holdover_wire::Members as _;
use holdover_wire::{Call, Evidence, Object};
use serde_json::{Value, json};

use crate::refusal::{self, NumberKind};

const LIMIT_DEFAULT: usize = 20;
const LIMIT_MAX: usize = 100;

/// A page of items, of which `items` are all in the order in which they came to be. Newest first by default.
pub(crate) fn page<'a, T>(
    call: &Call,
    items: &'a [T],
    id: impl Fn(&'a T) -> Option<&'a str>,
    write: impl Fn(&'a T) -> Object,
) -> Result<Value, holdover_wire::ApiError> {
    let limit = limit(call)?;
    let mut ordered: Vec<&T> = items.iter().collect();
    if order(call)? == Order::NewestFirst {
        ordered.reverse();
    }
    let after = call.query("after");
    let start = after.and_then(|after| ordered.iter().position(|item| id(item) == Some(after)));
    let rest = ordered
        .get(start.map_or(0, |start| start + 1)..)
        .unwrap_or_default();
    let shown = rest.get(..limit.min(rest.len())).unwrap_or_default();
    let data: Vec<Value> = shown.iter().map(|item| Value::Object(write(item))).collect();
    Ok(object(&data, rest.len() > shown.len()))
}

/// A list object of these items.
pub(crate) fn object(data: &[Value], has_more: bool) -> Value {
    let id = |item: Option<&Value>| {
        item.and_then(|item| item.member("id"))
            .cloned()
            .unwrap_or(Value::Null)
    };
    let (first, last) = (id(data.first()), id(data.last()));
    json!({"object": "list", "data": data, "first_id": first, "has_more": has_more, "last_id": last})
}

/// Order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    OldestFirst,
    NewestFirst,
}

fn order(call: &Call) -> Result<Order, holdover_wire::ApiError> {
    match call.query("order") {
        Some("asc") => Ok(Order::OldestFirst),
        Some("desc") | None => Ok(Order::NewestFirst),
        Some(word) => Err(refusal::invalid_value(
            "endpoints",
            Evidence::Inferred,
            "order",
            word,
            &["asc", "desc"],
        )),
    }
}

fn limit(call: &Call) -> Result<usize, holdover_wire::ApiError> {
    let Some(text) = call.query("limit") else {
        return Ok(LIMIT_DEFAULT);
    };
    match text.parse::<usize>() {
        Err(_) => Err(refusal::invalid_type("limit", "an integer", "a string")),
        Ok(0) => Err(refusal::below_minimum("limit", NumberKind::Integer, "1", text)),
        Ok(limit) if limit > LIMIT_MAX => {
            Err(refusal::above_maximum("limit", NumberKind::Integer, "100", text))
        }
        Ok(limit) => Ok(limit),
    }
}
