//! `failed-without-error`: a failed response that does not say why.

use holdover_wire::Plan;

use super::failed::fail_at;
use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::failure::{ErrorMember, Failure};
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::OneEvent(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Stream,
        "failed-without-error",
        "`response.failed` whose `error` is null",
        "clients read `error.message` of null and crash, or take it for a good end (errors.md E35)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    fail_at(scene, plan, &Failure::of_code("server_error"), ErrorMember::Null)
}

#[cfg(test)]
mod tests {
    use holdover_wire::PlanBody;

    use crate::testing::{document, play, sketch, stream};

    #[test]
    fn the_error_is_null() {
        let plan = play(&["failed-without-error:index=1"], stream());
        assert_eq!(sketch(&plan)[1..], ["0 created", "1 failed", "complete"]);
        let PlanBody::Stream(steps) = &plan.body else {
            panic!("no stream");
        };
        let failed = &steps[1].event().expect("an event").object()["response"];
        assert_eq!(failed["status"], "failed");
        assert_eq!(failed["error"], serde_json::Value::Null);
    }

    #[test]
    fn a_document_says_as_little() {
        let PlanBody::Json(body) = play(&["failed-without-error"], document()).body else {
            panic!("no document");
        };
        assert_eq!(
            (&body["status"], &body["error"]),
            (&"failed".into(), &serde_json::Value::Null)
        );
    }
}
