//! An item keeps the id that it was announced under.

use crate::config::{Preset, StateMode, Streaming};
use crate::slip::{Card, Stage};
use crate::stages::receive::Answer;

pub(crate) const CARD: Card = Card {
    about: "takes the id of an item from `output_item.added` and the rest from `output_item.done`",
    stage: Stage::Receive,
    seen: "a token comes back under an id that it was not sealed for",
    needs: "client-replay over SSE, and a client that keeps items",
    exists: |config| {
        config.state == StateMode::ClientReplay
            && config.stream == Streaming::Sse
            && config.preset != Preset::Meai
    },
};

pub(crate) fn apply(mut answer: Answer) -> Answer {
    let Answer { items, updates, .. } = &mut answer;
    let added = updates
        .iter()
        .filter(|event| event.name() == "response.output_item.added");
    for event in added {
        let item = event
            .output_index()
            .and_then(|index| items.get_mut(usize::try_from(index).ok()?));
        let id = event.item().and_then(|item| item.id().map(str::to_owned));
        if let (Some(item), Some(id)) = (item, id) {
            item.object_mut().insert("id".to_owned(), id.into());
        }
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
    fn the_first_id_stays() {
        let text = example("03_reasoning_summary_encrypted_stream.sse");
        let (head, tail) = text
            .split_once("event: response.output_item.done")
            .expect("a finished item");
        let renamed = format!(
            "{}event: response.output_item.done{tail}",
            head.replace("b2d409", "000000")
        );
        let id = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.stream = Streaming::Sse;
                config.slips = slips;
            });
            drive(&mut agent, TurnInput::user("a"), &[sse(&renamed)]);
            let (calls, _) = drive(&mut agent, TurnInput::user("b"), &[sse(&text)]);
            input(calls[0].body.object().expect("a body"))[1]["id"].clone()
        };
        assert_eq!(
            id(vec![]),
            "rs_74bf20f876ffc474016afd86c1cbd7a085a368932ff2b2d409"
        );
        assert_eq!(
            id(vec![Slip::IdOfAdded]),
            "rs_74bf20f876ffc474016afd86c1cbd7a085a368932ff2000000"
        );
    }
}
