//! The slips, one file each: this listing is the catalogue. A file holds its card (what it is, where it can exist,
//! what an outsider sees), the wrong form, and a test that compares it with the right one.

pub(crate) mod anchor_kept;
pub(crate) mod broken_reasoning_kept;
pub(crate) mod cut_answer_kept;
pub(crate) mod dedupe_by_id;
pub(crate) mod event_appended_twice;
pub(crate) mod export_under_other_policy;
pub(crate) mod first_output_only;
pub(crate) mod half_strip;
pub(crate) mod id_as_cache_key;
pub(crate) mod id_of_added;
pub(crate) mod id_type_changed;
pub(crate) mod include_forgotten;
pub(crate) mod instructions_once;
pub(crate) mod log_input_fragment;
pub(crate) mod log_whole_response;
pub(crate) mod mixed_modes;
pub(crate) mod policy_as_content_switch;
pub(crate) mod policy_changed_after_compaction;
pub(crate) mod policy_not_recorded;
pub(crate) mod refusal_not_repaired;
pub(crate) mod refusal_retried;
pub(crate) mod repair_misses;
pub(crate) mod resume_by_reasoning_id;
pub(crate) mod retry_at_once;
pub(crate) mod role_and_text_record;
pub(crate) mod stream_last_update_lost;
pub(crate) mod stream_text_only;
pub(crate) mod text_only_append;
pub(crate) mod token_re_encoded;
pub(crate) mod token_truncated;
pub(crate) mod trim_splits_pair;
pub(crate) mod unknown_item_dropped;
