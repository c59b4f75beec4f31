//! Stage `coalesce`: what the client keeps of an answer, in its own shape.

use crate::config::{AgentConfig, Preset};
use crate::history::{Entry, entries};
use crate::presets::{dump, meai};
use crate::slip::Slip;
use crate::slips;

use super::receive::Answer;

/// What the client keeps: output items as they came, items as the SDK dumps them, or one message of contents.
pub(crate) fn kept(answer: &Answer, config: &AgentConfig) -> Vec<Entry> {
    if config.has(Slip::StreamLastUpdateLost) {
        return shaped(&slips::stream_last_update_lost::apply(answer.clone()), config);
    }
    shaped(answer, config)
}

fn shaped(answer: &Answer, config: &AgentConfig) -> Vec<Entry> {
    match config.preset {
        Preset::Plain => entries(answer.items.clone()),
        Preset::AgentsSdk => entries(answer.items.iter().map(dump::item).collect()),
        Preset::Meai => vec![Entry::Message(meai::message(answer))],
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::Event;
    use serde_json::json;

    use crate::stages::receive::{self, Outcome};
    use crate::testing::{self, example};
    use crate::turn::Received;

    use super::*;

    fn answer(received: &Received) -> Answer {
        match receive::answer(received, &AgentConfig::default()) {
            Outcome::Answered(answer) => *answer,
            other => panic!("{other:?}"),
        }
    }

    fn of(preset: Preset) -> AgentConfig {
        AgentConfig {
            preset,
            ..AgentConfig::default()
        }
    }

    #[test]
    fn json_and_sse_leave_the_same_in_plain_and_agents_sdk() {
        for name in [
            "03_reasoning_summary_encrypted_stream.sse",
            "04_function_call_stream.sse",
            "05_parallel_function_calls.sse",
        ] {
            let stream = answer(&testing::sse(&example(name)));
            let document = answer(&testing::json(&testing::terminal(name)));
            for preset in [Preset::Plain, Preset::AgentsSdk] {
                assert_eq!(
                    kept(&stream, &of(preset)),
                    kept(&document, &of(preset)),
                    "{name} {preset:?}"
                );
            }
        }
    }

    #[test]
    fn meai_joins_the_pieces_of_a_stream() {
        let stream = answer(&testing::sse(&example(
            "03_reasoning_summary_encrypted_stream.sse",
        )));
        let kept = kept(&stream, &of(Preset::Meai));
        let text = serde_json::to_value(&kept).expect("JSON");
        // The token of `output_item.done`, since the terminal object is not read.
        let done = stream
            .updates
            .iter()
            .find(|event| event.name() == "response.output_item.done")
            .and_then(Event::item)
            .expect("item");
        let expected = json!([{"message": {"role": "assistant", "contents": [
            {"$type": "reasoning",
             "text": "**Checking the sum**\n\nI add 17 and 25.**Answer**\n\nThe total is 42.",
             "protectedData": done.encrypted_content(),
             "additionalProperties": {"reasoningItemId": "rs_74bf20f876ffc474016afd86c1cbd7a085a368932ff2b2d409"}},
            {"$type": "text", "text": "42"},
        ]}}]);
        assert_eq!(text, expected);
    }
}
