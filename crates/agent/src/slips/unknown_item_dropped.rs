//! Item types that the client does not know are dropped.

use holdover_wire::ItemKind;

use crate::chat::ContentKind;
use crate::config::StateMode;
use crate::history::Entry;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "drops output items whose type it does not know",
    stage: Stage::Append,
    seen: "an issued item of another type than message, reasoning, call or compaction does not come back",
    needs: "client-replay, and an output item of another type",
    exists: |config| config.state == StateMode::ClientReplay,
};

pub(crate) fn apply(kept: Vec<Entry>) -> Vec<Entry> {
    let known = kept.into_iter().filter_map(|entry| match entry {
        Entry::Item(item) => is_known(item.kind()).then_some(Entry::Item(item)),
        Entry::Message(mut message) => {
            message
                .contents
                .retain(|content| content.kind != ContentKind::Other {});
            Some(Entry::Message(message))
        }
    });
    known.collect()
}

fn is_known(kind: ItemKind) -> bool {
    match kind {
        ItemKind::Unknown | ItemKind::OtherCall | ItemKind::OtherOutput => false,
        ItemKind::Message
        | ItemKind::Reasoning
        | ItemKind::FunctionCall
        | ItemKind::FunctionCallOutput
        | ItemKind::CustomToolCall
        | ItemKind::CustomToolCallOutput
        | ItemKind::Compaction
        | ItemKind::CompactionTrigger
        | ItemKind::ItemReference => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{self, input, message, play, reasoning, response, stateless};
    use crate::turn::TurnInput;

    fn second_input(preset: Preset, slips: Vec<Slip>) -> Vec<Value> {
        let search = json!({"id": "ws_1", "type": "web_search_call", "status": "completed"});
        let output = json!([reasoning("rs_1"), search, message("msg_1", "One.")]);
        let turns = [
            (
                TurnInput::user("First"),
                testing::json(&response("resp_1", &output)),
            ),
            (
                TurnInput::user("Next"),
                testing::json(&response("resp_2", &json!([message("msg_2", "Two.")]))),
            ),
        ];
        let mut agent = stateless(|config| {
            config.preset = preset;
            config.slips = slips;
        });
        input(&play(&mut agent, &turns).0[1])
    }

    #[test]
    fn the_right_form_keeps_it_and_the_slip_does_not() {
        for preset in Preset::ALL {
            let right = second_input(*preset, vec![]);
            let slipped = second_input(*preset, vec![Slip::UnknownItemDropped]);
            assert_eq!(right[2]["id"], "ws_1", "{preset:?}");
            let mut expected = right.clone();
            expected.remove(2);
            assert_eq!(slipped, expected, "{preset:?}");
        }
    }
}
