//! A request against the answers before it: ends of streams, refusals, retries.

pub(crate) mod not_retryable_retried;
pub(crate) mod poisoned_history_resent;
pub(crate) mod recovery_blind;
pub(crate) mod retry_after_ignored;
pub(crate) mod terminal_misread;
