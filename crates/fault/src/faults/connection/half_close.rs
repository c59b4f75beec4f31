//! `half-close`: the server closes its half after an event, or after a byte, and goes on reading.

use holdover_wire::{End, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::pieces::end_there;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::EventOrByte(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Connection,
        "half-close",
        "the server closes its half after an event, or after a byte, and goes on reading",
        "a load balancer drains: the stream ends without its terminal event and the socket still takes requests",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    end_there(scene, plan, End::HalfClose)
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn after_the_event_that_is_named() {
        let plan = play(&["half-close:event=response.in_progress"], stream());
        assert_eq!(sketch(&plan)[1..], ["0 created", "1 in_progress", "halfclose"]);
    }

    #[test]
    fn after_the_byte_that_is_named() {
        let plan = play(&["half-close:byte=10"], stream());
        assert_eq!(sketch(&plan)[1..], ["raw event: res", "halfclose"]);
        assert_eq!(
            sketch(&play(&["half-close:byte=0"], stream()))[1..],
            ["halfclose"]
        );
    }
}
