//! The repair takes the newest reasoning, not the one that the refusal names.

use crate::config::StateMode;
use crate::slip::{Card, Stage};
use crate::stages::recover::{Attempts, Named, Remedy};
use crate::state::State;

pub(crate) const CARD: Card = Card {
    about: "repairs a refused history by dropping its newest reasoning, whichever the refusal names",
    stage: Stage::Recover,
    seen: "the same turn comes again without a reasoning item that nobody complained of, and meets the same refusal",
    needs: "client-replay",
    exists: |config| config.state == StateMode::ClientReplay,
};

/// The second try reads the refusal.
pub(crate) fn apply(right: Remedy, tried: Attempts, state: &State) -> Remedy {
    match (right, &state.last_reasoning_id) {
        (Remedy::Forget(_), Some(newest)) if tried.repairs == 0 => Remedy::Forget(Named::Id(newest.clone())),
        (other, _) => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{drive, input, json, message, reasoning, refusal, response, stateless, talk_turns};
    use crate::turn::TurnInput;

    #[test]
    fn the_wrong_one_goes_first() {
        let code = Some("invalid_encrypted_content");
        let named = "The encrypted content for item rs_1 could not be verified. Reason: x";
        let refused = refusal(400, code, named);
        let last = json(&response(
            "resp_3",
            &serde_json::json!([reasoning("rs_3"), message("msg_3", "Three.")]),
        ));
        let kept = |slips: Vec<Slip>, refusals: usize| {
            let mut agent = stateless(|config| config.slips = slips);
            for (turn, answer) in talk_turns() {
                drive(&mut agent, turn, &[answer]);
            }
            let answers = [vec![refused.clone(); refusals], vec![last.clone()]].concat();
            let (calls, _) = drive(&mut agent, TurnInput::user("c"), &answers);
            let bodies = calls.iter().filter_map(|call| call.body.object());
            let ids = bodies.map(|body| {
                let ids = input(body).into_iter().map(|item| item["id"].clone());
                ids.filter(|id| id.as_str().is_some_and(|id| id.starts_with("rs_")))
                    .collect::<Vec<_>>()
            });
            ids.collect::<Vec<_>>()
        };
        let expected = |ids: &[&str]| {
            ids.iter()
                .map(|id| serde_json::Value::from(*id))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            kept(vec![], 1),
            [expected(&["rs_1", "rs_2"]), expected(&["rs_2"])]
        );
        assert_eq!(
            kept(vec![Slip::RepairMisses], 2),
            [expected(&["rs_1", "rs_2"]), expected(&["rs_1"]), expected(&[])]
        );
    }
}
