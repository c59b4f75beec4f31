//! `request-timeout`: 408.

use holdover_wire::{Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "request-timeout",
        "408: the server gave up waiting for the request",
        "a slow upload, or a gateway with a short patience; SDKs retry it (endpoints.md, Errors)",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let error = refusal::server_error(
        (408, "endpoints", Evidence::Inferred),
        "server_error",
        "Request timed out.",
    );
    refusal::refuse(scene, &error)
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn it_is_a_408() {
        let sketch = testing::sketch(&testing::play(&["request-timeout"], stream()));
        assert_eq!(
            sketch,
            [
                "408 content-type=application/json",
                r#"{"error":{"message":"Request timed out.","type":"server_error","param":null,"code":null}}"#,
                "complete",
            ]
        );
    }
}
