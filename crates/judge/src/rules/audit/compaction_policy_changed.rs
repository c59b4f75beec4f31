//! `compaction-policy-changed`: a compaction snapshot is used under another policy.

use crate::audit::{Records, differ, draft};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "compaction-policy-changed", class: Audit, severity: Error,
    summary: "a compaction snapshot made under one id policy is replayed under another",
    what: "The record's policy is not the one its compaction snapshot was made under.",
    why: "The snapshot was bound to its policy. Under another one it is a new audit generation: ids that were stripped may come back, or the other way round.",
    fix: "compact again under the new policy, or go on under the old one, and record the change as a new generation",
    clients: {
        AgentsPython: "`OpenAIResponsesCompactionSession` matches stored items by digests made under one policy: set the policy before the first run and keep it",
    },
}

/// The first record whose snapshot was made under another policy.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    let first = records.first(|record| differ(record.compaction_policy, record.reasoning_item_id_policy))?;
    let (before, now) = (
        first.record().compaction_policy?,
        first.record().reasoning_item_id_policy?,
    );
    let message = format!(
        "{} replays a compaction snapshot made under `{}` while the policy is `{}`: ids that were stripped may come back, or the other way round",
        first.label(),
        before.as_str(),
        now.as_str()
    );
    Some(
        draft(&RULE, first, message)
            .sent(now.as_str())
            .expected(before.as_str()),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::Talk;

    fn audited(policy: &str, compaction: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.audit(json!({"reasoning_item_id_policy": policy, "ids_present": policy != "omit", "compaction_policy": compaction}));
        talk.found()
    }

    #[test]
    fn another_policy_is_an_error() {
        assert_eq!(audited("omit", "preserve"), ["compaction-policy-changed:error"]);
    }

    #[test]
    fn the_same_policy_is_clean() {
        assert_eq!(audited("omit", "omit"), Vec::<String>::new());
    }

    #[test]
    fn none_and_preserve_do_the_same() {
        assert_eq!(audited("preserve", "none"), Vec::<String>::new());
    }
}
