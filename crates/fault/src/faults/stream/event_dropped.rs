//! `event-dropped`: an event is lost.

use holdover_wire::Plan;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::OneEvent(Spot::First("response.output_item.done")),
    ..card(
        Group::Stream,
        "event-dropped",
        "one event is missing, the first finished item unless named; the numbers show a gap",
        "a proxy that buffers by line loses an event (streaming.md section 1)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spot = scene.spot(steps);
    if let Some(spot) = spot {
        steps.remove(spot);
    }
    Acted::when(spot.is_some())
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, stream};

    #[test]
    fn one_event_is_missing() {
        assert_eq!(
            changes(&["event-dropped"], stream()),
            [r#"- 7 output_item.done reasoning rs_1 "Think." token=full"#]
        );
        assert_eq!(
            changes(
                &["event-dropped:event=response.output_text.delta,index=2"],
                stream()
            ),
            ["- 11 output_text.delta msg_1 ße"]
        );
    }
}
