//! `sequence-gap`: numbers jump.

use holdover_wire::Plan;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::options::whole;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole("by", (1, 1_000_000), 5, "how far the numbers jump")],
    places: Places::OneEvent(Spot::Middle),
    ..card(
        Group::Stream,
        "sequence-gap",
        "from an event on, `sequence_number` is higher by so much",
        "events that were filtered on the way; the API itself leaves no gap (streaming.md section 2)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let Some(spot) = scene.spot(steps) else {
        return Acted::No;
    };
    let by = scene.whole("by");
    for event in steps[spot..].iter_mut().filter_map(steps::event_mut) {
        if let Some(number) = steps::number(event) {
            steps::set_number(event, number + by);
        }
    }
    Acted::Yes
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, stream};

    #[test]
    fn the_rest_counts_from_a_higher_number() {
        let flag = "sequence-gap:by=2,event=response.content_part.done";
        assert_eq!(
            changes(&[flag], stream()),
            [
                "- 13 content_part.done msg_1",
                "- 14 output_item.done message msg_1",
                r#"- 15 completed [reasoning rs_1 "Think." token=last, message msg_1]"#,
                "+ 15 content_part.done msg_1",
                "+ 16 output_item.done message msg_1",
                r#"+ 17 completed [reasoning rs_1 "Think." token=last, message msg_1]"#,
            ]
        );
    }
}
