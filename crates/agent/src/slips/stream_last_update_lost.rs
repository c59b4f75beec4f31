//! The summary is collected from its deltas; the last update, which brings the token, is not.

use holdover_wire::ItemKind;

use crate::config::{StateMode, Streaming};
use crate::slip::{Card, Stage};
use crate::stages::receive::Answer;

pub(crate) const CARD: Card = Card {
    about: "collects a reasoning item from its deltas and misses the last update, which brings the token",
    stage: Stage::Coalesce,
    seen: "reasoning comes back with id and summary, without the token that the stream had",
    needs: "client-replay over SSE",
    exists: |config| config.state == StateMode::ClientReplay && config.stream == Streaming::Sse,
};

pub(crate) fn apply(mut answer: Answer) -> Answer {
    if answer.updates.is_empty() {
        return answer;
    }
    let reasoning = answer
        .items
        .iter_mut()
        .filter(|item| item.kind() == ItemKind::Reasoning);
    reasoning.for_each(|item| {
        item.object_mut().shift_remove("encrypted_content");
    });
    answer.updates.retain(|event| {
        let is_reasoning = event
            .item()
            .is_some_and(|item| item.kind() == ItemKind::Reasoning);
        event.name() != "response.output_item.done" || !is_reasoning
    });
    answer
}

#[cfg(test)]
mod tests {
    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{example, input, play, sse, stateless};
    use crate::turn::TurnInput;

    use super::*;

    fn second_input(preset: Preset, slips: Vec<Slip>) -> Vec<serde_json::Value> {
        let stream = sse(&example("03_reasoning_summary_encrypted_stream.sse"));
        let mut agent = stateless(|config| {
            config.preset = preset;
            config.stream = Streaming::Sse;
            config.slips = slips;
        });
        let turns = [
            (TurnInput::user("a"), stream.clone()),
            (TurnInput::user("b"), stream),
        ];
        input(&play(&mut agent, &turns).0[1])
    }

    #[test]
    fn only_the_token_is_missing() {
        for preset in Preset::ALL {
            let right = second_input(*preset, vec![]);
            let mut expected = right.clone();
            let token = expected[1]
                .as_object_mut()
                .expect("object")
                .shift_remove("encrypted_content");
            assert!(token.is_some_and(|token| token.is_string()), "{preset:?}");
            assert_eq!(
                second_input(*preset, vec![Slip::StreamLastUpdateLost]),
                expected,
                "{preset:?}"
            );
        }
    }
}
