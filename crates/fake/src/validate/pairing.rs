//! Reasoning and what follows it: E01 to E04 (`tests/facts/errors.md` section 1).
//!
//! An id-less reasoning item is plain context and needs nothing. Where ids are not enforced, followers match by
//! position; where they are, a follower names its reasoning item by its own id, so no look-up is needed.

use holdover_profile::FollowerLineage;
use holdover_wire::id::Persistence;
use holdover_wire::{ApiError, ItemKind};

use crate::chain::{ChainState, Tail};
use crate::fake::Job;
use crate::ids::Issued;
use crate::refusal;
use crate::validate::entries::Entry;

/// Checks the pairing of an input that continues a context.
pub(crate) fn check(job: &Job<'_>, chain: &ChainState, entries: &[Entry<'_>]) -> Result<(), ApiError> {
    let lineage = Lineage(job.fake.config.profile.switches.follower_lineage);
    tail(chain, entries)?;
    for (position, entry) in entries.iter().enumerate() {
        let (before, after) = (&entries[..position], entries.get(position + 1));
        if entry.kind == ItemKind::Reasoning {
            reasoning(lineage, entry, after)?;
        } else if is_follower(entry) {
            follower(job, lineage, chain, entry, before)?;
        }
    }
    Ok(())
}

/// Whose ids are enforced.
#[derive(Clone, Copy)]
struct Lineage(FollowerLineage);

impl Lineage {
    fn enforces(self, issued: &Issued) -> bool {
        match self.0 {
            FollowerLineage::Always => true,
            FollowerLineage::Stored => issued.stem.persistence == Persistence::Persisted,
        }
    }
}

/// What a reasoning item may lead to. Hosted calls and types that only the fake itself issued count too.
fn is_follower(entry: &Entry<'_>) -> bool {
    match entry.kind {
        ItemKind::Message => entry.item.role() == Some("assistant"),
        ItemKind::FunctionCall | ItemKind::CustomToolCall | ItemKind::OtherCall | ItemKind::Unknown => true,
        ItemKind::Reasoning
        | ItemKind::FunctionCallOutput
        | ItemKind::CustomToolCallOutput
        | ItemKind::OtherOutput
        | ItemKind::Compaction
        | ItemKind::CompactionTrigger
        | ItemKind::ItemReference => false,
    }
}

/// E01e: the stored output ended in reasoning, and nothing of this input follows it.
fn tail(chain: &ChainState, entries: &[Entry<'_>]) -> Result<(), ApiError> {
    match (&chain.tail, entries.first()) {
        (Tail::Reasoning(_), Some(first)) if is_follower(first) => Ok(()),
        (Tail::Reasoning(id), _) => Err(refusal::orphan_reasoning(id)),
        (Tail::Empty | Tail::Other, _) => Ok(()),
    }
}

/// E01: last, before something that no reasoning leads to, or, where ids are enforced, before an item that it did not
/// lead to.
fn reasoning(lineage: Lineage, entry: &Entry<'_>, next: Option<&Entry<'_>>) -> Result<(), ApiError> {
    let Some(id) = entry.id() else { return Ok(()) };
    let followed = next.is_some_and(|next| is_follower(next) && leads_to(lineage, entry, next));
    if followed {
        return Ok(());
    }
    Err(refusal::orphan_reasoning(id))
}

fn leads_to(lineage: Lineage, reasoning: &Entry<'_>, next: &Entry<'_>) -> bool {
    let Some(own) = reasoning.issued.as_ref().filter(|own| lineage.enforces(own)) else {
        return true;
    };
    // E01c is reported of messages alone. A call without an id is still told by its `call_id`: the AI SDK sends calls so
    // beside references to stored reasoning, by default.
    if is_call(next) && next.id().is_none() {
        return true;
    }
    next.issued
        .as_ref()
        .is_some_and(|next| next.shares_response(own) && next.head() == own.output_index())
}

fn is_call(entry: &Entry<'_>) -> bool {
    matches!(entry.kind, ItemKind::FunctionCall | ItemKind::CustomToolCall)
}

/// E02, E03, E04: a follower whose id is enforced needs its reasoning item, with its id, before it.
fn follower(
    job: &Job<'_>,
    lineage: Lineage,
    chain: &ChainState,
    entry: &Entry<'_>,
    before: &[Entry<'_>],
) -> Result<(), ApiError> {
    let Some(own) = entry.issued.as_ref().filter(|own| lineage.enforces(own)) else {
        return Ok(());
    };
    let (Some(head), Some(id)) = (own.head(), entry.id()) else {
        return Ok(());
    };
    // What state resolved is in the context, although not in this input.
    if chain.partition == Some(own.stem.partition) {
        return Ok(());
    }
    let is_head = |other: &Entry<'_>| {
        other
            .issued
            .as_ref()
            .is_some_and(|other| other.shares_response(own) && other.output_index() == Some(head))
    };
    let found = before.iter().rposition(is_head);
    let in_order = found.is_some_and(|found| !is_overtaken(own, entry, &before[found..]));
    if in_order {
        return Ok(());
    }
    let partner = job.fake.ids.head_of(own).unwrap_or_default();
    Err(refusal::orphan_follower(id, type_name(entry), &partner))
}

/// A message that comes after a call which the response made later: the order of E03.
fn is_overtaken(own: &Issued, entry: &Entry<'_>, between: &[Entry<'_>]) -> bool {
    entry.kind == ItemKind::Message
        && between.iter().any(|other| {
            other
                .issued
                .as_ref()
                .is_some_and(|other| other.shares_response(own) && other.output_index() > own.output_index())
        })
}

fn type_name<'a>(entry: &Entry<'a>) -> &'a str {
    entry.item.type_name().unwrap_or("message")
}
