//! A compaction made under one policy is replayed under another.

use holdover_wire::audit::IdPolicy;

use crate::config::{Preset, StateMode};
use crate::slip::{Card, Stage};
use crate::stages::policy::other;

pub(crate) const CARD: Card = Card {
    about: "changes the policy after a compaction and replays the old snapshot",
    stage: Stage::Policy,
    seen: "the audit record's compaction_policy is not its reasoning_item_id_policy",
    needs: "preset agents-sdk with store=false, and a compaction",
    exists: |config| {
        config.preset == Preset::AgentsSdk
            && config.state == StateMode::ClientReplay
            // Under stored responses the new policy would leave half-stripped groups as well.
            && !config.stores()
            && config.compact_before.is_some()
    },
};

/// The policy after a compaction that was made under `live`.
pub(crate) fn apply(live: IdPolicy) -> IdPolicy {
    other(live)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::slip::Slip;
    use crate::testing::{self, drive, message, reasoning, response, stateless, talk_turns};
    use crate::turn::TurnInput;

    use super::*;

    #[test]
    fn the_record_tells_the_two_policies_apart() {
        let policies = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.preset = Preset::AgentsSdk;
                config.compact_before = Some(2);
                config.slips = slips;
            });
            let (first, answer) = talk_turns().remove(0);
            drive(&mut agent, first, &[answer]);
            let compaction = json!({"id": "resp_c", "object": "response.compaction", "output": [
                {"id": "msg_u", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "First"}]},
                {"id": "cmp_1", "type": "compaction", "encrypted_content": testing::token("cmp_1")},
            ]});
            let output = json!([reasoning("rs_2"), message("msg_2", "Two.")]);
            let answers = [
                testing::json(&compaction),
                testing::json(&response("resp_2", &output)),
            ];
            let (calls, _) = drive(&mut agent, TurnInput::user("Next"), &answers);
            assert_eq!(calls[0].path, "/v1/responses/compact");
            let record = agent.take_audit().remove(1);
            (record.compaction_policy, record.reasoning_item_id_policy)
        };
        assert_eq!(policies(vec![]), (Some(IdPolicy::None), Some(IdPolicy::None)));
        let slipped = policies(vec![Slip::PolicyChangedAfterCompaction]);
        assert_eq!(slipped, (Some(IdPolicy::None), Some(IdPolicy::Omit)));
    }
}
