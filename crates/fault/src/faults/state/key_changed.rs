//! `key-changed`: what was issued to another key does not work with this one.

use holdover_wire::{ApiError, Plan};

use crate::card::{Act, FaultCard, Group, Lasts, card};
use crate::edit::refusal;
use crate::edit::scope::foreign;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    lasts: Lasts::FromThenOn,
    ..card(
        Group::State,
        "key-changed",
        "what was issued to another key does not work with this one",
        "a gateway binds tokens to the key that asked: rotation breaks every conversation (errors.md E12, classes.md N5)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let error: ApiError = foreign(scene, refusal::OTHER_ORGANISATION)?;
    Some(refusal::refuse(scene, &error))
}

#[cfg(test)]
mod tests {
    use crate::testing::{Scripted, body, replay};

    #[test]
    fn tokens_from_before_are_foreign_from_then_on() {
        let mut session = Scripted::new(&["key-changed:call=3"]);
        assert_eq!(session.refused(body()), None);
        assert_eq!(session.refused(replay("full")), None);
        let foreign = "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content organization_id did not match the target organization.";
        assert_eq!(session.refused(replay("full")), Some((400, foreign.to_owned())));
        assert_eq!(session.refused(replay("last")), Some((400, foreign.to_owned())));
        assert_eq!(session.refused(body()), None);
    }

    #[test]
    fn what_the_other_one_stored_is_not_found() {
        let mut session = Scripted::new(&["key-changed:call=2"]);
        assert_eq!(session.refused(body()), None);
        let next = serde_json::json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_1"});
        let gone = "Previous response with id 'resp_1' not found.";
        assert_eq!(session.refused(next), Some((400, gone.to_owned())));
    }
}
