//! Of a stream the text deltas are collected, and calls; the rest goes by.

use holdover_wire::Event;

use crate::config::{StateMode, Streaming};
use crate::slip::{Card, Stage};
use crate::stages::receive::Answer;

use super::text_only_append;

pub(crate) const CARD: Card = Card {
    about: "collects the text deltas of a stream, and calls, and lets everything else go by",
    stage: Stage::Receive,
    seen: "the answer comes back as text without ids, its reasoning not at all",
    needs: "client-replay over SSE",
    exists: |config| config.state == StateMode::ClientReplay && config.stream == Streaming::Sse,
};

pub(crate) fn apply(mut answer: Answer) -> Answer {
    if answer.updates.is_empty() {
        return answer;
    }
    answer.items = answer
        .items
        .iter()
        .filter_map(text_only_append::visible)
        .collect();
    answer.updates.retain(is_collected);
    answer
}

fn is_collected(event: &Event) -> bool {
    let is_call = || event.item().is_some_and(|item| item.kind().is_client_call());
    match event.name() {
        "response.output_text.delta" => true,
        "response.output_item.done" => is_call(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::config::Preset;
    use crate::slip::Slip;
    use crate::testing::{example, input, play, sse, stateless};
    use crate::turn::TurnInput;

    use super::*;

    #[test]
    fn only_text_comes_back_though_the_response_had_a_token() {
        for preset in Preset::ALL {
            let stream = sse(&example("03_reasoning_summary_encrypted_stream.sse"));
            let mut agent = stateless(|config| {
                config.preset = *preset;
                config.stream = Streaming::Sse;
                config.slips = vec![Slip::StreamTextOnly];
            });
            let turns = [
                (TurnInput::user("a"), stream.clone()),
                (TurnInput::user("b"), stream),
            ];
            let (bodies, result) = play(&mut agent, &turns);
            let sent = input(&bodies[1]);
            let expected = match preset {
                Preset::Plain | Preset::AgentsSdk => json!({"role": "assistant", "content": "42"}),
                Preset::Meai => json!({"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": "42", "annotations": []}]}),
            };
            assert_eq!((sent.len(), &sent[1]), (3, &expected), "{preset:?}");
            assert!(result.has_protected_in_response && !result.has_protected_in_history);
        }
    }
}
