//! Exchanges on the wires of other providers: what was issued, what a request brought back, and what its endpoint wants.
//!
//! These wires keep no state and have no ids of messages, so a message is told by its calls, its reasoning or its text.
//!
//! | module | what is there |
//! |---|---|
//! | [`elsewhere`] | what the Responses API may be brought, and moves from provider to provider |
//! | [`issued`] | what answers issued, and how a message of a request finds its answer |
//! | [`sent`] | one request, matched and held against its endpoint: what the rules look at |
//! | [`track`] | the books of a session |

pub(crate) mod elsewhere;
pub(crate) mod issued;
pub(crate) mod sent;
pub(crate) mod track;

pub(crate) use elsewhere::{Elsewhere, Handover};
pub(crate) use sent::Sent;
pub(crate) use track::Track;
