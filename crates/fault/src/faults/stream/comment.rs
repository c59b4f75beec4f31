//! `comment`: lines of comment between events.

use holdover_wire::{Plan, Step};

use crate::card::{Act, Acted, FaultCard, Framing, Group, card};
use crate::edit::steps;
use crate::options::{OptionDefault, text};
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[text(
        "text",
        OptionDefault::Text("keep-alive"),
        "what the comment says",
    )],
    places: Places::EveryEvent,
    framing: Framing::Lines,
    ..card(
        Group::Stream,
        "comment",
        "a comment line before every event, or before those that the trigger names",
        "keep-alives of servers and proxies: `: keep-alive` (streaming.md section 1); parsers that want `data:` fail",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let comment = format!(": {}\n\n", scene.word("text")).into_bytes();
    before_each(scene, plan, |_, _| Step::Raw(comment.clone()))
}

/// Puts a step before every event that is meant.
pub(super) fn before_each(
    scene: &Scene<'_>,
    plan: &mut Plan,
    mut step: impl FnMut(&[Step], usize) -> Step,
) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spots = scene.spots(steps);
    for spot in spots.iter().rev() {
        let new = step(steps, *spot);
        steps.insert(*spot, new);
    }
    Acted::when(!spots.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, play, sketch, stream};

    #[test]
    fn every_event_has_one() {
        assert_eq!(
            changes(&["comment"], stream()),
            vec!["+ raw : keep-alive\\n\\n"; 16]
        );
    }

    #[test]
    fn or_the_one_that_is_named() {
        let sketch = sketch(&play(&["comment:text=x,event=response.completed"], stream()));
        assert_eq!(sketch[16], "raw : x\\n\\n");
        assert_eq!(sketch.len(), 19);
    }
}
