//! `error-after-text`: everything was shown, then the response fails.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::failure::{ErrorMember, Failure, fail};
use crate::edit::steps;
use crate::place::Spot;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::End,
    ..card(
        Group::Stream,
        "error-after-text",
        "an `error` event and `response.failed` after the whole text",
        "the user has read the answer: a client that keeps the text has a turn that never was (classes.md N15)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let failure = Failure::of_code("server_error");
    let last = Spot::Last("response.output_text.done");
    let spot = steps::steps(plan).and_then(|steps| scene.fault.trigger.place.one(steps, last));
    let events = vec![failure.nested()];
    Acted::when(fail(plan, spot, events, Some((&failure, ErrorMember::Given))))
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn the_text_is_whole_and_the_item_is_not_finished() {
        let sketch = sketch(&play(&["error-after-text"], stream()));
        assert_eq!(sketch[13], "12 output_text.done msg_1 Grüße");
        assert!(sketch[14].starts_with("13 error error="), "{}", sketch[14]);
        assert!(sketch[15].starts_with("14 failed error="), "{}", sketch[15]);
        assert_eq!(sketch[16], "complete");
    }
}
