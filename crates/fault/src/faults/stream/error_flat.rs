//! `error-flat`: an `error` event as the SDKs type it.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::failure::{CODES, Failure, fail};
use crate::edit::steps;
use crate::options::word;
use crate::place::{Places, Spot};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word("code", &CODES, "`code`")],
    places: Places::OneEvent(Spot::Middle),
    decides: Decides::End,
    ..card(
        Group::Stream,
        "error-flat",
        "an `error` event with `code` and `message` at its top, and nothing after it",
        "the form of the schema: the Python SDK hands it out like any event and raises nothing (streaming.md section 8)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let failure = Failure::of_code(scene.word("code"));
    let spot = steps::steps(plan).and_then(|steps| scene.spot(steps));
    Acted::when(fail(plan, spot, vec![failure.flat()], None))
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn it_is_the_last_event() {
        let plan = play(&["error-flat:index=1"], stream());
        assert_eq!(
            sketch(&plan)[1..],
            ["0 created", r#"1 error code="server_error""#, "complete"]
        );
    }
}
