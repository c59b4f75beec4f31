//! `quota`: 429 that no waiting helps.

use holdover_wire::{Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, card};
use crate::edit::refusal;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Refusal,
    ..card(
        Group::Refusals,
        "quota",
        "429 `insufficient_quota`: the credit is used up",
        "a client that takes every 429 for a rate limit retries for ever (endpoints.md, Errors)",
        Act::refuse_always(refuse),
    )
};

const MESSAGE: &str = "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.";

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let error = refusal::server_error(
        (429, "endpoints", Evidence::Measured),
        "insufficient_quota",
        MESSAGE,
    );
    refusal::refuse(scene, &error.code("insufficient_quota"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, stream};

    #[test]
    fn it_is_a_429_without_a_wait() {
        let plan = testing::play(&["quota"], stream());
        assert_eq!(plan.status, 429);
        assert_eq!(plan.header("retry-after"), None);
        let body = &testing::sketch(&plan)[1];
        assert!(
            body.ends_with(r#""type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#),
            "{body}"
        );
    }
}
