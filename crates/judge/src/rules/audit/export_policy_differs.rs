//! `export-policy-differs`: a dump was made under another policy than production.

use crate::audit::{Records, differ, draft};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "export-policy-differs", class: Audit, severity: Error,
    summary: "an eval or export dump was made under another id policy than the run",
    what: "The record's `export_policy` is not its `reasoning_item_id_policy`.",
    why: "The dump shows other inputs than production sends, and may hold ids that production strips. It has to be frozen until it is made again.",
    fix: "make the dump from what was sent, under the policy of the run",
    clients: {},
}

/// The first record whose dump was made under another policy.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    let first = records.first(|record| differ(record.export_policy, record.reasoning_item_id_policy))?;
    let (dump, run) = (
        first.record().export_policy?,
        first.record().reasoning_item_id_policy?,
    );
    let message = format!(
        "{} has a dump made under `{}` while the run's policy is `{}`: it shows other inputs than production sends",
        first.label(),
        dump.as_str(),
        run.as_str()
    );
    Some(
        draft(&RULE, first, message)
            .sent(dump.as_str())
            .expected(run.as_str()),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::Talk;

    fn audited(policy: &str, export: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.audit(json!({"reasoning_item_id_policy": policy, "ids_present": policy != "omit", "export_policy": export}));
        talk.found()
    }

    #[test]
    fn another_policy_is_an_error() {
        assert_eq!(audited("omit", "preserve"), ["export-policy-differs:error"]);
    }

    #[test]
    fn the_same_policy_is_clean() {
        assert_eq!(audited("preserve", "preserve"), Vec::<String>::new());
    }

    #[test]
    fn none_and_preserve_do_the_same() {
        assert_eq!(audited("none", "preserve"), Vec::<String>::new());
    }
}
