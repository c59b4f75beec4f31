//! The checks of a create request, in the order in which the API makes them (`tests/facts/errors.md` section 0).
//!
//! | module | phase |
//! |---|---|
//! | [`schema`], [`members`], [`input`], [`tools`] | types, ranges, unknown members |
//! | [`state`] | what the request continues |
//! | [`entries`] | items that are named only, duplicates, tokens |
//! | [`pairing`] | reasoning and what follows it |
//! | [`context`] | calls and outputs; the fold into the context |
//! | [`capability`] | what the model can do |

pub(crate) mod capability;
pub(crate) mod context;
pub(crate) mod entries;
pub(crate) mod input;
pub(crate) mod members;
pub(crate) mod pairing;
pub(crate) mod schema;
pub(crate) mod state;
pub(crate) mod tools;

use holdover_profile::Model;
use holdover_wire::{ApiError, CreateRequest, Object};
use serde_json::Value;

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
    /// Tokens of what it continues.
    pub(crate) prefix_tokens: u64,
}

/// All checks. Where the pairing checks stand among the phases was never measured; after the look-ups is our choice.
pub(crate) fn check<'a>(job: &Job<'a>, body: &'a Object) -> Result<Checked<'a>, ApiError> {
    schema::check(body)?;
    let request = CreateRequest::new(body);
    input::refuse_unlisted(request, &job.loaded.types)?;
    let mut chain = state::continued(job, request)?;
    let name = request
        .model()
        .ok_or_else(|| refusal::missing_parameter("model"))?;
    let models = &job.fake.config.models;
    let model = models.find(name).ok_or_else(|| refusal::unknown_model(name))?;
    not_empty(request)?;
    capability::background(request)?;
    let mut entries = entries::of_input(job, request)?;
    entries::refuse_duplicates(job, &entries)?;
    entries::verify_tokens(job, model, &mut entries)?;
    pairing::check(job, &chain, &entries)?;
    let prefix_tokens = chain.tokens;
    context::extend(&mut chain, request, &entries)?;
    capability::check(request, model, &chain)?;
    Ok(Checked {
        request,
        model,
        chain,
        entries,
        prefix_tokens,
    })
}

/// E24: an empty input without state.
fn not_empty(request: CreateRequest<'_>) -> Result<(), ApiError> {
    let is_empty = match request.member("input") {
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => true,
    };
    let continues = request.previous_response_id().is_some() || request.conversation().is_some();
    if is_empty && !continues {
        return Err(refusal::nothing_to_continue());
    }
    Ok(())
}
