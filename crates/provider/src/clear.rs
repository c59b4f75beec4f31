//! `clear_thinking`: reasoning of earlier turns that the server takes away (`tests/facts/providers.md` section 1.2).

use holdover_profile::provider::engine::Carried;
use holdover_wire::Object;
use holdover_wire::neutral::{History, Role};
use serde_json::Value;

/// Name of the edit.
pub(crate) const EDIT: &str = "clear_thinking_20251015";
/// Beta without which it is not looked at.
const BETA: &str = "context-management-2025-06-27";

/// What an edit took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Turns.
    pub turns: u32,
    /// Tokens of their reasoning.
    pub tokens: u64,
}

/// How many of the latest turns with reasoning stay, where the request says so.
pub(crate) fn kept_turns(body: &Object, betas: &[String]) -> Option<usize> {
    if !betas.iter().any(|beta| beta == BETA) {
        return None;
    }
    let edits = body.get("context_management")?.get("edits")?.as_array()?;
    let mut edits = edits.iter();
    let edit = edits.find(|edit| edit.get("type").and_then(Value::as_str) == Some(EDIT))?;
    let value = edit.pointer("/keep/value").and_then(Value::as_u64);
    Some(value.map_or(usize::MAX, |value| usize::try_from(value).unwrap_or(usize::MAX)))
}

/// First message whose reasoning stays, and how many turns lose theirs.
pub(crate) fn first_kept(history: &History, carried: &[&Carried<'_>], kept: usize) -> (usize, u32) {
    let begins: Vec<usize> = history
        .messages
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| message.at)
        .collect();
    let turn_of = |message: usize| begins.iter().filter(|begin| **begin < message).count();
    let mut turns: Vec<usize> = carried.iter().map(|carried| turn_of(carried.message)).collect();
    turns.dedup();
    let gone = turns.len().saturating_sub(kept);
    let first = match turns.get(gone) {
        Some(turn) => turn.checked_sub(1).and_then(|turn| begins.get(turn)),
        None => return (usize::MAX, u32::try_from(gone).unwrap_or(u32::MAX)),
    };
    let first = first.copied().unwrap_or(0);
    (first, u32::try_from(gone).unwrap_or(u32::MAX))
}
