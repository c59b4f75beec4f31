//! `first-byte`: the status line comes late.

use std::time::Duration;

use holdover_wire::Plan;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::options::milliseconds;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[milliseconds("ms", 2_000, "how long nothing comes")],
    ..card(
        Group::Timing,
        "first-byte",
        "a wait before the status line",
        "a model that thinks long before it answers; timeouts that count from the request on",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let wait = scene.whole("ms");
    plan.wait += Duration::from_millis(wait);
    Acted::when(wait > 0)
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, stream};

    #[test]
    fn the_plan_waits_before_its_head() {
        assert_eq!(changes(&["first-byte:ms=30"], stream()), ["+ wait 30ms"]);
        assert_eq!(changes(&["first-byte:ms=30"], document()), ["+ wait 30ms"]);
    }

    #[test]
    fn a_refusal_comes_late_as_well() {
        let plan = crate::testing::play(&["quota", "first-byte:ms=30"], stream());
        assert_eq!((plan.status, plan.wait.as_millis()), (429, 30));
    }
}
