//! The answer comes late, slowly, or never.

use crate::card::FaultCard;

mod bandwidth;
mod first_byte;
mod jitter;
mod pause;
mod silence;
mod stall;
mod trickle;

/// All of them, in the order of lists.
pub(crate) static ALL: &[&FaultCard] = &[
    &first_byte::CARD,
    &pause::CARD,
    &jitter::CARD,
    &stall::CARD,
    &silence::CARD,
    &trickle::CARD,
    &bandwidth::CARD,
];
