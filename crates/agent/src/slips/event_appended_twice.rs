//! Items are appended as their events come, also an event that comes twice.

use holdover_wire::Item;

use crate::config::{Preset, StateMode, Streaming};
use crate::slip::{Card, Stage};
use crate::stages::receive::Answer;

pub(crate) const CARD: Card = Card {
    about: "appends an item for every `output_item.done`, also for one that a resumed stream brings again",
    stage: Stage::Receive,
    seen: "an issued item stands twice in the input",
    needs: "client-replay over SSE, and a client that puts its history together itself",
    exists: |config| {
        config.state == StateMode::ClientReplay
            && config.stream == Streaming::Sse
            && config.preset == Preset::Plain
    },
};

pub(crate) fn apply(mut answer: Answer) -> Answer {
    let done = answer
        .updates
        .iter()
        .filter(|event| event.name() == "response.output_item.done");
    let items: Vec<Item> = done.filter_map(|event| Some(event.item()?.to_item())).collect();
    if !items.is_empty() {
        answer.items = items;
    }
    answer
}

#[cfg(test)]
mod tests {
    use crate::config::Streaming;
    use crate::slip::Slip;
    use crate::testing::{drive, example, input, sse, stateless};
    use crate::turn::TurnInput;

    #[test]
    fn the_item_of_a_repeated_event_is_there_twice() {
        let text = example("03_reasoning_summary_encrypted_stream.sse");
        let mark = "event: response.output_item.done";
        let start = text.find(mark).expect("a finished item");
        let end = start + text[start..].find("\n\n").expect("its end") + 2;
        let twice = format!("{}{}{}", &text[..end], &text[start..end], &text[end..]);
        let types = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.stream = Streaming::Sse;
                config.slips = slips;
            });
            drive(&mut agent, TurnInput::user("a"), &[sse(&twice)]);
            let (calls, _) = drive(&mut agent, TurnInput::user("b"), &[sse(&text)]);
            let items = input(calls[0].body.object().expect("a body")).into_iter();
            items.map(|item| item["type"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(types(vec![])[1..3], ["reasoning", "message"]);
        assert_eq!(
            types(vec![Slip::EventAppendedTwice])[1..4],
            ["reasoning", "reasoning", "message"]
        );
    }
}
