//! `event-swapped`: an event comes after the one that follows it.

use holdover_wire::Plan;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::OneEvent(Spot::First("response.output_text.delta")),
    ..card(
        Group::Stream,
        "event-swapped",
        "one event changes places with the next, the first text delta unless named; the numbers tell",
        "events that were sent over two workers: order by arrival is not order by number",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let next = scene.spot(steps).and_then(|spot| {
        let after = steps.iter().enumerate().skip(spot + 1);
        let mut events = after.filter(|(_, step)| step.event().is_some());
        events.next().map(|(next, _)| (spot, next))
    });
    if let Some((spot, next)) = next {
        steps.swap(spot, next);
    }
    Acted::when(next.is_some())
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn the_second_delta_comes_first() {
        let sketch = sketch(&play(&["event-swapped"], stream()));
        assert_eq!(
            sketch[11..13],
            ["11 output_text.delta msg_1 ße", "10 output_text.delta msg_1 Grü"]
        );
    }

    #[test]
    fn the_last_event_has_no_next() {
        let plan = play(&["event-swapped:event=response.completed"], stream());
        assert_eq!(plan, stream());
    }
}
