//! The fold of an input into the context it continues, with the tool pairing of E10 and E11.

use std::collections::BTreeSet;

use holdover_wire::{ApiError, CreateRequest, Item, ItemKind};

use crate::cache::{self, Position};
use crate::chain::{ChainState, ToolFamily};
use crate::refusal;
use crate::render::usage;
use crate::validate::entries::Entry;

impl ToolFamily {
    /// The word in E10 and E11.
    fn word(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Custom => "custom tool",
        }
    }
}

/// The family of a call or of an output that a client answers.
fn family(kind: ItemKind) -> Option<ToolFamily> {
    match kind {
        ItemKind::FunctionCall | ItemKind::FunctionCallOutput => Some(ToolFamily::Function),
        ItemKind::CustomToolCall | ItemKind::CustomToolCallOutput => Some(ToolFamily::Custom),
        _ => None,
    }
}

/// Folds the input into the context, and says where in it a cached prefix may end. An output without its call is refused here, a call without its output after all.
pub(crate) fn extend(
    chain: &mut ChainState,
    request: CreateRequest<'_>,
    entries: &[Entry<'_>],
) -> Result<Vec<Position>, ApiError> {
    let mut positions = Vec::with_capacity(entries.len().max(1));
    if let Some(text) = request.input_text() {
        message(chain, text);
        positions.push(position(chain, false));
    }
    let mut calls = BTreeSet::new();
    for entry in entries {
        fold(chain, entry, &mut calls)?;
        positions.push(position(chain, cache::is_marked(entry.item)));
    }
    chain.breakpoint = positions.last().copied().or(chain.breakpoint);
    match chain.open_calls.first() {
        Some(open) => Err(refusal::call_without_output(open.family.word(), &open.call_id)),
        None => Ok(positions),
    }
}

/// An input that is one text.
pub(crate) fn message(chain: &mut ChainState, text: &str) {
    chain.user(text);
    let content = cache::item_hash(Item::user(text).view(), None);
    chain.count(usage::message_tokens(text), content);
}

fn position(chain: &ChainState, marked: bool) -> Position {
    Position {
        prefix: chain.prefix,
        tokens: chain.tokens,
        marked,
    }
}

/// Folds items that no model reads now: nothing is refused.
pub(crate) fn extend_leniently(chain: &mut ChainState, entries: &[Entry<'_>]) {
    let mut calls = BTreeSet::new();
    for entry in entries {
        // An output without its call is refused when a model reads it.
        let _ = fold(chain, entry, &mut calls);
    }
}

/// `calls` are those of this input, which may be answered twice.
fn fold<'a>(
    chain: &mut ChainState,
    entry: &Entry<'a>,
    calls: &mut BTreeSet<&'a str>,
) -> Result<(), ApiError> {
    see_ids(chain, entry);
    chain.count(usage::item_tokens(entry.item), entry.content);
    let item = entry.item;
    match (entry.kind, family(entry.kind), item.call_id()) {
        (ItemKind::Message, ..) if item.is_user_message() => chain.user(&item.text()),
        (ItemKind::Reasoning, ..) => {
            let verified = entry.verified.and_then(|seen| Some((seen.family, seen.recall?)));
            chain.reasoning(item.id(), verified);
        }
        (ItemKind::Compaction, ..) => {
            chain.compaction(entry.verified.and_then(|seen| seen.recall));
        }
        (kind, Some(family), Some(call_id)) if kind.is_client_call() => {
            calls.insert(call_id);
            chain.call(call_id, family);
        }
        (kind, Some(family), call_id) if kind.is_client_output() => {
            let call_id = call_id.unwrap_or("");
            if !chain.is_open(call_id, family) && !calls.contains(call_id) {
                return Err(refusal::output_without_call(family.word(), call_id));
            }
            chain.output(call_id);
        }
        _ => chain.other(),
    }
    Ok(())
}

/// Ids carry the chain's partition key and its time; a token carries the time alone.
fn see_ids(chain: &mut ChainState, entry: &Entry<'_>) {
    if let Some(issued) = &entry.issued {
        chain.partition = Some(issued.stem.partition);
        chain.see_tick(issued.tick());
    }
    if let Some(tick) = entry.sealed_tick {
        chain.see_tick(tick);
    }
}
