//! `cut-mid-event`: the connection closes inside an event.

use holdover_wire::{End, Plan, Step};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::steps;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::OneEvent(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Connection,
        "cut-mid-event",
        "the connection closes when half of an event's bytes have left",
        "half a line of JSON at the end: decoders that hand out what is left over crash on it",
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
    let mut bytes = Vec::new();
    steps[spot].encode(&mut bytes);
    bytes.truncate(bytes.len() / 2);
    steps[spot] = Step::Raw(bytes);
    steps::end_after(plan, spot + 1, End::Cut);
    Acted::Yes
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn half_of_the_event_leaves() {
        let plan = play(
            &["cut-mid-event:event=response.output_text.delta,index=2"],
            stream(),
        );
        let sketch = sketch(&plan);
        // The whole event has 167 bytes, with the two of the sharp s; half of them are 83.
        let half =
            "raw event: response.output_text.delta\\ndata: {\"type\":\"response.output_text.delta\",\"conte";
        assert_eq!(sketch[sketch.len() - 2..], [half, "cut"]);
    }
}
