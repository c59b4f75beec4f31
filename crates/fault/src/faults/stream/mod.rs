//! The stream says something else.

use crate::card::FaultCard;

mod comment;
mod completed_empty;
mod content_type;
mod crlf;
mod data_lines;
mod data_only;
mod done_early;
mod error_after_text;
mod error_chat;
mod error_flat;
mod error_nested;
mod event_dropped;
mod event_duplicated;
mod event_swapped;
mod event_unknown;
mod failed;
mod failed_without_error;
mod gzip;
mod ids_differ;
pub(crate) mod incomplete;
mod item_unknown;
mod keepalive_event;
mod no_terminal;
mod sequence_gap;

/// All of them, in the order of lists.
pub(crate) static ALL: &[&FaultCard] = &[
    &event_dropped::CARD,
    &event_duplicated::CARD,
    &event_swapped::CARD,
    &event_unknown::CARD,
    &item_unknown::CARD,
    &comment::CARD,
    &keepalive_event::CARD,
    &crlf::CARD,
    &data_lines::CARD,
    &data_only::CARD,
    &gzip::CARD,
    &content_type::CARD,
    &no_terminal::CARD,
    &done_early::CARD,
    &failed::CARD,
    &failed_without_error::CARD,
    &error_nested::CARD,
    &error_flat::CARD,
    &error_chat::CARD,
    &error_after_text::CARD,
    &completed_empty::CARD,
    &incomplete::CARD,
    &ids_differ::CARD,
    &sequence_gap::CARD,
];
