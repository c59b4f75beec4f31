//! The reasoning items are not as they should be.

use crate::card::FaultCard;

mod reasoning_interrupted;
mod reasoning_only;
mod reasoning_only_incomplete;
mod reasoning_twice;
mod reasoning_twice_refused;
mod summary_empty;
mod summary_two_parts;
mod token_absent;
mod token_after_message;
mod token_empty;
mod token_null;
mod token_only_in_terminal;
mod token_only_on_added;
mod token_only_on_done;

/// All of them, in the order of lists.
pub(crate) static ALL: &[&FaultCard] = &[
    &token_only_on_added::CARD,
    &token_only_on_done::CARD,
    &token_only_in_terminal::CARD,
    &token_absent::CARD,
    &token_empty::CARD,
    &token_null::CARD,
    &token_after_message::CARD,
    &summary_empty::CARD,
    &summary_two_parts::CARD,
    &reasoning_twice::CARD,
    &reasoning_twice_refused::CARD,
    &reasoning_only::CARD,
    &reasoning_only_incomplete::CARD,
    &reasoning_interrupted::CARD,
];
