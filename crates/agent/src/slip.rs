//! A slip: one planted mistake in one stage. The catalogue is the folder `slips`, one file for each.

use crate::config::{AgentConfig, words};
use crate::slips;

words! {
    /// A stage of the pipeline, in the order in which a turn passes them.
    Stage {
        /// Bytes to an answer.
        Receive = "receive",
        /// What to do where there is none.
        Recover = "recover",
        /// An answer to what the client keeps.
        Coalesce = "coalesce",
        /// Into the history.
        Append = "append",
        /// Into the store and back.
        Persist = "persist",
        /// The reasoning item id policy.
        Policy = "policy",
        /// The session callback.
        Callback = "callback",
        /// Limits, pairs and duplicates.
        Trim = "trim",
        /// History to a request body.
        Build = "build",
        /// A body to a call.
        Send = "send",
        /// Logs, dumps and audit records.
        Export = "export",
        /// The client in a new process.
        Resume = "resume",
    }
}

words! {
    /// A planted mistake.
    Slip {
        /// See `slips/text_only_append.rs`.
        TextOnlyAppend = "text-only-append",
        /// See `slips/first_output_only.rs`.
        FirstOutputOnly = "first-output-only",
        /// See `slips/unknown_item_dropped.rs`.
        UnknownItemDropped = "unknown-item-dropped",
        /// See `slips/stream_text_only.rs`.
        StreamTextOnly = "stream-text-only",
        /// See `slips/stream_last_update_lost.rs`.
        StreamLastUpdateLost = "stream-last-update-lost",
        /// See `slips/role_and_text_record.rs`.
        RoleAndTextRecord = "role-and-text-record",
        /// See `slips/id_type_changed.rs`.
        IdTypeChanged = "id-type-changed",
        /// See `slips/token_truncated.rs`.
        TokenTruncated = "token-truncated",
        /// See `slips/token_re_encoded.rs`.
        TokenReEncoded = "token-re-encoded",
        /// See `slips/log_whole_response.rs`.
        LogWholeResponse = "log-whole-response",
        /// See `slips/log_input_fragment.rs`.
        LogInputFragment = "log-input-fragment",
        /// See `slips/resume_by_reasoning_id.rs`.
        ResumeByReasoningId = "resume-by-reasoning-id",
        /// See `slips/policy_not_recorded.rs`.
        PolicyNotRecorded = "policy-not-recorded",
        /// See `slips/dedupe_by_id.rs`.
        DedupeById = "dedupe-by-id",
        /// See `slips/instructions_once.rs`.
        InstructionsOnce = "instructions-once",
        /// See `slips/include_forgotten.rs`.
        IncludeForgotten = "include-forgotten",
        /// See `slips/mixed_modes.rs`.
        MixedModes = "mixed-modes",
        /// See `slips/trim_splits_pair.rs`.
        TrimSplitsPair = "trim-splits-pair",
        /// See `slips/half_strip.rs`.
        HalfStrip = "half-strip",
        /// See `slips/policy_changed_after_compaction.rs`.
        PolicyChangedAfterCompaction = "policy-changed-after-compaction",
        /// See `slips/export_under_other_policy.rs`.
        ExportUnderOtherPolicy = "export-under-other-policy",
        /// See `slips/policy_as_content_switch.rs`.
        PolicyAsContentSwitch = "policy-as-content-switch",
        /// See `slips/refusal_retried.rs`.
        RefusalRetried = "refusal-retried",
        /// See `slips/retry_at_once.rs`.
        RetryAtOnce = "retry-at-once",
        /// See `slips/refusal_not_repaired.rs`.
        RefusalNotRepaired = "refusal-not-repaired",
        /// See `slips/repair_misses.rs`.
        RepairMisses = "repair-misses",
        /// See `slips/anchor_kept.rs`.
        AnchorKept = "anchor-kept",
        /// See `slips/cut_answer_kept.rs`.
        CutAnswerKept = "cut-answer-kept",
        /// See `slips/broken_reasoning_kept.rs`.
        BrokenReasoningKept = "broken-reasoning-kept",
        /// See `slips/event_appended_twice.rs`.
        EventAppendedTwice = "event-appended-twice",
        /// See `slips/id_of_added.rs`.
        IdOfAdded = "id-of-added",
        /// See `slips/id_as_cache_key.rs`.
        IdAsCacheKey = "id-as-cache-key",
        /// See `slips/retrieve_after_store_false.rs`.
        RetrieveAfterStoreFalse = "retrieve-after-store-false",
        /// See `slips/blind_trim.rs`.
        BlindTrim = "blind-trim",
        /// See `slips/compaction_item_parsed.rs`.
        CompactionItemParsed = "compaction-item-parsed",
        /// See `slips/compact_every_turn.rs`.
        CompactEveryTurn = "compact-every-turn",
        /// See `slips/latest_overwritten.rs`.
        LatestOverwritten = "latest-overwritten",
        /// See `slips/foreign_reasoning_sent.rs`.
        ForeignReasoningSent = "foreign-reasoning-sent",
    }
}

/// What a slip's file says about it.
pub(crate) struct Card {
    /// The mistake in one sentence.
    pub(crate) about: &'static str,
    /// The stage it sits in.
    pub(crate) stage: Stage,
    /// What somebody sees who has only the requests, responses, exports and audit records.
    pub(crate) seen: &'static str,
    /// Where it can exist, in words.
    pub(crate) needs: &'static str,
    /// Where it can exist.
    pub(crate) exists: fn(&AgentConfig) -> bool,
}

impl Slip {
    /// All slips, in the order of the documents.
    pub fn all() -> &'static [Self] {
        Self::ALL
    }

    /// Its name in scenario files.
    pub fn name(self) -> &'static str {
        self.as_str()
    }

    /// The mistake in one sentence.
    pub fn about(self) -> &'static str {
        self.card().about
    }

    /// The stage it sits in.
    pub fn stage(self) -> Stage {
        self.card().stage
    }

    /// What an outsider sees of it.
    pub fn seen(self) -> &'static str {
        self.card().seen
    }

    /// Where it can exist, in words.
    pub fn needs(self) -> &'static str {
        self.card().needs
    }

    /// Whether the mistake can be made by this client (preset, state mode, store, transport, policy), which must be
    /// right but for it.
    pub fn exists_in(self, config: &AgentConfig) -> bool {
        let speaks = config.elsewhere().is_none() || self.speaks_each_wire();
        speaks && config.keeps_groups_whole() && (self.card().exists)(config)
    }

    /// Whether it is made of items alone: what looks at events, anchors or members of the Responses API is not.
    fn speaks_each_wire(self) -> bool {
        matches!(
            self,
            Self::TextOnlyAppend
                | Self::FirstOutputOnly
                | Self::RoleAndTextRecord
                | Self::TokenTruncated
                | Self::TokenReEncoded
                | Self::InstructionsOnce
                | Self::ForeignReasoningSent
        )
    }

    fn card(self) -> &'static Card {
        match self {
            Self::TextOnlyAppend => &slips::text_only_append::CARD,
            Self::FirstOutputOnly => &slips::first_output_only::CARD,
            Self::UnknownItemDropped => &slips::unknown_item_dropped::CARD,
            Self::StreamTextOnly => &slips::stream_text_only::CARD,
            Self::StreamLastUpdateLost => &slips::stream_last_update_lost::CARD,
            Self::RoleAndTextRecord => &slips::role_and_text_record::CARD,
            Self::IdTypeChanged => &slips::id_type_changed::CARD,
            Self::TokenTruncated => &slips::token_truncated::CARD,
            Self::TokenReEncoded => &slips::token_re_encoded::CARD,
            Self::LogWholeResponse => &slips::log_whole_response::CARD,
            Self::LogInputFragment => &slips::log_input_fragment::CARD,
            Self::ResumeByReasoningId => &slips::resume_by_reasoning_id::CARD,
            Self::PolicyNotRecorded => &slips::policy_not_recorded::CARD,
            Self::DedupeById => &slips::dedupe_by_id::CARD,
            Self::InstructionsOnce => &slips::instructions_once::CARD,
            Self::IncludeForgotten => &slips::include_forgotten::CARD,
            Self::MixedModes => &slips::mixed_modes::CARD,
            Self::TrimSplitsPair => &slips::trim_splits_pair::CARD,
            Self::HalfStrip => &slips::half_strip::CARD,
            Self::PolicyChangedAfterCompaction => &slips::policy_changed_after_compaction::CARD,
            Self::ExportUnderOtherPolicy => &slips::export_under_other_policy::CARD,
            Self::PolicyAsContentSwitch => &slips::policy_as_content_switch::CARD,
            Self::RefusalRetried => &slips::refusal_retried::CARD,
            Self::RetryAtOnce => &slips::retry_at_once::CARD,
            Self::RefusalNotRepaired => &slips::refusal_not_repaired::CARD,
            Self::RepairMisses => &slips::repair_misses::CARD,
            Self::AnchorKept => &slips::anchor_kept::CARD,
            Self::CutAnswerKept => &slips::cut_answer_kept::CARD,
            Self::BrokenReasoningKept => &slips::broken_reasoning_kept::CARD,
            Self::EventAppendedTwice => &slips::event_appended_twice::CARD,
            Self::IdOfAdded => &slips::id_of_added::CARD,
            Self::IdAsCacheKey => &slips::id_as_cache_key::CARD,
            Self::RetrieveAfterStoreFalse => &slips::retrieve_after_store_false::CARD,
            Self::BlindTrim => &slips::blind_trim::CARD,
            Self::CompactionItemParsed => &slips::compaction_item_parsed::CARD,
            Self::CompactEveryTurn => &slips::compact_every_turn::CARD,
            Self::LatestOverwritten => &slips::latest_overwritten::CARD,
            Self::ForeignReasoningSent => &slips::foreign_reasoning_sent::CARD,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_every_slip_has_its_file() {
        for slip in Slip::all() {
            assert_eq!(Slip::parse(slip.name()), Some(*slip));
            let file = format!(
                "{}/src/slips/{}.rs",
                env!("CARGO_MANIFEST_DIR"),
                slip.name().replace('-', "_")
            );
            assert!(std::path::Path::new(&file).is_file(), "{file}");
            assert!(!slip.about().is_empty() && !slip.seen().is_empty() && !slip.needs().is_empty());
        }
        assert_eq!(Slip::parse("text_only_append"), None);
    }

    #[test]
    fn the_folder_is_the_catalogue() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/slips");
        let files = std::fs::read_dir(folder).expect("slips").count();
        // Every slip's file, and the map.
        assert_eq!(files, Slip::all().len() + 1);
    }
}
