//! `failed`: the response fails after it began.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::failure::{CODES, ErrorMember, Failure, fail, fail_document};
use crate::edit::steps;
use crate::options::word;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word("code", &CODES, "`response.error.code`")],
    places: Places::OneEvent(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Stream,
        "failed",
        "`response.failed` with its error after an event; a document has the status `failed`",
        "a failure inside a 200: it is nested under `response.error`, and SDKs do not raise it (errors.md E33-E35)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let failure = Failure::of_code(scene.word("code"));
    fail_at(scene, plan, &failure, ErrorMember::Given)
}

/// Lets a response fail, in a stream or in a document.
pub(super) fn fail_at(scene: &Scene<'_>, plan: &mut Plan, failure: &Failure, member: ErrorMember) -> Acted {
    if fail_document(plan, failure, member) {
        return Acted::Yes;
    }
    let spot = steps::steps(plan).and_then(|steps| scene.spot(steps));
    Acted::when(fail(plan, spot, Vec::new(), Some((failure, member))))
}

#[cfg(test)]
mod tests {
    use crate::session::Delivery;
    use crate::testing::{Scripted, body, document, play, sketch, stream};

    #[test]
    fn the_stream_ends_in_a_failure() {
        let played = Scripted::new(&["failed:event=response.in_progress"]).send(body(), stream());
        assert_eq!(
            sketch(&played.plan)[1..],
            [
                "0 created",
                "1 in_progress",
                r#"2 failed error={"code":"server_error","message":"An error occurred while processing your request. You can retry your request."}"#,
                "complete",
            ]
        );
        assert_eq!(played.delivery, Delivery::Lost);
    }

    #[test]
    fn after_the_terminal_event_it_takes_its_place() {
        let plan = play(
            &["failed:event=response.completed,code=rate_limit_exceeded"],
            stream(),
        );
        let sketch = sketch(&plan);
        assert_eq!(sketch[15], "14 output_item.done message msg_1");
        assert!(sketch[16].starts_with("15 failed error="), "{}", sketch[16]);
        assert!(sketch[16].contains("Please try again in 1.5s."), "{}", sketch[16]);
    }

    #[test]
    fn a_document_is_that_of_a_failed_response() {
        let plan = play(&["failed"], document());
        let expected = r#"{"id":"resp_1","object":"response","status":"failed","error":{"code":"server_error","message":"An error occurred while processing your request. You can retry your request."},"incomplete_details":null,"model":"gpt-5.6","output":[],"usage":null,"completed_at":null}"#;
        assert_eq!(sketch(&plan)[1], expected);
    }
}
