//! The response object with every key in the order of the wire (`tests/facts/endpoints.md`, "The `response` object").

use holdover_wire::Members as _;
use std::sync::{Arc, LazyLock};

use holdover_profile::Shape;
use holdover_wire::id::Persistence;
use holdover_wire::text::{JsonText, Layout};
use holdover_wire::{CreateRequest, Object, Outline};
use serde_json::{Value, json};

use crate::render::budget::Outcome;
use crate::render::tools;
use crate::render::usage::Usage;
use crate::turn::Turn;

/// Room for the text of a usual response.
const TEXT_BYTES: usize = 4096;

/// Who pays, in `billing`.
const PAYER: &str = "developer";

/// A response at one point of its run. It is written as text, member by member: nobody changes it any more.
pub(crate) struct Form<'a, 'b> {
    /// What was asked.
    pub(crate) turn: &'b Turn<'a>,
    /// Its id.
    pub(crate) id: &'b str,
    /// How far it is.
    pub(crate) point: Point<'b>,
    /// Whether it says who pays.
    pub(crate) billing: Billing,
}

/// How far a response is.
#[derive(Clone, Copy)]
pub(crate) enum Point<'b> {
    /// Nothing of a background run was begun.
    Queued,
    /// Nothing of its output is known.
    InProgress,
    /// It is over.
    Over(Over<'b>),
}

/// What a response that is over says besides its output.
#[derive(Clone, Copy)]
pub(crate) struct Over<'b> {
    /// How it ended.
    pub(crate) outcome: &'b Outcome,
    /// Second in which it did.
    pub(crate) second: u64,
    /// What it took.
    pub(crate) usage: Usage,
    /// Web searches in its output: they are counted in `tool_usage`
    /// (`tests/facts/examples/17_web_search_stream.sse`).
    pub(crate) searches: u64,
}

/// `billing`, which stands only in a JSON body and in a GET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Billing {
    /// It is there.
    Shown,
    /// It is not.
    Absent,
}

impl Over<'_> {
    fn status(&self) -> &'static str {
        match self.outcome {
            Outcome::Completed => "completed",
            Outcome::Incomplete(_) => "incomplete",
            Outcome::Failed(_) => "failed",
        }
    }

    fn completed_at(&self) -> Option<u64> {
        (*self.outcome == Outcome::Completed).then_some(self.second)
    }

    /// A failed response has no usage and keeps its service tier (`tests/facts/examples/10_error_then_failed.sse`).
    fn usage(&self) -> Option<Usage> {
        (!matches!(self.outcome, Outcome::Failed(_))).then_some(self.usage)
    }
}

impl<'b> Point<'b> {
    fn status(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::InProgress => "in_progress",
            Self::Over(over) => over.status(),
        }
    }

    fn over(self) -> Option<Over<'b>> {
        match self {
            Self::Queued | Self::InProgress => None,
            Self::Over(over) => Some(over),
        }
    }
}

impl Form<'_, '_> {
    /// The text with this output.
    pub(crate) fn text(&self, layout: Layout, output: &[Arc<Object>]) -> Vec<u8> {
        let mut text = JsonText::new(layout, TEXT_BYTES);
        text.begin();
        self.head(&mut text);
        self.echoes(&mut text, output);
        self.settings(&mut text);
        text.end();
        text.finish()
    }

    /// What readers ask of it.
    pub(crate) fn outline(&self, output: Vec<Arc<Object>>) -> Outline {
        Outline {
            id: self.id.to_owned(),
            created_at: self.turn.stem.second(),
            status: self.point.status(),
            completed_at: self.point.over().and_then(|over| over.completed_at()),
            store: self.store(),
            context: match self.turn.model.shape {
                Shape::Newest => Some(self.turn.context.as_str()),
                Shape::Older => None,
            },
            output,
        }
    }

    fn store(&self) -> bool {
        self.turn.persistence == Persistence::Persisted
    }

    /// What became of it.
    fn head(&self, text: &mut JsonText) {
        let request = self.turn.request;
        let over = self.point.over();
        text.name("id");
        text.text(self.id);
        text.name("object");
        text.text("response");
        text.name("created_at");
        text.number(self.turn.stem.second());
        text.name("status");
        text.text(self.point.status());
        text.name("background");
        text.flag(flag(request, "background", false));
        if self.billing == Billing::Shown {
            text.name("billing");
            text.begin();
            text.name("payer");
            text.text(PAYER);
            text.end();
        }
        text.name("completed_at");
        match over.and_then(|over| over.completed_at()) {
            Some(second) => text.number(second),
            None => text.null(),
        }
        if let Some(conversation) = request.conversation() {
            text.name("conversation");
            text.begin();
            text.name("id");
            text.text(conversation);
            text.end();
        }
        self.end(over.map(|over| over.outcome), text);
    }

    /// Why it did not end well.
    fn end(&self, outcome: Option<&Outcome>, text: &mut JsonText) {
        text.name("error");
        match outcome {
            Some(Outcome::Failed(error)) => {
                text.begin();
                text.name("code");
                text.optional_text(error.code.as_deref());
                text.name("message");
                text.text(&error.message);
                text.end();
            }
            Some(Outcome::Completed | Outcome::Incomplete(_)) | None => text.null(),
        }
        text.name("frequency_penalty");
        text.decimal(number(self.turn.request, "frequency_penalty", 0.0));
        text.name("incomplete_details");
        match outcome {
            Some(Outcome::Incomplete(reason)) => {
                text.begin();
                text.name("reason");
                text.text(reason);
                text.end();
            }
            Some(Outcome::Completed | Outcome::Failed(_)) | None => text.null(),
        }
    }

    /// The output among what is echoed.
    fn echoes(&self, text: &mut JsonText, output: &[Arc<Object>]) {
        let request = self.turn.request;
        transformations(self.turn, text);
        echo(
            request,
            &["instructions", "max_output_tokens", "max_tool_calls"],
            text,
        );
        text.name("model");
        text.text(&self.turn.model.snapshot);
        text.name("moderation");
        text.null();
        text.name("output");
        text.list(output, |text, item| text.object(item));
        text.name("parallel_tool_calls");
        text.flag(flag(request, "parallel_tool_calls", true));
        text.name("presence_penalty");
        text.decimal(number(request, "presence_penalty", 0.0));
        echo(request, &["previous_response_id", "prompt_cache_key"], text);
    }

    /// The second half: everything after the prompt cache.
    fn settings(&self, text: &mut JsonText) {
        let (turn, request) = (self.turn, self.turn.request);
        let over = self.point.over();
        if let Some(options) = request.member("prompt_cache_options") {
            text.name("prompt_cache_options");
            text.value(options);
        }
        text.name("prompt_cache_retention");
        match request.member("prompt_cache_retention") {
            Some(asked) => text.value(asked),
            None => text.optional_text(turn.model.prompt_cache_retention.as_deref()),
        }
        text.name("reasoning");
        reasoning(turn, text);
        echo(request, &["safety_identifier"], text);
        text.name("service_tier");
        text.text(match over.and_then(|over| over.usage()) {
            Some(_) => "default",
            None => "auto",
        });
        text.name("store");
        text.flag(self.store());
        text.name("temperature");
        text.decimal(number(request, "temperature", 1.0));
        text.name("text");
        tools::write_text(request, text);
        text.name("tool_choice");
        echo_or(request, "tool_choice", text, |text| text.text("auto"));
        if turn.model.shape == Shape::Newest {
            text.name("tool_usage");
            tool_usage(over.map_or(0, |over| over.searches), text);
        }
        text.name("tools");
        text.value(&tools::tools(request));
        text.name("top_logprobs");
        echo_or(request, "top_logprobs", text, |text| text.number(0));
        text.name("top_p");
        text.decimal(number(request, "top_p", turn.model.top_p));
        text.name("truncation");
        echo_or(request, "truncation", text, |text| text.text("disabled"));
        text.name("usage");
        match over.and_then(|over| over.usage()) {
            Some(usage) => usage.write(text),
            None => text.null(),
        }
        echo(request, &["user"], text);
        text.name("metadata");
        echo_or(request, "metadata", text, |text| {
            text.begin();
            text.end();
        });
    }
}

/// What was taken out of the input; absent where nothing was.
fn transformations(turn: &Turn<'_>, text: &mut JsonText) {
    let withheld = turn.entries.iter().filter_map(|entry| {
        let reason = entry.withheld?;
        Some(json!({"id": entry.id(), "type": "reasoning", "action": "removed", "reason": reason}))
    });
    let mut withheld = withheld.peekable();
    if withheld.peek().is_some() {
        text.name("input_transformations");
        text.list(withheld, |text, removed| text.value(&removed));
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
    object.shift_insert(place, "billing".to_owned(), json!({"payer": PAYER}));
}

/// Members that are echoed as they are, or as null.
fn echo(request: CreateRequest<'_>, names: &[&'static str], text: &mut JsonText) {
    for name in names {
        text.name(name);
        echo_or(request, name, text, JsonText::null);
    }
}

/// The value of a member as it is, or its default.
fn echo_or(request: CreateRequest<'_>, name: &str, text: &mut JsonText, default: impl FnOnce(&mut JsonText)) {
    match request.member(name) {
        Some(value) => text.value(value),
        None => default(text),
    }
}

fn flag(request: CreateRequest<'_>, name: &str, default: bool) -> bool {
    request.member(name).and_then(Value::as_bool).unwrap_or(default)
}

/// A number that is always written with its point.
fn number(request: CreateRequest<'_>, name: &str, default: f64) -> f64 {
    request.member(name).and_then(Value::as_f64).unwrap_or(default)
}

fn reasoning(turn: &Turn<'_>, text: &mut JsonText) {
    text.begin();
    if turn.model.shape == Shape::Newest {
        text.name("context");
        text.text(turn.context.as_str());
    }
    text.name("effort");
    text.optional_text(turn.effort);
    if turn.model.shape == Shape::Newest {
        let asked = turn
            .request
            .member("reasoning")
            .and_then(|reasoning| reasoning.member("mode"));
        text.name("mode");
        text.text(asked.and_then(Value::as_str).unwrap_or("standard"));
    }
    text.name("summary");
    text.optional_text(turn.summary);
    text.end();
}

fn tool_usage(searches: u64, text: &mut JsonText) {
    text.begin();
    text.name("image_gen");
    text.value(&IMAGE_USAGE);
    text.name("web_search");
    text.begin();
    text.name("num_requests");
    text.number(searches);
    text.end();
    text.end();
}

/// No image costs tokens here.
static IMAGE_USAGE: LazyLock<Value> = LazyLock::new(|| {
    let details = json!({"image_tokens": 0, "text_tokens": 0});
    json!({
        "input_tokens": 0,
        "input_tokens_details": details,
        "output_tokens": 0,
        "output_tokens_details": details,
        "total_tokens": 0,
    })
});
