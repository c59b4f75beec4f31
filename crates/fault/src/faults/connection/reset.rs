//! `reset`: the connection is reset after an event, or after a byte.

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
        "reset",
        "the connection is reset after an event, or after a byte",
        "a process dies while it streams; the client may lose what it has not read yet",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    end_there(scene, plan, End::Reset)
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn after_the_event_that_is_named() {
        let plan = play(&["reset:event=response.in_progress"], stream());
        assert_eq!(sketch(&plan)[1..], ["0 created", "1 in_progress", "reset"]);
    }

    #[test]
    fn after_the_byte_that_is_named() {
        let plan = play(&["reset:byte=10"], stream());
        assert_eq!(sketch(&plan)[1..], ["raw event: res", "reset"]);
        assert_eq!(sketch(&play(&["reset:byte=0"], stream()))[1..], ["reset"]);
    }
}
