//! Audit records, alone and against the wire. These rules run at the end of a session.

pub(crate) mod compaction_policy_changed;
pub(crate) mod dedupe_by_stripped_id;
pub(crate) mod export_policy_differs;
pub(crate) mod handover_unchecked;
pub(crate) mod no_policy_snapshot;
pub(crate) mod policy_snapshot_wrong;
pub(crate) mod policy_used_as_content_switch;
pub(crate) mod resume_by_stripped_id;
pub(crate) mod resume_key_forbidden;
