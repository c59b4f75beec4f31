//! The checks of a create request, in the order in which the API makes them (`tests/facts/errors.md` section 0).
//!
//! | module | phase |
//! |---|---|
//! | [`schema`], [`members`], [`input`], [`tools`] | types, ranges, unknown members |
//! | [`endpoint`] | what one endpoint wants of every request |
//! | [`state`] | what the request continues |
//! | [`entries`] | items that are named only, duplicates, tokens |
//! | [`pairing`] | reasoning and what follows it |
//! | [`context`] | calls and outputs; the fold into the context |
//! | [`capability`] | what the model can do |

pub(crate) mod capability;
pub(crate) mod context;
pub(crate) mod endpoint;
pub(crate) mod entries;
pub(crate) mod input;
pub(crate) mod members;
pub(crate) mod pairing;
pub(crate) mod schema;
pub(crate) mod state;
pub(crate) mod tools;

use std::borrow::Cow;

use holdover_profile::Model;
use holdover_provider::Texts;
use holdover_wire::{ApiError, CreateRequest, Object};
use serde_json::Value;

use crate::cache::Position;
use crate::chain::ChainState;
use crate::fake::Job;
use crate::refusal;
use crate::validate::entries::Entry;

/// A request that may be answered.
pub(crate) struct Checked<'a> {
    /// The request.
    pub(crate) request: CreateRequest<'a>,
    /// The model it asks.
    pub(crate) model: &'a Model,
    /// The context with its input.
    pub(crate) chain: ChainState,
    /// The items of its input.
    pub(crate) entries: Vec<Entry<'a>>,
    /// Where in its input a cached prefix may end.
    pub(crate) positions: Vec<Position>,
    /// Where the input of what it continues ended.
    pub(crate) continued: Option<Position>,
    /// Tokens of the input, with what stands before all items.
    pub(crate) input_tokens: InputTokens,
}

/// Tokens of what the model is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputTokens {
    /// Instructions and tools, which stand before all items.
    pub(crate) header: u64,
    /// Everything, at most the context window.
    pub(crate) shown: u64,
    /// Everything.
    pub(crate) all: u64,
}

/// All checks. Where the pairing checks stand among the phases was never measured; after the look-ups is our choice.
pub(crate) fn check<'a>(job: &Job<'a>, body: &'a Object) -> Result<Checked<'a>, ApiError> {
    schema::check(&without_texts(job, body))?;
    let request = CreateRequest::new(body);
    endpoint::check(job, request)?;
    input::refuse_unlisted(request, &job.loaded.types)?;
    let mut chain = state::continued(job, request)?;
    let name = request
        .model()
        .ok_or_else(|| refusal::missing_parameter("model"))?;
    let models = &job.fake.config.models;
    let model = models.find(name).ok_or_else(|| refusal::unknown_model(name))?;
    not_empty(request)?;
    capability::background(job, request)?;
    let mut entries = entries::of_input(job, request)?;
    entries::refuse_duplicates(job, &entries)?;
    entries::verify_tokens(job, model, &mut entries)?;
    pairing::check(job, &chain, &entries)?;
    let continued = chain.breakpoint;
    let positions = context::extend(&mut chain, request, &entries)?;
    let input_tokens = capability::window(request, model, &chain)?;
    capability::check(request, model, &chain)?;
    Ok(Checked {
        request,
        model,
        chain,
        entries,
        positions,
        continued,
        input_tokens,
    })
}

/// The body as the API takes it: without the texts of reasoning, where an endpoint of another provider reads them.
fn without_texts<'a>(job: &Job<'_>, body: &'a Object) -> Cow<'a, Object> {
    if job.look.texts == Texts::Absent {
        return Cow::Borrowed(body);
    }
    let mut body = body.clone();
    let items = body.get_mut("input").and_then(Value::as_array_mut);
    let reasoning = items
        .into_iter()
        .flatten()
        .filter(|item| item.get("type").and_then(Value::as_str) == Some("reasoning"));
    for content in reasoning.filter_map(|item| item.get_mut("content")) {
        *content = Value::Array(Vec::new());
    }
    Cow::Owned(body)
}

/// E24: an empty input without state.
fn not_empty(request: CreateRequest<'_>) -> Result<(), ApiError> {
    let is_empty = match request.member("input") {
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => true,
    };
    let continues = request.previous_response_id().is_some() || request.conversation().is_some();
    // A warm-up says nothing, so it may ask nothing (`tests/facts/examples/14_websocket_session.jsonl`).
    let warms_up = request.member("generate") == Some(&Value::Bool(false));
    if is_empty && !continues && !warms_up {
        return Err(refusal::nothing_to_continue());
    }
    Ok(())
}
