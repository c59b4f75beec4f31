//! Instructions are sent with the first request only.

use crate::slip::{Card, Stage};
use crate::state::Instructed;

pub(crate) const CARD: Card = Card {
    about: "sends instructions with the first request only, as if they were inherited",
    stage: Stage::Build,
    seen: "later requests of the conversation have no instructions",
    needs: "instructions",
    exists: |config| config.instructions.is_some(),
};

pub(crate) fn apply(instructions: Option<String>, sent_before: Instructed) -> Option<String> {
    match sent_before {
        Instructed::No => instructions,
        Instructed::Yes => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::StateMode;
    use crate::slip::Slip;
    use crate::testing::{play, stateless, talk_turns};

    #[test]
    fn the_second_request_has_none() {
        let bodies = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.state = StateMode::ServerChain;
                config.store = Some(true);
                config.instructions = Some("Be short.".to_owned());
                config.slips = slips;
            });
            play(&mut agent, &talk_turns()).0
        };
        let mut expected = bodies(vec![]);
        assert_eq!(expected[1]["instructions"], "Be short.");
        expected[1].shift_remove("instructions");
        assert_eq!(bodies(vec![Slip::InstructionsOnce]), expected);
    }
}
