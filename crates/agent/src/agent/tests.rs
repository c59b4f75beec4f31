//! Whole turns: what is sent, what is remembered, in every preset and state mode.

mod agents_sdk;
mod compaction;
mod meai;
mod modes;
mod turns;
mod wires;

use serde_json::{Value, json as value};

use crate::testing::{json, response};
use crate::turn::Received;

fn user(text: &str) -> Value {
    value!({"role": "user", "content": text})
}

fn output(call_id: &str, text: &str) -> Value {
    value!({"type": "function_call_output", "call_id": call_id, "output": text})
}

fn refused(status: u16, message: &str) -> Received {
    let mut received =
        json(&value!({"error": {"message": message, "type": "t", "param": null, "code": null}}));
    received.status = status;
    received
}

fn without_id(mut item: Value) -> Value {
    item.as_object_mut().expect("object").shift_remove("id");
    item
}

fn answered(id: &str, items: &[Value]) -> Received {
    json(&response(id, &Value::Array(items.to_vec())))
}
