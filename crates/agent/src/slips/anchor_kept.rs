//! A dead anchor is used again.

use crate::config::{Preset, StateMode};
use crate::slip::{Card, Stage};
use crate::stages::recover::Remedy;

pub(crate) const CARD: Card = Card {
    about: "goes on with a `previous_response_id` that the API said it does not find",
    stage: Stage::Recover,
    seen: "the anchor comes again after a refusal that named it",
    needs: "server-chain, and a client that keeps whole items to replay",
    exists: |config| {
        config.state == StateMode::ServerChain && config.stores() && config.preset != Preset::Meai
    },
};

pub(crate) fn apply(right: Remedy) -> Remedy {
    match right {
        Remedy::Replay | Remedy::ReplayAlways => Remedy::Stop,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::StateMode;
    use crate::slip::Slip;
    use crate::testing::{drive, input, refusal, stateless, talk_turns};
    use crate::turn::TurnInput;

    #[test]
    fn the_right_client_sends_the_whole_history_instead() {
        let message = "Previous response with id 'resp_1' not found.";
        let gone = refusal(400, Some("previous_response_not_found"), message);
        let turn = |slips: Vec<Slip>, answers: &[crate::Received]| {
            let mut agent = stateless(|config| {
                config.state = StateMode::ServerChain;
                config.store = Some(true);
                config.slips = slips;
            });
            let [(first, one), _] = talk_turns().try_into().expect("two turns");
            drive(&mut agent, first, &[one]);
            drive(&mut agent, TurnInput::user("b"), answers);
            let (calls, _) = drive(&mut agent, TurnInput::user("c"), &answers[answers.len() - 1..]);
            calls[0].body.object().expect("a body").clone()
        };
        let two = talk_turns().remove(1).1;
        let right = turn(vec![], &[gone.clone(), two]);
        assert_eq!(right["previous_response_id"], "resp_2");
        assert_eq!(input(&right).len(), 1);
        let slipped = turn(vec![Slip::AnchorKept], &[gone]);
        assert_eq!(slipped["previous_response_id"], "resp_1");
    }
}
