//! `chain-expired`: the response before is gone.

use holdover_wire::{CreateRequest, Plan};

use crate::card::{Act, FaultCard, Group, Lasts, card};
use crate::edit::refusal;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    lasts: Lasts::FromThenOn,
    ..card(
        Group::State,
        "chain-expired",
        "responses that were stored before are not found any more",
        "thirty days are over, or the response was deleted: only a full replay goes on (errors.md E15, classes.md N12)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let id = scene.request().and_then(CreateRequest::previous_response_id)?;
    scene
        .is_from_before(id)
        .then(|| refusal::refuse(scene, &refusal::previous_not_found(id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Scripted, body};

    #[test]
    fn what_was_stored_before_is_gone_for_good() {
        let mut session = Scripted::new(&["chain-expired:call=3"]);
        let next = || json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_1"});
        let gone = (400, "Previous response with id 'resp_1' not found.".to_owned());
        assert_eq!(session.refused(body()), None);
        assert_eq!(session.refused(next()), None);
        assert_eq!(session.refused(next()), Some(gone.clone()));
        assert_eq!(session.refused(next()), Some(gone));
        assert_eq!(session.refused(body()), None);
    }

    #[test]
    fn an_id_that_was_never_issued_is_left_to_the_fake() {
        let mut session = Scripted::new(&["chain-expired"]);
        let other = json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_other"});
        assert_eq!(session.refused(other), None);
    }
}
