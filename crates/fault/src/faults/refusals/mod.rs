//! The request is refused.

use crate::card::FaultCard;

mod context_length;
mod key_rotated;
mod model_gone;
mod overloaded;
mod quota;
mod rate_limit;
mod rate_limit_ms;
mod rate_limit_text;
mod refuse;
mod request_timeout;
mod server_error;
mod server_error_empty;
mod server_error_html;
mod should_retry;
mod too_large;

/// All of them, in the order of lists.
pub(crate) static ALL: &[&FaultCard] = &[
    &refuse::CARD,
    &rate_limit::CARD,
    &rate_limit_ms::CARD,
    &rate_limit_text::CARD,
    &quota::CARD,
    &overloaded::CARD,
    &server_error::CARD,
    &server_error_html::CARD,
    &server_error_empty::CARD,
    &should_retry::CARD,
    &request_timeout::CARD,
    &too_large::CARD,
    &context_length::CARD,
    &key_rotated::CARD,
    &model_gone::CARD,
];
