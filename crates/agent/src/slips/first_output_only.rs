//! `output[0]` is taken for the answer.

use crate::chat::ContentKind;
use crate::config::StateMode;
use crate::history::Entry;
use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "takes the first output item for the answer, and tool calls, and drops the others",
    stage: Stage::Append,
    seen: "reasoning comes back alone, without the message that followed it",
    needs: "client-replay",
    exists: |config| config.state == StateMode::ClientReplay,
};

/// The first item or content, and the calls: without them no tool would run at all.
pub(crate) fn apply(kept: Vec<Entry>) -> Vec<Entry> {
    let kept = kept.into_iter().enumerate();
    kept.filter_map(|(index, entry)| match entry {
        Entry::Item(item) => (index == 0 || item.kind().is_client_call()).then_some(Entry::Item(item)),
        Entry::Message(mut message) => {
            let first = message.contents.first().cloned();
            message.contents.retain(|content| {
                Some(content) == first.as_ref() || matches!(content.kind, ContentKind::FunctionCall { .. })
            });
            Some(Entry::Message(message))
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{input, play, reasoning, stateless, talk_turns, tool_turns};

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

    #[test]
    fn a_call_is_kept_in_every_preset() {
        for preset in Preset::ALL {
            let bodies = |slips: Vec<Slip>| {
                let mut agent = stateless(|config| {
                    config.preset = *preset;
                    config.slips = slips;
                });
                play(&mut agent, &tool_turns()).0
            };
            let right = bodies(vec![]);
            let slipped = bodies(vec![Slip::FirstOutputOnly]);
            assert_eq!(slipped[1], right[1], "{preset:?}");
            let mut expected = input(&right[2]);
            expected.remove(5);
            assert_eq!(input(&slipped[2]), expected, "{preset:?}");
        }
    }
}
