//! `not-visible`: what was just stored is not there yet.

use holdover_wire::Plan;

use crate::card::{Act, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole(
        "calls",
        (1, 1_000),
        1,
        "for so many create calls after the one that stored it",
    )],
    ..card(
        Group::State,
        "not-visible",
        "a stored response or item is not found for some calls after it was issued",
        "a store that is consistent only after a while: the first retry fails, a later one passes (errors.md E07, E15, classes.md N12)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let calls = scene.whole("calls");
    let now = scene.memory.calls;
    let is_fresh = |id: &&&str| {
        let issued = scene.memory.issued_at(id);
        issued.is_some_and(|call| now - call <= calls)
    };
    let id = *scene.named().iter().find(is_fresh)?;
    Some(refusal::refuse(scene, &refusal::not_found(id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Scripted, body};

    #[test]
    fn it_appears_after_so_many_calls() {
        let mut session = Scripted::new(&["not-visible:calls=2"]);
        let next = || json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_1"});
        assert_eq!(session.refused(body()), None);
        let gone = (400, "Previous response with id 'resp_1' not found.".to_owned());
        assert_eq!(session.refused(next()), Some(gone.clone()));
        assert_eq!(session.refused(next()), Some(gone));
        assert_eq!(session.refused(next()), None);
    }

    #[test]
    fn an_item_that_is_only_named_as_well() {
        let mut session = Scripted::new(&["not-visible"]);
        let named = json!({"model": "gpt-5.6", "input": [{"type": "item_reference", "id": "rs_1"}]});
        assert_eq!(session.refused(body()), None);
        let gone = (404, "Item with id 'rs_1' not found.".to_owned());
        assert_eq!(session.refused(named.clone()), Some(gone));
        assert_eq!(session.refused(named), None);
    }
}
