//! The response object with every key in the order of the wire (`tests/facts/endpoints.md`, "The `response` object").

use holdover_wire::Members as _;
use std::sync::LazyLock;

use holdover_profile::Shape;
use holdover_wire::id::Persistence;
use holdover_wire::{CreateRequest, Object};
use serde_json::{Value, json};

use crate::fake::Job;
use crate::ids::Place;
use crate::render::budget::Outcome;
use crate::render::tools;
use crate::render::usage::Usage;
use crate::turn::{Background, Turn};

/// The object while the response runs, with everything that is known before its output.
pub(crate) fn running(job: &Job<'_>, turn: &Turn<'_>) -> Object {
    let request = turn.request;
    let mut writer = Writer(Object::with_capacity(44));
    let id = job.fake.ids.id("resp", &turn.stem, Place::Response);
    writer.put("id", id);
    writer.put("object", "response");
    writer.put("created_at", turn.stem.second());
    writer.put(
        "status",
        match turn.background() {
            Background::Yes => "queued",
            Background::No => "in_progress",
        },
    );
    writer.put("background", flag(request, "background", false));
    writer.put("completed_at", Value::Null);
    if let Some(conversation) = request.conversation() {
        writer.put("conversation", json!({"id": conversation}));
    }
    for name in ["error", "incomplete_details"] {
        if name == "incomplete_details" {
            writer.put("frequency_penalty", number(request, "frequency_penalty", 0.0));
        }
        writer.put(name, Value::Null);
    }
    if let Some(transformations) = transformations(turn) {
        writer.put("input_transformations", transformations);
    }
    writer.echo(request, &["instructions", "max_output_tokens", "max_tool_calls"]);
    writer.put("model", turn.model.snapshot.as_str());
    writer.put("moderation", Value::Null);
    writer.put("output", json!([]));
    writer.put("parallel_tool_calls", flag(request, "parallel_tool_calls", true));
    writer.put("presence_penalty", number(request, "presence_penalty", 0.0));
    writer.echo(request, &["previous_response_id", "prompt_cache_key"]);
    settings(&mut writer, turn);
    writer.0
}

/// What was taken out of the input; absent where nothing was.
fn transformations(turn: &Turn<'_>) -> Option<Value> {
    let withheld = turn.entries.iter().filter_map(|entry| {
        let reason = entry.withheld?;
        Some(json!({"id": entry.id(), "type": "reasoning", "action": "removed", "reason": reason}))
    });
    let withheld: Vec<Value> = withheld.collect();
    (!withheld.is_empty()).then_some(Value::Array(withheld))
}

/// The second half: everything after the prompt cache.
fn settings(writer: &mut Writer, turn: &Turn<'_>) {
    let request = turn.request;
    if let Some(options) = request.member("prompt_cache_options") {
        writer.put("prompt_cache_options", options.clone());
    }
    let retention = request.member("prompt_cache_retention").cloned();
    let retention = retention.or_else(|| turn.model.prompt_cache_retention.clone().map(Value::from));
    writer.put("prompt_cache_retention", retention.unwrap_or(Value::Null));
    writer.put("reasoning", reasoning(turn));
    writer.echo(request, &["safety_identifier"]);
    writer.put("service_tier", "auto");
    writer.put("store", turn.persistence == Persistence::Persisted);
    writer.put("temperature", number(request, "temperature", 1.0));
    writer.put("text", tools::text(request));
    let choice = request.member("tool_choice").cloned();
    writer.put("tool_choice", choice.unwrap_or_else(|| "auto".into()));
    if turn.model.shape == Shape::Newest {
        writer.put("tool_usage", TOOL_USAGE.clone());
    }
    writer.put("tools", tools::tools(request));
    let logprobs = request.member("top_logprobs").cloned();
    writer.put("top_logprobs", logprobs.unwrap_or_else(|| 0.into()));
    writer.put("top_p", number(request, "top_p", turn.model.top_p));
    let truncation = request.member("truncation").cloned();
    writer.put("truncation", truncation.unwrap_or_else(|| "disabled".into()));
    writer.put("usage", Value::Null);
    writer.echo(request, &["user"]);
    let metadata = request.member("metadata").cloned();
    writer.put("metadata", metadata.unwrap_or_else(|| json!({})));
}

/// Turns a running object into the terminal one; its output is put in by [`put_output`]. A failed response has no
/// usage and keeps its service tier (`tests/facts/examples/10_error_then_failed.sse`).
pub(crate) fn complete(object: &mut Object, outcome: &Outcome, second: u64, usage: Usage) {
    let finished = |object: &mut Object, status: &str| {
        set(object, "status", status.into());
        set(object, "service_tier", "default".into());
        set(object, "usage", usage.object());
    };
    match outcome {
        Outcome::Completed => {
            finished(object, "completed");
            set(object, "completed_at", second.into());
        }
        Outcome::Incomplete(reason) => {
            finished(object, "incomplete");
            set(object, "incomplete_details", json!({"reason": reason}));
        }
        Outcome::Failed(error) => {
            set(object, "status", "failed".into());
            set(
                object,
                "error",
                json!({"code": error.code, "message": error.message}),
            );
        }
    }
}

/// Web searches are counted in `tool_usage` (`tests/facts/examples/17_web_search_stream.sse`).
pub(crate) fn count_searches(object: &mut Object, searches: usize) {
    let usage = object
        .get_mut("tool_usage")
        .and_then(|usage| usage.get_mut("web_search"));
    if let Some(requests) = usage.and_then(|usage| usage.get_mut("num_requests")) {
        *requests = searches.into();
    }
}

/// Turns a terminal object back into that of a run which is not over, or was cancelled.
pub(crate) fn unfinish(object: &mut Object, status: &str) {
    set(object, "status", status.into());
    set(object, "service_tier", "auto".into());
    for name in ["completed_at", "error", "incomplete_details", "usage"] {
        set(object, name, Value::Null);
    }
}

/// The status while it runs.
pub(crate) fn put_status(object: &mut Object, status: &str) {
    set(object, "status", status.into());
}

/// Fills the output in.
pub(crate) fn put_output(object: &mut Object, output: Vec<Value>) {
    set(object, "output", Value::Array(output));
}

fn set(object: &mut Object, name: &str, value: Value) {
    if let Some(member) = object.get_mut(name) {
        *member = value;
    }
}

/// Adds `billing`, which stands only in a JSON body and in a GET, after `background`.
pub(crate) fn bill(object: &mut Object) {
    let place = object.keys().position(|name| name == "background");
    let place = place.map_or(0, |place| place + 1);
    object.shift_insert(place, "billing".to_owned(), json!({"payer": "developer"}));
}

struct Writer(Object);

impl Writer {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Members that are echoed as they are, or as null.
    fn echo(&mut self, request: CreateRequest<'_>, names: &[&str]) {
        for name in names {
            self.put(name, request.member(name).cloned().unwrap_or(Value::Null));
        }
    }
}

fn flag(request: CreateRequest<'_>, name: &str, default: bool) -> Value {
    let value = request.member(name).and_then(Value::as_bool);
    value.unwrap_or(default).into()
}

/// A number that is always written with its point.
fn number(request: CreateRequest<'_>, name: &str, default: f64) -> Value {
    let value = request.member(name).and_then(Value::as_f64);
    value.unwrap_or(default).into()
}

fn reasoning(turn: &Turn<'_>) -> Value {
    match turn.model.shape {
        Shape::Newest => {
            let asked = turn
                .request
                .member("reasoning")
                .and_then(|reasoning| reasoning.member("mode"));
            let mode = asked.and_then(Value::as_str).unwrap_or("standard");
            json!({
                "context": turn.context.as_str(),
                "effort": turn.effort,
                "mode": mode,
                "summary": turn.summary,
            })
        }
        Shape::Older => json!({"effort": turn.effort, "summary": turn.summary}),
    }
}

static TOOL_USAGE: LazyLock<Value> = LazyLock::new(|| {
    let details = json!({"image_tokens": 0, "text_tokens": 0});
    json!({
        "image_gen": {
            "input_tokens": 0,
            "input_tokens_details": details,
            "output_tokens": 0,
            "output_tokens_details": details,
            "total_tokens": 0,
        },
        "web_search": {"num_requests": 0},
    })
});
