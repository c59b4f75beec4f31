//! Anchors, state modes, and what a request must repeat.

pub(crate) mod branch_overwritten;
pub(crate) mod compaction_every_turn;
pub(crate) mod concurrent_turn;
pub(crate) mod double_send;
pub(crate) mod instructions_not_resent;
pub(crate) mod retrieve_of_unstored;
pub(crate) mod stale_anchor;
pub(crate) mod state_modes_mixed;
pub(crate) mod tools_not_resent;
