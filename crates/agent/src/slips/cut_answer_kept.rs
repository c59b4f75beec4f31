//! The text of an answer that broke off passes for the answer.

use holdover_wire::{Event, Item, Object, Response};
use serde_json::json;

use crate::config::{StateMode, Streaming};
use crate::slip::{Card, Stage};
use crate::stages::receive::{self, Answer, Ending};
use crate::turn::Received;

pub(crate) const CARD: Card = Card {
    about: "takes the text of a stream that broke off or failed for the whole answer",
    stage: Stage::Recover,
    seen: "half an answer comes back as a message of the assistant that is complete",
    needs: "client-replay over SSE",
    exists: |config| config.state == StateMode::ClientReplay && config.stream == Streaming::Sse,
};

/// The visible text that came so far, as an answer; `None` where there was none.
pub(crate) fn apply(received: &Received) -> Option<Answer> {
    let updates = receive::events([received.body.as_slice()]);
    let is_good = |event: &Event| event.is_terminal() && event.name() != "response.failed";
    if updates.iter().any(is_good) {
        return None;
    }
    let deltas: Vec<Event> = updates
        .into_iter()
        .filter(|event| event.name() == "response.output_text.delta")
        .collect();
    let text: String = deltas.iter().filter_map(Event::delta).collect();
    let message = json!({"type": "message", "role": "assistant", "content": text});
    let item = Item::from_value(&message).filter(|_| !text.is_empty())?;
    Some(Answer {
        response: Response::new(Object::new()),
        items: vec![item],
        updates: deltas,
        ending: Ending::Completed,
        has_protected: false,
    })
}

#[cfg(test)]
mod tests {
    use crate::config::Streaming;
    use crate::slip::Slip;
    use crate::testing::{drive, example, input, json, message, response, sse, stateless};
    use crate::turn::TurnInput;

    #[test]
    fn half_a_text_is_kept() {
        let text = example("02_text_stream.sse");
        let cut = text
            .split("event: response.output_text.done")
            .next()
            .expect("head");
        let whole = json(&response(
            "resp_2",
            &serde_json::json!([message("msg_2", "Two.")]),
        ));
        let second = |slips: Vec<Slip>| {
            let answers = match slips.as_slice() {
                [] => vec![sse(cut), sse(&text)],
                _ => vec![sse(cut)],
            };
            let mut agent = stateless(|config| {
                config.stream = Streaming::Sse;
                config.slips = slips;
            });
            drive(&mut agent, TurnInput::user("a"), &answers);
            let (calls, _) = drive(&mut agent, TurnInput::user("b"), std::slice::from_ref(&whole));
            input(calls[0].body.object().expect("a body"))
        };
        let right = second(vec![]);
        assert!(right[1]["id"].as_str().is_some_and(|id| id.starts_with("msg_")));
        let slipped = second(vec![Slip::CutAnswerKept]);
        assert_eq!(slipped[1].get("id"), None);
        assert_eq!(slipped[1]["content"], right[1]["content"][0]["text"]);
    }
}
