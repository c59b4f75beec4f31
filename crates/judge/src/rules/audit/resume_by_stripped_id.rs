//! `resume-by-stripped-id`: a run is resumed by an id that the policy strips.

use holdover_wire::audit::ResumeKey;

use crate::audit::{Records, draft, strips_ids};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "resume-by-stripped-id", class: Audit, severity: Error,
    summary: "under `omit` a run is resumed by a reasoning id",
    what: "The record says that reasoning ids are stripped, and that the run is resumed by a reasoning id.",
    why: "The id is not in the history any more: the resume finds nothing, without an error.",
    fix: "resume by a serialized RunState, else by a business key",
    clients: {
        AgentsPython: "`RunState.from_json(...)`; under `omit` the session store itself has no reasoning ids",
    },
}

/// The first record that resumes by a stripped id.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    let first = records
        .first(|record| strips_ids(record) && record.resume_key_type == Some(ResumeKey::ReasoningId))?;
    let message = format!(
        "{} resumes by a reasoning id under `omit`: the id is not in the history any more, and the resume finds nothing",
        first.label()
    );
    let found = draft(&RULE, first, message);
    Some(
        found
            .sent("`resume_key_type`: reasoning_id")
            .expected("run_state or business_key"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::Talk;

    fn audited(policy: &str, key: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.audit(json!({"reasoning_item_id_policy": policy, "ids_present": policy != "omit", "resume_key_type": key}));
        talk.found()
    }

    #[test]
    fn a_reasoning_id_under_omit_is_an_error() {
        assert_eq!(audited("omit", "reasoning_id"), ["resume-by-stripped-id:error"]);
    }

    #[test]
    fn a_run_state_under_omit_is_clean() {
        assert_eq!(audited("omit", "run_state"), Vec::<String>::new());
    }

    #[test]
    fn a_reasoning_id_under_preserve_is_clean() {
        assert_eq!(audited("preserve", "reasoning_id"), Vec::<String>::new());
    }
}
