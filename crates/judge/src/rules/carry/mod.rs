//! Reasoning and its followers from turn to turn.

pub(crate) mod compaction_altered;
pub(crate) mod encrypted_content_altered;
pub(crate) mod encrypted_content_missing;
pub(crate) mod foreign_token;
pub(crate) mod half_stripped_group;
pub(crate) mod history_absent;
pub(crate) mod history_beside_compaction;
pub(crate) mod issued_member_altered;
pub(crate) mod item_dropped;
pub(crate) mod late_part_dropped;
pub(crate) mod merged_reasoning;
pub(crate) mod order_broken;
pub(crate) mod orphan_follower;
pub(crate) mod orphan_reasoning;
pub(crate) mod partial_reasoning_kept;
pub(crate) mod phase_lost;
pub(crate) mod reasoning_dropped;
pub(crate) mod reasoning_id_lost;
pub(crate) mod replay_duplicate;
pub(crate) mod summary_altered;
pub(crate) mod text_only_rebuild;
