//! The id of one half of a group is stripped.

use holdover_wire::Item;
use holdover_wire::audit::IdPolicy;

use crate::config::{Preset, StateMode};
use crate::slip::{Card, Stage};
use crate::stages::policy::without_reasoning_item_id;

pub(crate) const CARD: Card = Card {
    about: "strips the ids of reasoning items by hand and leaves those of their messages and calls",
    stage: Stage::Policy,
    seen: "reasoning comes without its id next to a message or call with its own",
    needs: "preset plain or agents-sdk, client-replay with stored responses, and a policy that keeps ids",
    exists: |config| {
        // `meai` loses the ids of messages and calls itself once a session was stored.
        config.preset != Preset::Meai
            && config.state == StateMode::ClientReplay
            && config.stores()
            && config.reasoning_item_id_policy != IdPolicy::Omit
    },
};

pub(crate) fn apply(items: Vec<Item>) -> Vec<Item> {
    items.into_iter().map(without_reasoning_item_id).collect()
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns};

    use super::*;

    #[test]
    fn one_half_has_its_id() {
        for preset in [Preset::Plain, Preset::AgentsSdk] {
            let sent = |slips: Vec<Slip>| {
                let mut agent = stateless(|config| {
                    config.preset = preset;
                    config.store = Some(true);
                    config.slips = slips;
                });
                input(&play(&mut agent, &talk_turns()).0[1])
            };
            let mut expected = sent(vec![]);
            let id = expected[1].as_object_mut().expect("object").shift_remove("id");
            assert_eq!(id, Some("rs_1".into()));
            let slipped = sent(vec![Slip::HalfStrip]);
            assert_eq!(slipped, expected, "{preset:?}");
            assert_eq!(slipped[2]["id"], "msg_1");
        }
    }
}
