//! `event-duplicated`: an event comes twice.

use holdover_wire::Plan;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::OneEvent(Spot::First("response.output_item.done")),
    ..card(
        Group::Stream,
        "event-duplicated",
        "one event comes twice with the same number, the first finished item unless named",
        "a stream that is resumed one event too early: a client that appends has every item twice (classes.md N17)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spot = scene.spot(steps);
    if let Some(spot) = spot {
        let again = steps[spot].clone();
        steps.insert(spot, again);
    }
    Acted::when(spot.is_some())
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, stream};

    #[test]
    fn the_number_is_the_same() {
        assert_eq!(
            changes(&["event-duplicated:event=response.output_text.delta"], stream()),
            ["+ 10 output_text.delta msg_1 Grü"]
        );
    }
}
