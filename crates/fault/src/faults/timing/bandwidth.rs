//! `bandwidth`: so many bytes a second.

use std::time::Duration;

use holdover_wire::Plan;

use super::trickle::in_pieces;
use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::options::whole;
use crate::scene::Scene;

/// Pieces a second; more would only cost time.
const PIECES_PER_SECOND: u64 = 20;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole(
        "bytes-per-second",
        (1, 1 << 30),
        4_096,
        "how fast the body comes",
    )],
    ..card(
        Group::Timing,
        "bandwidth",
        "the body comes at so many bytes a second",
        "a mobile network: one token of 40 KB takes longer than a read timeout",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let rate = scene.whole("bytes-per-second");
    let size = usize::try_from((rate / PIECES_PER_SECOND).max(1)).unwrap_or(usize::MAX);
    in_pieces(plan, size, |bytes| {
        Duration::from_millis(1000 * bytes as u64 / rate)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{document, play, sketch};

    #[test]
    fn a_twentieth_of_a_second_at_a_time() {
        let plan = play(&["bandwidth:bytes-per-second=8000"], document());
        let sketch = sketch(&plan);
        // 400 bytes are a twentieth of 8000.
        assert_eq!(sketch[2], "wait 50ms");
        assert_eq!(plan.body.bytes(), document().body.bytes());
    }
}
