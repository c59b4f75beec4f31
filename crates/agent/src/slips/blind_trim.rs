//! The history is cut by a number of items.

use holdover_wire::Item;

use crate::config::StateMode;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "sends the newest two items of the history, wherever that cuts",
    stage: Stage::Trim,
    seen: "the input begins in the middle of a group: a message or an output without what came before it",
    needs: "client-replay and two turns",
    exists: |config| config.state == StateMode::ClientReplay,
};

/// Items that are left.
const NEWEST: usize = 2;

pub(crate) fn apply(items: Vec<Item>) -> Vec<Item> {
    let start = items.len().saturating_sub(NEWEST);
    items.into_iter().skip(start).collect()
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns, tool_turns};

    #[test]
    fn the_input_begins_behind_the_reasoning() {
        let bodies = |slips: Vec<Slip>, turns: &[_]| {
            let mut agent = stateless(|config| config.slips = slips);
            play(&mut agent, turns).0
        };
        for turns in [talk_turns(), tool_turns()] {
            let right = input(&bodies(vec![], &turns)[1]);
            let slipped = input(&bodies(vec![Slip::BlindTrim], &turns)[1]);
            assert_eq!(right[1]["type"], "reasoning");
            assert_eq!(slipped, right[2..]);
        }
    }
}
