//! `jitter`: waits of chance.

use std::time::Duration;

use holdover_wire::Plan;

use super::pause::before_each;
use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::options::milliseconds;
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[milliseconds("ms", 50, "the longest wait")],
    places: Places::EveryEvent,
    ..card(
        Group::Timing,
        "jitter",
        "a wait before every event that chance chooses, from the seed",
        "a busy network: events come in bursts, and races between readers show",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let most = scene.whole("ms");
    before_each(scene, plan, |scene| Duration::from_millis(scene.dice.up_to(most)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use holdover_wire::{PlanBody, Step};

    use crate::testing::{Scripted, body, stream};

    fn waits(seed: u64) -> Vec<u128> {
        let plan = Scripted::seeded(seed, &["jitter:ms=9"])
            .send(body(), stream())
            .plan;
        let PlanBody::Stream(steps) = plan.body else {
            return Vec::new();
        };
        let waits = steps.iter().filter_map(|step| match step {
            Step::Wait(wait) => Some(wait.as_millis()),
            _ => None,
        });
        waits.collect()
    }

    #[test]
    fn each_wait_is_drawn_from_the_seed() {
        let drawn = waits(7);
        assert_eq!(drawn.len(), 16);
        assert!(drawn.iter().all(|wait| *wait <= 9));
        assert!(drawn.iter().collect::<BTreeSet<_>>().len() > 3, "{drawn:?}");
        assert_eq!(drawn, waits(7));
        assert_ne!(drawn, waits(8));
    }
}
