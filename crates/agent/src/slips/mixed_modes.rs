//! Two ways of holding state in one conversation.

use crate::slip::{Card, Stage};
use crate::stages::send::Anchor;
use crate::state::State;

pub(crate) const CARD: Card = Card {
    about: "holds state on the server in some turns and replays the whole history in others",
    stage: Stage::Send,
    seen: "server-chain: the third request, the fifth, … replay everything and have no previous_response_id; \
           conversation: the second, the fourth, … do; client-replay: previous_response_id comes on top of the whole \
           history",
    needs: "stored responses; three turns under server-chain, else two, in a conversation both of the user",
    exists: |config| config.stores(),
};

pub(crate) fn apply(right: Anchor, state: &State) -> Anchor {
    let is_even = state.answered.is_multiple_of(2);
    match right {
        Anchor::Chain(Some(_)) if is_even => Anchor::Replay,
        Anchor::Conversation(_) if !is_even => Anchor::Replay,
        Anchor::Replay => match &state.response {
            Some(id) => Anchor::DoubleSend(id.clone()),
            None => Anchor::Replay,
        },
        right => right,
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::Object;

    use crate::config::StateMode;
    use crate::slip::Slip;
    use crate::testing::{input, play, stateless, talk_turns, tool_turns};
    use crate::turn::{Received, TurnInput};

    fn bodies(state: StateMode, turns: &[(TurnInput, Received)], slips: Vec<Slip>) -> Vec<Object> {
        let mut agent = stateless(|config| {
            config.state = state;
            config.store = None;
            config.slips = slips;
        });
        play(&mut agent, turns).0
    }

    #[test]
    fn a_chain_is_left_in_the_third_request() {
        let right = bodies(StateMode::ServerChain, &tool_turns(), vec![]);
        let slipped = bodies(StateMode::ServerChain, &tool_turns(), vec![Slip::MixedModes]);
        assert_eq!(slipped[..2], right[..2]);
        assert_eq!(right[2]["previous_response_id"], "resp_2");
        assert_eq!(input(&right[2]).len(), 1);
        assert_eq!(slipped[2].get("previous_response_id"), None);
        assert_eq!(
            slipped[2]["input"],
            bodies(StateMode::ClientReplay, &tool_turns(), vec![])[2]["input"]
        );
    }

    #[test]
    fn a_replay_gets_an_anchor_on_top() {
        let right = bodies(StateMode::ClientReplay, &talk_turns(), vec![]);
        let mut slipped = bodies(StateMode::ClientReplay, &talk_turns(), vec![Slip::MixedModes]);
        assert_eq!(
            slipped[1].shift_remove("previous_response_id"),
            Some("resp_1".into())
        );
        assert_eq!(slipped, right);
    }
}
