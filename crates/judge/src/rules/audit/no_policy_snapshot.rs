//! `no-policy-snapshot`: a run left no record of its id policy.

use crate::audit::{Records, draft};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "no-policy-snapshot", class: Audit, severity: Error,
    summary: "an audit record does not say which reasoning id policy was in force, or what it did",
    what: "The record has no `reasoning_item_id_policy`; or it has neither `ids_present` nor `frag_hash` though reasoning was sent.",
    why: "Whether ids were stripped cannot be told afterwards. Counting reasoning items shows nothing: `omit` strips the id and keeps the item.",
    fix: "write policy and `ids_present` (or `frag_hash`) into the record of every run, also when the policy is the default (`none`)",
    clients: {
        AgentsPython: "record `run_config.reasoning_item_id_policy` (`none` when it is not set) with every run; `RunState` carries it, a fresh run does not",
    },
}

/// Records without a policy, or without what it did.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    let without_policy = records.first(|record| record.reasoning_item_id_policy.is_none());
    if let Some(first) = without_policy {
        let message = format!(
            "{} has no `reasoning_item_id_policy`: which ids were sent cannot be audited",
            first.label()
        );
        return Some(
            draft(&RULE, first, message)
                .sent("no `reasoning_item_id_policy`")
                .expected("`reasoning_item_id_policy`: none, preserve or omit"),
        );
    }
    let silent =
        |record: &&holdover_wire::AuditRecord| record.ids_present.is_none() && record.frag_hash.is_none();
    if !records.reasoning_was_sent() || !records.all().iter().all(|record| silent(&record)) {
        return None;
    }
    let first = records.first(|_| true)?;
    let message = format!(
        "{} says neither `ids_present` nor `frag_hash`, though reasoning was sent",
        first.label()
    );
    Some(
        draft(&RULE, first, message)
            .sent("neither of them")
            .expected("`ids_present` or `frag_hash`"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, msg, rs, user};

    fn audited(record: Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
        talk.audit(record);
        talk.found()
    }

    #[test]
    fn a_record_without_policy_is_an_error() {
        assert_eq!(
            audited(json!({"run_id": "r1", "ids_present": true})),
            ["no-policy-snapshot:error"]
        );
    }

    #[test]
    fn a_policy_without_what_it_did_is_an_error() {
        assert_eq!(
            audited(json!({"run_id": "r1", "reasoning_item_id_policy": "none"})),
            ["no-policy-snapshot:error"]
        );
    }

    #[test]
    fn the_default_policy_written_down_is_clean() {
        assert_eq!(
            audited(json!({"reasoning_item_id_policy": "none", "ids_present": true})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn no_records_at_all_are_not_this_rule() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
