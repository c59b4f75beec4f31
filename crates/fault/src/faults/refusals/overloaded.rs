//! `overloaded`: 503 in the API's words.

use holdover_wire::{Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::word;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word(
        "code",
        &["server_is_overloaded", "slow_down"],
        "`error.code`",
    )],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "overloaded",
        "503: the servers are overloaded",
        "peak hours (errors.md E34); retryable as long as no output was shown",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let message = "Our servers are currently overloaded. Please try again later.";
    let error = refusal::server_error((503, "E34", Evidence::Fixture), "server_error", message);
    let error = error.code(scene.word("code"));
    refusal::refuse(scene, &error)
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn it_says_so() {
        let sketch = testing::sketch(&testing::play(&["overloaded:code=slow_down"], stream()));
        assert_eq!(
            sketch,
            [
                "503 content-type=application/json",
                r#"{"error":{"message":"Our servers are currently overloaded. Please try again later.","type":"server_error","param":null,"code":"slow_down"}}"#,
                "complete",
            ]
        );
    }
}
