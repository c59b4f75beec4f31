//! `stall`: from some point on nothing comes, and the connection stays.

use holdover_wire::{End, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::pieces::end_there;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::EventOrByte(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Timing,
        "stall",
        "after an event or a byte nothing more comes; the connection stays open",
        "a proxy that lost its other side: only an idle timeout of the client ends it (streaming.md section 10)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    end_there(scene, plan, End::Timeout)
}

#[cfg(test)]
mod tests {
    use crate::testing::{sketch, stream};

    #[test]
    fn the_stream_stays_open_after_the_event() {
        let plan = crate::testing::play(&["stall:index=3"], stream());
        assert_eq!(
            sketch(&plan)[1..],
            [
                "0 created",
                "1 in_progress",
                "2 output_item.added reasoning rs_1 token=partial",
                "timeout",
            ]
        );
    }
}
