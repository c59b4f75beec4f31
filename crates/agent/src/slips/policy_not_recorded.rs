//! The audit record has no policy snapshot.

use holdover_wire::AuditRecord;

use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "writes audit records without the policy",
    stage: Stage::Export,
    seen: "an audit record has no reasoning_item_id_policy",
    needs: "any client",
    exists: |_| true,
};

pub(crate) fn apply(mut record: AuditRecord) -> AuditRecord {
    record.reasoning_item_id_policy = None;
    record
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{play, stateless, talk_turns};

    #[test]
    fn only_the_policy_is_missing() {
        let mut right = stateless(|_| {});
        let mut slipped = stateless(|config| config.slips = vec![Slip::PolicyNotRecorded]);
        let (right_bodies, _) = play(&mut right, &talk_turns());
        let (bodies, _) = play(&mut slipped, &talk_turns());
        assert_eq!(bodies, right_bodies);
        let mut expected = right.take_audit();
        for record in &mut expected {
            assert!(record.reasoning_item_id_policy.take().is_some());
        }
        assert_eq!(slipped.take_audit(), expected);
    }
}
