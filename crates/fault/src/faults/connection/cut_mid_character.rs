//! `cut-mid-character`: the connection closes inside a character.

use holdover_wire::{End, Event, Plan, Step};
use serde_json::Value;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::steps;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::End,
    ..card(
        Group::Connection,
        "cut-mid-character",
        "the connection closes between two bytes of one UTF-8 character",
        "strict decoders of UTF-8 raise another error than the one for a broken stream; a text without such a character gets an ellipsis",
        Act::rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let Some((spot, bytes)) = first_half(steps).or_else(|| first_half(&with_ellipsis(steps))) else {
        return Acted::No;
    };
    steps[spot] = Step::Raw(bytes);
    steps::end_after(plan, spot + 1, End::Cut);
    Acted::Yes
}

/// The first step with a character of several bytes, and its bytes up to the first of them.
fn first_half(steps: &[Step]) -> Option<(usize, Vec<u8>)> {
    steps.iter().enumerate().find_map(|(index, step)| {
        step.event()?;
        let mut bytes = Vec::new();
        step.encode(&mut bytes);
        let wide = bytes.iter().position(|byte| !byte.is_ascii())?;
        bytes.truncate(wide + 1);
        Some((index, bytes))
    })
}

fn with_ellipsis(steps: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    let mut events = steps.iter_mut().filter_map(steps::event_mut);
    if let Some(Value::String(delta)) = events.find_map(text_delta) {
        delta.push('…');
    }
    steps
}

fn text_delta(event: &mut Event) -> Option<&mut Value> {
    (event.name() == "response.output_text.delta").then(|| event.object_mut().get_mut("delta"))?
}

#[cfg(test)]
mod tests {
    use crate::edit::steps;
    use crate::testing::{play, sketch, stream};

    fn last_two(plan: &holdover_wire::Plan) -> Vec<String> {
        let sketch = sketch(plan);
        sketch[sketch.len() - 2..].to_vec()
    }

    #[test]
    fn one_of_two_bytes_leaves() {
        // `ü` is C3 BC.
        let cut = "raw event: response.output_text.delta\\ndata: {\"type\":\"response.output_text.delta\",\"content_index\":0,\"delta\":\"Gr\\xc3";
        assert_eq!(last_two(&play(&["cut-mid-character"], stream())), [cut, "cut"]);
    }

    #[test]
    fn a_plain_text_gets_such_a_character() {
        let mut plan = stream();
        let steps = steps::steps(&mut plan).expect("a stream");
        for step in steps.iter_mut() {
            let text = serde_json::to_string(step.event().expect("an event")).expect("json");
            let ascii = text.replace('ü', "u").replace('ß', "s");
            *step = holdover_wire::Step::Event(serde_json::from_str(&ascii).expect("json"));
        }
        // `…` is E2 80 A6.
        let cut = "raw event: response.output_text.delta\\ndata: {\"type\":\"response.output_text.delta\",\"content_index\":0,\"delta\":\"Gru\\xe2";
        assert_eq!(last_two(&play(&["cut-mid-character"], plan)), [cut, "cut"]);
    }
}
