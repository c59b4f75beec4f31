//! `GET /v1/models` and `GET /v1/models/{id}`.

use holdover_wire::ApiError;
use serde_json::{Value, json};

use crate::fake::{Answer, Job};
use crate::refusal;

/// `created` of every model: the second in `tests/facts/examples/16_conversation_and_input_items.json`.
const CREATED: u64 = 1_782_000_000;

/// The list.
pub(crate) fn list(job: &Job<'_>) -> Answer {
    let models: Vec<Value> = job.fake.config.models.names().map(model).collect();
    job.plain(json!({"object": "list", "data": models}))
}

/// One model.
pub(crate) fn one(job: &Job<'_>, name: &str) -> Result<Answer, ApiError> {
    match job.fake.config.models.find(name) {
        Some(_) => Ok(job.plain(model(name))),
        None => Err(refusal::model_not_listed(name)),
    }
}

fn model(name: &str) -> Value {
    json!({"id": name, "object": "model", "created": CREATED, "owned_by": "system"})
}
