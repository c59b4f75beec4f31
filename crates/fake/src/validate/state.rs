//! The state phase: which state a request continues, and whether it may (E15 to E18).

use holdover_profile::{Org, UnfinishedParent};
use holdover_provider::Stored;
use holdover_wire::Members as _;
use holdover_wire::{ApiError, CreateRequest};

use crate::chain::ChainState;
use crate::fake::Job;
use crate::refusal;
use crate::store::{Connection, ConversationUse, Run, StoredResponse};

/// The context that a request continues; empty when it continues none.
pub(crate) fn continued(job: &Job<'_>, request: CreateRequest<'_>) -> Result<ChainState, ApiError> {
    let (previous, conversation) = (request.previous_response_id(), request.conversation());
    if previous.is_some() && conversation.is_some() {
        return Err(refusal::two_state_modes());
    }
    if let Some(id) = conversation {
        let found = job.loaded.conversation.as_ref();
        let found = found.ok_or_else(|| refusal::conversation_not_found(id))?;
        if job.loaded.conversation_use == ConversationUse::Busy {
            return Err(refusal::conversation_locked());
        }
        return Ok(kept(job, found.chain.clone()));
    }
    if let Some(prompt) = request.member("prompt") {
        let id = prompt
            .member("id")
            .and_then(serde_json::Value::as_str)
            .unwrap_or("");
        return Err(refusal::prompt_not_found(id));
    }
    let Some(id) = previous else {
        return Ok(ChainState::default());
    };
    let found = job.loaded.responses.get(id);
    // A connection remembers its responses also for such an organisation (`tests/facts/state.md`).
    let is_remembered = job.loaded.connection == Connection::Remembers && found.is_some();
    if job.fake.config.org == Org::Zdr && !is_remembered {
        return Err(refusal::previous_response_under_zdr());
    }
    let found = found.filter(|found| may_be_continued(job, found));
    let found = found.ok_or_else(|| refusal::previous_response_not_found(id))?;
    Ok(kept(job, found.chain.clone()))
}

/// What an endpoint keeps of what a request continues, whichever way the request names it.
fn kept(job: &Job<'_>, mut chain: ChainState) -> ChainState {
    match job.look.stored {
        Stored::Kept => {}
        Stored::Forgotten => chain.forget_reasoning(),
    }
    chain
}

/// Whether a response that failed, was cancelled or is not over may be continued is unsure.
fn may_be_continued(job: &Job<'_>, found: &StoredResponse) -> bool {
    match job.fake.config.profile.switches.unfinished_parent {
        UnfinishedParent::Accept => true,
        UnfinishedParent::Refuse => found.run == Run::Finished && !found.failed,
    }
}
