//! The history is cut between a call and its output.

use holdover_wire::Item;

use crate::config::StateMode;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "cuts the history right behind a call, so that its output stays and the call goes",
    stage: Stage::Trim,
    seen: "an output comes without its call",
    needs: "client-replay and a tool call",
    exists: |config| config.state == StateMode::ClientReplay,
};

/// Cuts behind the newest call that has its output in the input.
pub(crate) fn apply(items: Vec<Item>) -> Vec<Item> {
    let is_answered = |call: &Item, rest: &[Item]| {
        let mut outputs = rest.iter().filter(|item| item.kind().is_client_output());
        call.call_id().is_some() && outputs.any(|output| output.call_id() == call.call_id())
    };
    let newest = items
        .iter()
        .enumerate()
        .rev()
        .find(|(index, item)| item.kind().is_client_call() && is_answered(item, &items[index + 1..]));
    let start = newest.map_or(0, |(index, _)| index + 1);
    items.into_iter().skip(start).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, tool_turns};

    #[test]
    fn the_input_begins_with_an_output() {
        for preset in Preset::ALL {
            let bodies = |slips: Vec<Slip>| {
                let mut agent = stateless(|config| {
                    config.preset = *preset;
                    config.slips = slips;
                });
                play(&mut agent, &tool_turns()).0
            };
            let right = bodies(vec![]);
            let slipped = bodies(vec![Slip::TrimSplitsPair]);
            assert_eq!(input(&slipped[0]), input(&right[0]), "{preset:?}");
            assert_eq!(input(&slipped[1]), input(&right[1])[3..], "{preset:?}");
            assert_eq!(input(&slipped[1])[0]["type"], "function_call_output");
        }
    }
}
