//! `pause`: a wait before events.

use std::time::Duration;

use holdover_wire::{Plan, Step};

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::options::milliseconds;
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[milliseconds("ms", 100, "how long each pause is")],
    places: Places::EveryEvent,
    ..card(
        Group::Timing,
        "pause",
        "a wait before every event, or before those that the trigger names",
        "a slow model, or one long silence in the middle (`index`): idle timeouts of clients",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let wait = Duration::from_millis(scene.whole("ms"));
    before_each(scene, plan, |_| wait)
}

/// Puts a wait before every event that is meant.
pub(super) fn before_each(
    scene: &mut Scene<'_>,
    plan: &mut Plan,
    mut wait: impl FnMut(&mut Scene<'_>) -> Duration,
) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let spots = scene.spots(steps);
    let mut slowed = Vec::with_capacity(steps.len() + spots.len());
    for (index, step) in std::mem::take(steps).into_iter().enumerate() {
        if spots.contains(&index) {
            slowed.push(Step::Wait(wait(scene)));
        }
        slowed.push(step);
    }
    *steps = slowed;
    Acted::when(!spots.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, sketch, stream};

    #[test]
    fn every_event_waits() {
        assert_eq!(changes(&["pause:ms=5"], stream()), vec!["+ wait 5ms"; 16]);
    }

    #[test]
    fn or_the_one_that_is_named() {
        let plan = crate::testing::play(&["pause:ms=5,event=response.completed"], stream());
        let sketch = sketch(&plan);
        assert_eq!(sketch[16], "wait 5ms");
        assert!(sketch[17].starts_with("15 completed"));
        assert_eq!(
            changes(&["pause:ms=5,event=response.completed"], stream()).len(),
            1
        );
    }

    #[test]
    fn a_document_has_no_events() {
        assert_eq!(changes(&["pause"], document()), Vec::<String>::new());
    }
}
