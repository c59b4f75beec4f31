//! `output[0]` is taken for the answer.

use crate::config::StateMode;
use crate::history::Entry;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "takes the first output item for the answer and drops the others",
    stage: Stage::Append,
    seen: "reasoning comes back alone, without the message or call that followed it",
    needs: "client-replay",
    exists: |config| config.state == StateMode::ClientReplay,
};

pub(crate) fn apply(kept: Vec<Entry>) -> Vec<Entry> {
    let first = kept.into_iter().take(1);
    first
        .map(|entry| match entry {
            Entry::Message(mut message) => {
                message.contents.truncate(1);
                Entry::Message(message)
            }
            Entry::Item(item) => Entry::Item(item),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{input, play, reasoning, stateless, talk_turns};

    #[test]
    fn reasoning_comes_back_without_its_message() {
        let mut agent = stateless(|config| config.slips = vec![Slip::FirstOutputOnly]);
        let (bodies, _) = play(&mut agent, &talk_turns());
        let expected = [
            json!({"role": "user", "content": "First"}),
            reasoning("rs_1"),
            json!({"role": "user", "content": "Follow-up"}),
        ];
        assert_eq!(input(&bodies[1]), expected);
    }

    #[test]
    fn the_first_content_of_a_message_likewise() {
        let mut agent = stateless(|config| {
            config.preset = Preset::Meai;
            config.slips = vec![Slip::FirstOutputOnly];
        });
        let (bodies, _) = play(&mut agent, &talk_turns());
        assert_eq!(input(&bodies[1])[1..2], [reasoning("rs_1")]);
        assert_eq!(input(&bodies[1]).len(), 3);
    }
}
