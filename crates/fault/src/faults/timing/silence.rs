//! `silence`: not even a status line comes.

use holdover_wire::{End, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::End,
    ..card(
        Group::Timing,
        "silence",
        "the request is taken and nothing ever comes back",
        "a server that hangs: without a timeout of its own the client hangs with it",
        Act::rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    *plan = Plan::nothing(End::Timeout);
    Acted::Yes
}

#[cfg(test)]
mod tests {
    use crate::session::Delivery;
    use crate::testing::{Scripted, body, sketch, stream};

    #[test]
    fn not_a_byte_leaves_and_nothing_is_kept() {
        let played = Scripted::new(&["silence"]).send(body(), stream());
        assert_eq!(sketch(&played.plan), ["0", "nothing", "timeout"]);
        assert_eq!(played.delivery, Delivery::Lost);
    }
}
