//! `server-error-empty`: a 5xx without a body.

use holdover_wire::Plan;

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole("status", (400, 599), 503, "HTTP status")],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "server-error-empty",
        "503 (or another status) with an empty body",
        "a load balancer without a backend; a client that needs `error.message` shows nothing at all",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    refusal::gateway(scene.fault.options.status(), "text/plain", "")
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn not_a_byte_follows_the_headers() {
        let sketch = testing::sketch(&testing::play(&["server-error-empty:status=504"], stream()));
        assert_eq!(
            sketch,
            [
                "504 server=cloudflare content-type=text/plain content-length=0",
                "complete",
            ]
        );
    }
}
