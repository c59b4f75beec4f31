//! `close-before-headers`: the connection closes without an answer.

use holdover_wire::{End, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::End,
    ..card(
        Group::Connection,
        "close-before-headers",
        "the connection closes before a status line",
        "a server that restarts, or a kept-alive connection that was closed while the request was on its way",
        Act::rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    *plan = Plan::nothing(End::Cut);
    Acted::Yes
}

#[cfg(test)]
mod tests {
    use crate::testing::{document, play, sketch, stream};

    #[test]
    fn not_a_byte_leaves() {
        for plan in [stream(), document()] {
            let plan = play(&["close-before-headers"], plan);
            assert_eq!(sketch(&plan), ["0", "nothing", "cut"]);
        }
    }
}
