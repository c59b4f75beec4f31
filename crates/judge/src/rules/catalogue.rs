//! The list of all rules, their checks, and their precedence.

use super::{Rule, audit, carry, leak, provider, shape, state, tools, transport};
use crate::audit::Records;
use crate::draft::Draft;
use crate::exports::Spilt;
use crate::provider::Sent;
use crate::sighting::Sighting;
use crate::turn::Turn;

/// All rules, class by class in the order of `docs/architecture.md`.
static ALL: [&Rule; 66] = [
    &carry::history_absent::RULE,
    &carry::reasoning_dropped::RULE,
    &carry::text_only_rebuild::RULE,
    &carry::late_part_dropped::RULE,
    &carry::encrypted_content_missing::RULE,
    &carry::encrypted_content_altered::RULE,
    &carry::foreign_token::RULE,
    &carry::half_stripped_group::RULE,
    &carry::orphan_reasoning::RULE,
    &carry::orphan_follower::RULE,
    &carry::partial_reasoning_kept::RULE,
    &carry::reasoning_id_lost::RULE,
    &carry::item_dropped::RULE,
    &carry::replay_duplicate::RULE,
    &carry::merged_reasoning::RULE,
    &carry::summary_altered::RULE,
    &carry::phase_lost::RULE,
    &carry::order_broken::RULE,
    &carry::compaction_altered::RULE,
    &carry::issued_member_altered::RULE,
    &carry::history_beside_compaction::RULE,
    &leak::id_in_export::RULE,
    &leak::protected_data_in_export::RULE,
    &leak::reasoning_text_in_export::RULE,
    &leak::credential_in_export::RULE,
    &leak::reasoning_as_visible_text::RULE,
    &leak::protected_data_as_text::RULE,
    &leak::id_in_foreign_field::RULE,
    &tools::call_without_output::RULE,
    &tools::output_without_call::RULE,
    &tools::output_reassociated::RULE,
    &tools::call_id_altered::RULE,
    &tools::call_fabricated::RULE,
    &state::state_modes_mixed::RULE,
    &state::double_send::RULE,
    &state::retrieve_of_unstored::RULE,
    &state::stale_anchor::RULE,
    &state::instructions_not_resent::RULE,
    &state::tools_not_resent::RULE,
    &state::concurrent_turn::RULE,
    &state::branch_overwritten::RULE,
    &state::compaction_every_turn::RULE,
    &audit::no_policy_snapshot::RULE,
    &audit::policy_snapshot_wrong::RULE,
    &audit::resume_by_stripped_id::RULE,
    &audit::dedupe_by_stripped_id::RULE,
    &audit::resume_key_forbidden::RULE,
    &audit::compaction_policy_changed::RULE,
    &audit::export_policy_differs::RULE,
    &audit::policy_used_as_content_switch::RULE,
    &audit::handover_unchecked::RULE,
    &shape::unknown_field_sent::RULE,
    &shape::required_field_missing::RULE,
    &shape::id_grammar::RULE,
    &shape::null_id::RULE,
    &transport::terminal_misread::RULE,
    &transport::poisoned_history_resent::RULE,
    &transport::retry_after_ignored::RULE,
    &transport::not_retryable_retried::RULE,
    &transport::recovery_blind::RULE,
    &provider::signature_altered::RULE,
    &provider::required_reasoning_missing::RULE,
    &provider::forbidden_reasoning_sent::RULE,
    &provider::adjacency_broken::RULE,
    &provider::prefix_not_byte_stable::RULE,
    &provider::reasoning_of_another_provider::RULE,
];

/// Rules that can fire on the same loss, the most specific first; of equal severity the first one is told.
static PRECEDENCE: [&Rule; 27] = [
    &carry::partial_reasoning_kept::RULE,
    &carry::merged_reasoning::RULE,
    &carry::foreign_token::RULE,
    &carry::encrypted_content_altered::RULE,
    &carry::late_part_dropped::RULE,
    &carry::encrypted_content_missing::RULE,
    &carry::text_only_rebuild::RULE,
    &carry::orphan_reasoning::RULE,
    &carry::item_dropped::RULE,
    &carry::orphan_follower::RULE,
    &carry::reasoning_dropped::RULE,
    &carry::history_absent::RULE,
    &carry::replay_duplicate::RULE,
    &tools::call_id_altered::RULE,
    &tools::output_without_call::RULE,
    &tools::call_without_output::RULE,
    &carry::reasoning_id_lost::RULE,
    &carry::half_stripped_group::RULE,
    &carry::order_broken::RULE,
    &carry::summary_altered::RULE,
    &carry::phase_lost::RULE,
    &carry::issued_member_altered::RULE,
    &carry::compaction_altered::RULE,
    &leak::protected_data_in_export::RULE,
    &leak::reasoning_text_in_export::RULE,
    &leak::id_in_export::RULE,
    &leak::credential_in_export::RULE,
];

/// Checks of one group in one request.
pub(crate) static GROUP_CHECKS: [fn(&Sighting<'_>) -> Option<Draft>; 18] = [
    carry::partial_reasoning_kept::check,
    carry::merged_reasoning::check,
    carry::foreign_token::check,
    carry::encrypted_content_altered::check,
    carry::late_part_dropped::check,
    carry::text_only_rebuild::check,
    carry::encrypted_content_missing::check,
    carry::orphan_reasoning::check,
    carry::item_dropped::check,
    carry::orphan_follower::check,
    carry::reasoning_dropped::check,
    carry::replay_duplicate::check,
    carry::reasoning_id_lost::check,
    carry::half_stripped_group::check,
    carry::order_broken::check,
    carry::summary_altered::check,
    carry::phase_lost::check,
    carry::issued_member_altered::check,
];

/// Checks of one request.
pub(crate) static TURN_CHECKS: [fn(&Turn<'_>) -> Vec<Draft>; 29] = [
    provider::reasoning_of_another_provider::to_responses,
    carry::compaction_altered::check,
    carry::encrypted_content_altered::strangers,
    carry::history_beside_compaction::check,
    leak::reasoning_as_visible_text::check,
    leak::protected_data_as_text::check,
    leak::id_in_foreign_field::check,
    tools::call_without_output::check,
    tools::output_without_call::check,
    tools::output_reassociated::check,
    tools::call_id_altered::check,
    tools::call_fabricated::check,
    state::state_modes_mixed::check,
    state::double_send::check,
    state::stale_anchor::check,
    state::instructions_not_resent::check,
    state::tools_not_resent::check,
    state::concurrent_turn::check,
    state::branch_overwritten::check,
    state::compaction_every_turn::check,
    shape::unknown_field_sent::check,
    shape::required_field_missing::check,
    shape::id_grammar::check,
    shape::null_id::check,
    transport::terminal_misread::check,
    transport::poisoned_history_resent::check,
    transport::retry_after_ignored::check,
    transport::not_retryable_retried::check,
    transport::recovery_blind::check,
];

/// Checks of one request on the wire of another provider.
pub(crate) static PROVIDER_CHECKS: [fn(&Sent<'_>) -> Vec<Draft>; 7] = [
    provider::signature_altered::check,
    provider::required_reasoning_missing::check,
    provider::forbidden_reasoning_sent::check,
    provider::adjacency_broken::check,
    provider::prefix_not_byte_stable::check,
    provider::reasoning_of_another_provider::check,
    tools::call_fabricated::on_other_wires,
];

/// Checks of one export.
pub(crate) static EXPORT_CHECKS: [fn(&Spilt<'_>) -> Vec<Draft>; 4] = [
    leak::protected_data_in_export::check,
    leak::reasoning_text_in_export::check,
    leak::id_in_export::check,
    leak::credential_in_export::check,
];

/// Checks of all audit records.
pub(crate) static AUDIT_CHECKS: [fn(&Records<'_>) -> Option<Draft>; 8] = [
    audit::no_policy_snapshot::check,
    audit::policy_snapshot_wrong::check,
    audit::resume_by_stripped_id::check,
    audit::dedupe_by_stripped_id::check,
    audit::resume_key_forbidden::check,
    audit::compaction_policy_changed::check,
    audit::export_policy_differs::check,
    audit::handover_unchecked::check,
];

/// All rules, class by class in the order of `docs/architecture.md`.
pub fn all() -> &'static [&'static Rule] {
    &ALL
}

/// The rule of this name.
pub fn find(name: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|rule| rule.name == name)
}

/// Place of a rule in the declared precedence; rules outside it come last.
pub(crate) fn rank(rule: &Rule) -> usize {
    PRECEDENCE
        .iter()
        .position(|known| known.name == rule.name)
        .unwrap_or(PRECEDENCE.len())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const ARCHITECTURE: &str = include_str!("../../../../docs/architecture.md");

    /// Names in backticks of the list entry that begins with this word, up to the next entry.
    fn listed(class: &str) -> Vec<String> {
        let rules = ARCHITECTURE
            .split("## Rules of the judge")
            .nth(1)
            .expect("the section");
        let entry = rules.split(&format!("\n- {class}")).nth(1).expect("the entry");
        let entry = entry.split("\n- ").next().expect("an entry");
        let entry = entry.split("\n\n").next().expect("an entry");
        entry.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn the_catalogue_is_the_list_of_the_architecture() {
        for class in [
            "carry",
            "leak",
            "tools",
            "state",
            "audit",
            "shape",
            "transport",
            "provider",
        ] {
            let declared: Vec<&str> = all()
                .iter()
                .filter(|rule| rule.class.as_str() == class)
                .map(|rule| rule.name)
                .collect();
            let mut declared: Vec<String> = declared.into_iter().map(str::to_owned).collect();
            let mut expected = listed(class);
            declared.sort();
            expected.sort();
            assert_eq!(declared, expected, "{class}");
        }
    }

    #[test]
    fn pages_name_clients_as_findings_do() {
        for rule in all() {
            for (client, advice) in rule.clients {
                let line = format!("\n- {}: {advice}", client.label());
                assert!(rule.page.contains(&line), "{}: {line}", rule.name);
            }
        }
    }

    #[test]
    fn names_are_unique_kebab_case_and_have_pages() {
        let names: BTreeSet<&str> = all().iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), all().len());
        for rule in all() {
            assert!(
                rule.name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
                "{}",
                rule.name
            );
            for part in ["What happened\n", "\n\nWhy it matters\n", "\n\nFix\n"] {
                assert!(rule.page.contains(part), "{}", rule.name);
            }
        }
    }
}
