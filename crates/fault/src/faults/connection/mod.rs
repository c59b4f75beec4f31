//! The connection ends.

use crate::card::FaultCard;

mod close_before_headers;
mod cut;
mod cut_after_done;
mod cut_mid_character;
mod cut_mid_event;
mod half_close;
mod reset;
mod reset_before_headers;
mod ws_close;

/// All of them, in the order of lists.
pub(crate) static ALL: &[&FaultCard] = &[
    &close_before_headers::CARD,
    &reset_before_headers::CARD,
    &cut::CARD,
    &reset::CARD,
    &half_close::CARD,
    &cut_after_done::CARD,
    &cut_mid_event::CARD,
    &cut_mid_character::CARD,
    &ws_close::CARD,
];
