//! `server-error`: 500, 502, 503 or 504 with the API's body.

use holdover_wire::{Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole("status", (500, 599), 500, "HTTP status")],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "server-error",
        "500 (or another 5xx) with the API's JSON",
        "an error of the service (errors.md E34)",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let status = scene.fault.options.status();
    let message = "The server had an error while processing your request. Sorry about that!";
    let error = refusal::server_error((status, "E34", Evidence::Fixture), "server_error", message);
    refusal::refuse(scene, &error.code("server_error"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn the_body_is_json() {
        let sketch = testing::sketch(&testing::play(&["server-error:status=504"], stream()));
        assert_eq!(
            sketch,
            [
                "504 content-type=application/json",
                r#"{"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":"server_error"}}"#,
                "complete",
            ]
        );
    }
}
