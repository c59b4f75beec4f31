//! `done-early`: `[DONE]` before the terminal event.

use holdover_wire::{Plan, Step};

use crate::card::{Act, Acted, FaultCard, Framing, Group, card};
use crate::edit::steps;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::OneEvent(Spot::Last("response.output_item.done")),
    framing: Framing::Lines,
    ..card(
        Group::Stream,
        "done-early",
        "`data: [DONE]` comes after an event, the last finished item unless named, and the stream goes on",
        "gateways add the mark of another API; SDKs stop there and never see the terminal event (streaming.md section 1)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spot = scene.spot(steps);
    if let Some(spot) = spot {
        steps.insert(spot + 1, Step::Raw(b"data: [DONE]\n\n".to_vec()));
    }
    Acted::when(spot.is_some())
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn the_mark_stands_before_the_terminal_event() {
        let sketch = sketch(&play(&["done-early"], stream()));
        assert_eq!(sketch[16], "raw data: [DONE]\\n\\n");
        assert!(sketch[17].starts_with("15 completed"));
    }
}
