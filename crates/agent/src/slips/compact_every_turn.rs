//! The history is compacted before every turn.

use crate::config::StateMode;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "compacts the history before every turn, and not once at a milestone",
    stage: Stage::Send,
    seen: "a call of `/responses/compact` with a compaction item and one turn after it",
    needs: "client-replay, a compaction, and a turn after it",
    exists: |config| config.state == StateMode::ClientReplay && config.compact_before.is_some(),
};

/// Whether a compaction is due in this turn, of which the right form says only the first is.
pub(crate) fn is_due(turn: u64, compact_before: Option<u64>) -> bool {
    compact_before.is_some_and(|before| turn >= before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_turn_from_the_first_on_is_one() {
        let due: Vec<bool> = (1..5).map(|turn| is_due(turn, Some(2))).collect();
        assert_eq!(due, [false, true, true, true]);
        assert!(!is_due(9, None));
    }
}
