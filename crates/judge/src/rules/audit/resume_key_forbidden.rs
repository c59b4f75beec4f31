//! `resume-key-forbidden`: a reasoning id as resume key where it may not be one.

use holdover_wire::audit::{Exported, IdPolicy, ResumeKey};

use crate::audit::{Records, draft};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "resume-key-forbidden", class: Audit, severity: Error,
    summary: "a reasoning id is the resume key without `preserve`, or with raw exports",
    what: "The record resumes by a reasoning id although `preserve` is not set on purpose, or although the same fragment was exported raw.",
    why: "A resume key opens a conversation. A reasoning id may be one only under an explicit `preserve`, inside one tenant, with exports closed or redacted.",
    fix: "resume by a serialized RunState, else by a business key; else set `preserve` and redact exports",
    clients: {},
}

/// The first record whose resume key is not allowed.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    let by_id = |record: &holdover_wire::AuditRecord| record.resume_key_type == Some(ResumeKey::ReasoningId);
    let first = records.first(|record| {
        let policy = record.reasoning_item_id_policy;
        let is_raw = record.exported == Some(Exported::Raw);
        by_id(record) && (policy == Some(IdPolicy::None) || (policy == Some(IdPolicy::Preserve) && is_raw))
    })?;
    let message = format!(
        "{} resumes by a reasoning id, which needs `preserve` set on purpose and exports closed or redacted: the key opens the conversation",
        first.label()
    );
    Some(
        draft(&RULE, first, message)
            .sent("`resume_key_type`: reasoning_id")
            .expected("run_state or business_key"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::Talk;

    fn audited(policy: &str, exported: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.audit(json!({"reasoning_item_id_policy": policy, "ids_present": true, "resume_key_type": "reasoning_id", "exported": exported}));
        talk.found()
    }

    #[test]
    fn the_default_policy_is_not_enough() {
        assert_eq!(audited("none", "no"), ["resume-key-forbidden:error"]);
    }

    #[test]
    fn a_raw_export_rules_it_out() {
        assert_eq!(audited("preserve", "raw"), ["resume-key-forbidden:error"]);
    }

    #[test]
    fn preserve_with_redacted_exports_is_clean() {
        assert_eq!(audited("preserve", "redacted"), Vec::<String>::new());
    }
}
