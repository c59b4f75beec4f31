//! `should-retry`: a refusal whose header says the opposite of its status.

use holdover_wire::{Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::{whole, word};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[
        word("retry", &["false", "true"], "what `x-should-retry` says"),
        whole("status", (400, 599), 500, "HTTP status"),
    ],
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "should-retry",
        "a refusal with `x-should-retry`, which overrules its status",
        "the service knows better than the status: a 500 that must not be tried again, a 400 that may (endpoints.md, Errors)",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let status = scene.fault.options.status();
    let kind = if status < 500 {
        "invalid_request_error"
    } else {
        "server_error"
    };
    let message = "The server had an error while processing your request. Sorry about that!";
    let error = refusal::server_error((status, "endpoints", Evidence::Inferred), kind, message);
    let retry = scene.word("retry");
    refusal::refuse_with(scene, &error, &[("x-should-retry", retry)])
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn the_header_is_there() {
        let plan = testing::play(&["should-retry"], stream());
        assert_eq!((plan.status, plan.header("x-should-retry")), (500, Some("false")));
        let plan = testing::play(&["should-retry:retry=true,status=400"], stream());
        assert_eq!((plan.status, plan.header("x-should-retry")), (400, Some("true")));
    }
}
