//! The id of one half of a group is stripped.

use holdover_wire::Item;

use crate::config::StateMode;
use crate::slip::{Card, Stage};
use crate::stages::policy::without_reasoning_item_id;

pub(crate) const CARD: Card = Card {
    about: "strips the ids of reasoning items by hand and leaves those of their messages and calls",
    stage: Stage::Policy,
    seen: "reasoning comes without its id next to a message or call with its own",
    needs: "client-replay with stored responses, and a client that sends whole groups back",
    exists: |config| config.state == StateMode::ClientReplay && config.stores(),
};

pub(crate) fn apply(items: Vec<Item>) -> Vec<Item> {
    items.into_iter().map(without_reasoning_item_id).collect()
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns};

    use crate::config::Preset;

    #[test]
    fn one_half_has_its_id() {
        for preset in Preset::ALL {
            let sent = |slips: Vec<Slip>| {
                let mut agent = stateless(|config| {
                    config.preset = *preset;
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
