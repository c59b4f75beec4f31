//! What the server keeps, or who asks, has changed.

use crate::card::FaultCard;

mod account_changed;
mod chain_expired;
mod compaction_undecodable;
mod conversation_locked;
mod error_renamed;
mod key_changed;
mod model_changed;
mod not_visible;
mod other_backend;
mod region_changed;
mod verify_fail;
mod zdr_chain;

/// All of them, in the order of lists.
pub(crate) static ALL: &[&FaultCard] = &[
    &not_visible::CARD,
    &other_backend::CARD,
    &chain_expired::CARD,
    &zdr_chain::CARD,
    &verify_fail::CARD,
    &key_changed::CARD,
    &account_changed::CARD,
    &region_changed::CARD,
    &model_changed::CARD,
    &conversation_locked::CARD,
    &compaction_undecodable::CARD,
    &error_renamed::CARD,
];
