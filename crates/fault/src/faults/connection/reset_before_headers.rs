//! `reset-before-headers`: the connection is reset without an answer.

use holdover_wire::{End, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::End,
    ..card(
        Group::Connection,
        "reset-before-headers",
        "the connection is reset before a status line",
        "a firewall or a crashed process: the client sees `ECONNRESET`, not the end of a stream",
        Act::rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    *plan = Plan::nothing(End::Reset);
    Acted::Yes
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn not_a_byte_leaves() {
        let plan = play(&["reset-before-headers"], stream());
        assert_eq!(sketch(&plan), ["0", "nothing", "reset"]);
    }
}
