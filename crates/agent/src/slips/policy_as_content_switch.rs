//! `omit` is used to take reasoning out altogether.

use holdover_wire::audit::IdPolicy;
use holdover_wire::{Item, ItemKind};

use crate::config::{Preset, StateMode};
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "uses omit to take reasoning items themselves out of the input",
    stage: Stage::Policy,
    seen: "the audit record says omit, and reasoning that was issued does not come back at all",
    needs: "preset agents-sdk under client-replay with the policy omit",
    exists: |config| {
        config.preset == Preset::AgentsSdk
            && config.state == StateMode::ClientReplay
            && config.reasoning_item_id_policy == IdPolicy::Omit
    },
};

pub(crate) fn apply(items: Vec<Item>) -> Vec<Item> {
    items
        .into_iter()
        .filter(|item| item.kind() != ItemKind::Reasoning)
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, tool_turns};

    use super::*;

    #[test]
    fn only_the_reasoning_is_missing() {
        let bodies = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.preset = Preset::AgentsSdk;
                config.reasoning_item_id_policy = IdPolicy::Omit;
                config.slips = slips;
            });
            play(&mut agent, &tool_turns()).0
        };
        let right = bodies(vec![]);
        let slipped = bodies(vec![Slip::PolicyAsContentSwitch]);
        for (right, slipped) in right.iter().zip(&slipped) {
            let mut expected = input(right);
            expected.retain(|item| item["type"] != "reasoning");
            assert_eq!(input(slipped), expected);
        }
        assert_eq!(
            input(&right[2])
                .iter()
                .filter(|item| item["type"] == "reasoning")
                .count(),
            2
        );
    }
}
