//! The checks of a create request, in the order in which the API makes them (`tests/facts/errors.md` section 0).
//!
//! | module | phase |
//! |---|---|
//! | [`state`] | what the request continues |
//! | [`entries`] | items that are named only, duplicates, tokens |
//! | [`context`] | calls and outputs; the fold into the context |

pub(crate) mod context;
pub(crate) mod entries;
pub(crate) mod state;

use holdover_profile::Model;
use holdover_wire::{ApiError, CreateRequest, Object};

use crate::chain::ChainState;
use crate::fake::Job;
use crate::refusal;

/// A request that may be answered.
pub(crate) struct Checked<'a> {
    /// The request.
    pub(crate) request: CreateRequest<'a>,
    /// The model it asks.
    pub(crate) model: &'a Model,
    /// The context with its input.
    pub(crate) chain: ChainState,
}

/// All checks.
pub(crate) fn check<'a>(job: &Job<'a>, body: &'a Object) -> Result<Checked<'a>, ApiError> {
    let request = CreateRequest::new(body);
    let name = request
        .model()
        .ok_or_else(|| refusal::missing_parameter("model"))?;
    let model = job
        .fake
        .config
        .models
        .find(name)
        .ok_or_else(|| refusal::unknown_model(name))?;
    let mut chain = state::continued(job, request)?;
    let mut entries = entries::of_input(job, request)?;
    entries::refuse_duplicates(job, &entries)?;
    entries::verify_tokens(job, &mut entries)?;
    context::extend(&mut chain, request, &entries)?;
    Ok(Checked {
        request,
        model,
        chain,
    })
}
