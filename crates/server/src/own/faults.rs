//! `faults`: what can go wrong, and how to plant it.

use axum::body::Body;
use holdover_fault::{FaultCard, KEYS, OptionDefault, OptionSpec, TriggerKey, catalogue};
use http::Response;
use serde_json::{Value, json};

/// The catalogue.
pub(super) async fn list() -> Response<Body> {
    let faults: Vec<Value> = catalogue::all().into_iter().map(card).collect();
    let on: Vec<Value> = KEYS.iter().map(trigger).collect();
    super::json(200, &json!({"faults": faults, "on": on}))
}

fn card(card: &FaultCard) -> Value {
    let options: Vec<Value> = card.options.iter().map(option).collect();
    json!({
        "name": card.name,
        "group": card.group.as_str(),
        "about": card.about,
        "incident": card.incident,
        "options": options,
    })
}

fn option(option: &OptionSpec) -> Value {
    let default = match option.default {
        OptionDefault::Whole(number) => number.into(),
        OptionDefault::Text(text) => text.into(),
        OptionDefault::Absent => Value::Null,
    };
    json!({
        "name": option.name,
        "about": option.about,
        "takes": option.kind.expected(),
        "default": default,
    })
}

fn trigger(key: &TriggerKey) -> Value {
    json!({"name": key.name, "about": key.about})
}
