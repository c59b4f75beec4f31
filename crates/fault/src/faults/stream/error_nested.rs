//! `error-nested`: an `error` event as it was captured, and the failed response after it.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::failure::{CODES, ErrorMember, Failure, fail};
use crate::edit::steps;
use crate::options::word;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word("code", &CODES, "`error.code`")],
    places: Places::OneEvent(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Stream,
        "error-nested",
        "an `error` event with `error: {…}` after an event, then `response.failed`",
        "how the API fails in a stream (streaming.md section 8); SDKs raise at the first and never show the second",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let failure = Failure::of_code(scene.word("code"));
    let spot = steps::steps(plan).and_then(|steps| scene.spot(steps));
    let events = vec![failure.nested()];
    Acted::when(fail(plan, spot, events, Some((&failure, ErrorMember::Given))))
}

#[cfg(test)]
mod tests {
    use crate::testing::{document, play, sketch, stream};

    #[test]
    fn the_error_comes_before_the_failed_response() {
        let plan = play(&["error-nested:index=1,code=insufficient_quota"], stream());
        assert_eq!(
            sketch(&plan)[1..],
            [
                "0 created",
                r#"1 error error={"type":"insufficient_quota","code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details.","param":null}"#,
                r#"2 failed error={"code":"insufficient_quota","message":"You exceeded your current quota, please check your plan and billing details."}"#,
                "complete",
            ]
        );
    }

    #[test]
    fn a_document_has_no_events() {
        assert_eq!(play(&["error-nested"], document()), document());
    }
}
