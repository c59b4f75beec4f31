//! `event-unknown`: an event of a type that nobody knows.

use holdover_wire::{Plan, Step};
use serde_json::json;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::options::{OptionDefault, text};
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[text(
        "type",
        OptionDefault::Text("response.future_step.progress"),
        "type of the event",
    )],
    places: Places::OneEvent(Spot::First("response.in_progress")),
    ..card(
        Group::Stream,
        "event-unknown",
        "an event of an unknown type comes after another one; the numbers go on",
        "the API gains events that no SDK release knows yet (streaming.md section 5: some never get into the types)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spot = scene.spot(steps);
    if let Some(spot) = spot {
        let kind = scene.word("type");
        let event = steps::event(json!({"type": kind, "output_index": 0, "sequence_number": 0}));
        steps.insert(spot + 1, Step::Event(event));
        steps::renumber(steps);
    }
    Acted::when(spot.is_some())
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn it_stands_between_the_others_and_counts() {
        let sketch = sketch(&play(&["event-unknown:type=response.x"], stream()));
        assert_eq!(
            sketch[2..5],
            [
                "1 in_progress",
                "2 x",
                "3 output_item.added reasoning rs_1 token=partial",
            ]
        );
        assert!(sketch[17].starts_with("16 completed"));
    }
}
