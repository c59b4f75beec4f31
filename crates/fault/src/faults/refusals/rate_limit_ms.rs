//! `rate-limit-ms`: 429 with the wait in milliseconds.

use holdover_wire::Plan;

use super::rate_limit::error;
use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::milliseconds;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[milliseconds("ms", 250, "how long the client is told to wait")],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "rate-limit-ms",
        "429 with `retry-after-ms`, and no `retry-after`",
        "the header that SDKs read first (endpoints.md, Errors); a client that knows only `retry-after` guesses",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let wait = scene.whole("ms").to_string();
    let error = error(scene, &format!("{wait}ms"));
    refusal::refuse_with(scene, &error, &[("retry-after-ms", &wait)])
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn only_the_header_in_milliseconds_is_there() {
        let plan = testing::play(&["rate-limit-ms:ms=40"], stream());
        assert_eq!(plan.status, 429);
        assert_eq!(plan.header("retry-after-ms"), Some("40"));
        assert_eq!(plan.header("retry-after"), None);
        assert!(testing::sketch(&plan)[1].contains("Please try again in 40ms."));
    }
}
