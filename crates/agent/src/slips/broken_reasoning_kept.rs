//! What a broken stream announced goes into the history.

use holdover_wire::{Event, Item, ItemKind};

use crate::config::{Preset, StateMode, Streaming};
use crate::slip::{Card, Stage};
use crate::stages::receive;
use crate::turn::Received;

pub(crate) const CARD: Card = Card {
    about: "keeps the reasoning of a stream that broke off, finished or not, and asks again",
    stage: Stage::Recover,
    seen: "the retry carries a reasoning item that was announced and never finished",
    needs: "client-replay over SSE, and a client that keeps items",
    exists: |config| {
        config.state == StateMode::ClientReplay
            && config.stream == Streaming::Sse
            && config.preset != Preset::Meai
    },
};

/// The reasoning items that were announced and not finished.
pub(crate) fn apply(received: &Received) -> Vec<Item> {
    let events = receive::events([received.body.as_slice()]);
    let named = |name: &'static str| events.iter().filter(move |event| event.name() == name);
    let is_done = |event: &Event| {
        named("response.output_item.done").any(|done| done.output_index() == event.output_index())
    };
    let announced = named("response.output_item.added").filter(|event| !is_done(event));
    let items = announced.filter_map(|event| Some(event.item()?.to_item()));
    items.filter(|item| item.kind() == ItemKind::Reasoning).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::Streaming;
    use crate::slip::Slip;
    use crate::testing::{drive, example, input, sse, stateless};
    use crate::turn::TurnInput;

    #[test]
    fn the_retry_carries_what_was_announced() {
        let text = example("03_reasoning_summary_encrypted_stream.sse");
        let cut = text
            .split("event: response.output_item.done")
            .next()
            .expect("head");
        let retry = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.stream = Streaming::Sse;
                config.slips = slips;
            });
            let (calls, _) = drive(&mut agent, TurnInput::user("a"), &[sse(cut), sse(&text)]);
            input(calls[1].body.object().expect("a body"))
        };
        let right = retry(vec![]);
        assert_eq!(right.len(), 1);
        let slipped = retry(vec![Slip::BrokenReasoningKept]);
        assert_eq!((slipped.len(), &slipped[0]), (2, &right[0]));
        assert_eq!(slipped[1]["type"], "reasoning");
    }
}
