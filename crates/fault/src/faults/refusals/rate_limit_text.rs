//! `rate-limit-text`: 429 with the wait in the text only.

use holdover_wire::Plan;

use super::rate_limit::error;
use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::milliseconds;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[milliseconds("ms", 1_500, "how long the client is told to wait")],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "rate-limit-text",
        "429 that says how long to wait in its message only",
        "no header came along, and clients search the text for `try again in 11.054s` (errors.md E33)",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let wait = scene.whole("ms");
    let error = error(scene, &format!("{}.{:03}s", wait / 1000, wait % 1000));
    refusal::refuse(scene, &error)
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn no_header_says_it() {
        let plan = testing::play(&["rate-limit-text:ms=11054"], stream());
        assert_eq!(plan.status, 429);
        assert_eq!(plan.header("retry-after"), None);
        assert_eq!(plan.header("retry-after-ms"), None);
        assert!(testing::sketch(&plan)[1].contains("Please try again in 11.054s."));
    }
}
