//! A dump is made under another policy than the live one.

use holdover_wire::audit::IdPolicy;

use crate::slip::{Card, Stage};
use crate::stages::policy::other;

pub(crate) const CARD: Card = Card {
    about: "makes the eval set under another policy than the live one",
    stage: Stage::Export,
    seen: "the audit record's export_policy is not its reasoning_item_id_policy",
    needs: "any client",
    exists: |_| true,
};

/// The policy of the dump.
pub(crate) fn apply(live: IdPolicy) -> IdPolicy {
    other(live)
}

#[cfg(test)]
mod tests {
    use crate::config::{ExportKind, Preset};
    use crate::slip::Slip;
    use crate::testing::{play, stateless, talk_turns};

    use super::*;

    #[test]
    fn the_record_tells_the_two_policies_apart() {
        let record = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.preset = Preset::AgentsSdk;
                config.reasoning_item_id_policy = IdPolicy::Preserve;
                config.exports = vec![ExportKind::Dump];
                config.slips = slips;
            });
            play(&mut agent, &talk_turns());
            (agent.take_audit().remove(0), agent.take_exports().remove(0))
        };
        let (right, right_dump) = record(vec![]);
        assert_eq!(right.export_policy, Some(IdPolicy::Preserve));
        let (slipped, dump) = record(vec![Slip::ExportUnderOtherPolicy]);
        assert_eq!(slipped.export_policy, Some(IdPolicy::Omit));
        assert_eq!(slipped.reasoning_item_id_policy, Some(IdPolicy::Preserve));
        assert_ne!(dump.text, right_dump.text);
        assert!(!dump.text.contains("rs_1") && !right_dump.text.contains("rs_1"));
    }
}
