//! `keepalive-event`: events that only keep the connection alive.

use holdover_wire::{Plan, Step};
use serde_json::json;

use super::comment::before_each;
use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::EveryEvent,
    ..card(
        Group::Stream,
        "keepalive-event",
        "a `keepalive` event before every event, or before those that the trigger names",
        "long runs: events that belong to no response and that counters count (streaming.md section 1)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let acted = before_each(scene, plan, |_, _| {
        Step::Event(steps::event(json!({"type": "keepalive", "sequence_number": 0})))
    });
    if let Some(steps) = steps::steps(plan) {
        steps::renumber(steps);
    }
    acted
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn the_event_counts() {
        let sketch = sketch(&play(
            &["keepalive-event:event=response.output_text.done"],
            stream(),
        ));
        assert_eq!(
            sketch[12..15],
            [
                "11 output_text.delta msg_1 ße",
                "12 keepalive",
                "13 output_text.done msg_1 Grüße"
            ]
        );
        assert!(sketch[17].starts_with("16 completed"));
    }
}
