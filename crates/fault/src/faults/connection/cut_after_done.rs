//! `cut-after-done`: the connection closes after finished items, before the end.

use holdover_wire::{End, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::steps;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole(
        "after",
        (1, 1_000),
        1,
        "after so many `response.output_item.done`",
    )],
    decides: Decides::End,
    ..card(
        Group::Connection,
        "cut-after-done",
        "the connection closes after so many finished items, without a terminal event",
        "a client that keeps finished items of a broken stream has reasoning without its follower (classes.md N1, N15)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let after = scene.size("after") - 1;
    let spot = steps::steps(plan).and_then(|steps| {
        let finished = steps.iter().enumerate().filter(|(_, step)| {
            step.event()
                .is_some_and(|event| event.name() == "response.output_item.done")
        });
        finished.map(|(index, _)| index).nth(after)
    });
    if let Some(spot) = spot {
        steps::end_after(plan, spot + 1, End::Cut);
    }
    Acted::when(spot.is_some())
}

#[cfg(test)]
mod tests {
    use crate::testing::{document, play, sketch, stream};

    #[test]
    fn the_finished_item_is_the_last_thing_that_comes() {
        let last = |flag: &str| {
            let sketch = sketch(&play(&[flag], stream()));
            sketch[sketch.len() - 2..].to_vec()
        };
        assert_eq!(
            last("cut-after-done"),
            [r#"7 output_item.done reasoning rs_1 "Think." token=full"#, "cut"]
        );
        assert_eq!(
            last("cut-after-done:after=2"),
            ["14 output_item.done message msg_1", "cut"]
        );
    }

    #[test]
    fn a_stream_with_fewer_items_and_a_document_stay_whole() {
        assert_eq!(play(&["cut-after-done:after=3"], stream()), stream());
        assert_eq!(play(&["cut-after-done"], document()), document());
    }
}
