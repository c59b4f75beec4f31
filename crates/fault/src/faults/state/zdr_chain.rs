//! `zdr-chain`: the organisation may not chain responses any more.

use holdover_wire::{ApiError, CreateRequest, Evidence, Plan};

use crate::card::{Act, FaultCard, Group, Lasts, card};
use crate::edit::refusal;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    lasts: Lasts::FromThenOn,
    ..card(
        Group::State,
        "zdr-chain",
        "`previous_response_id` is refused: zero data retention",
        "retention is switched off for an organisation while its conversations go on (errors.md E16, classes.md N13)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    scene.request().and_then(CreateRequest::previous_response_id)?;
    let message = "Previous response cannot be used for this organization due to Zero Data Retention.";
    let error = ApiError::invalid("E16", Evidence::Reported, message)
        .at("previous_response_id")
        .code("unsupported_parameter");
    Some(refusal::refuse(scene, &error))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Scripted, body};

    #[test]
    fn chains_are_refused_and_nothing_else() {
        let mut session = Scripted::new(&["zdr-chain"]);
        let next = json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_1"});
        let message = "Previous response cannot be used for this organization due to Zero Data Retention.";
        assert_eq!(session.refused(next), Some((400, message.to_owned())));
        assert_eq!(session.refused(body()), None);
    }
}
