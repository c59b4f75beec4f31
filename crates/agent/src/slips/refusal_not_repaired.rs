//! A history that is refused is sent again as it is.

use crate::config::StateMode;
use crate::slip::{Card, Stage};
use crate::stages::recover::{Attempts, Remedy};

pub(crate) const CARD: Card = Card {
    about: "sends a history again as it is after a refusal of what is in it",
    stage: Stage::Recover,
    seen: "the same refusal, which names an item of the history, on every turn",
    needs: "client-replay",
    exists: |config| config.state == StateMode::ClientReplay,
};

/// Once more in each turn, then the turn ends.
pub(crate) fn apply(right: Remedy, tried: Attempts) -> Remedy {
    match right {
        Remedy::Forget(_) | Remedy::Uncompact if tried.repairs == 0 => Remedy::Unchanged,
        Remedy::Forget(_) | Remedy::Uncompact => Remedy::Stop,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{drive, input, refusal, stateless, talk_turns};

    #[test]
    fn the_refused_item_stays() {
        let code = Some("invalid_encrypted_content");
        let message = "The encrypted content for item rs_1 could not be verified. Reason: x";
        let refused = refusal(400, code, message);
        let inputs = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| config.slips = slips);
            let [(first, one), (second, two)] = talk_turns().try_into().expect("two turns");
            drive(&mut agent, first, &[one]);
            let (calls, _) = drive(&mut agent, second, &[refused.clone(), two]);
            let bodies = calls.iter().filter_map(|call| call.body.object());
            bodies.map(input).collect::<Vec<_>>()
        };
        let [before, repaired] = inputs(vec![]).try_into().expect("two calls");
        assert_eq!(before[1]["id"], "rs_1");
        let mut expected = before.clone();
        expected.remove(1);
        assert_eq!(repaired, expected);
        assert_eq!(inputs(vec![Slip::RefusalNotRepaired]), [before.clone(), before]);
    }
}
