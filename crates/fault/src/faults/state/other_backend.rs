//! `other-backend`: now and then a request reaches a backend that does not have what it names.

use holdover_wire::Plan;

use crate::card::{Act, FaultCard, Group, card};
use crate::edit::refusal;
use crate::options::whole;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[whole(
        "percent",
        (1, 100),
        50,
        "how often the other backend is reached",
    )],
    ..card(
        Group::State,
        "other-backend",
        "what a request names by id is not found, with some chance from the seed",
        "references resolved on another backend: about one in a hundred fails, a retry may pass (errors.md E07)",
        Act::refuse(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let id = *scene.named().first()?;
    let missed = scene.dice.up_to(99) < scene.whole("percent");
    missed.then(|| refusal::refuse(scene, &refusal::not_found(id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{Scripted, body};

    fn misses(seed: u64, flag: &str) -> usize {
        let mut session = Scripted::seeded(seed, &[flag]);
        let next = json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_1"});
        (0..200)
            .filter(|_| session.refused(next.clone()).is_some())
            .count()
    }

    #[test]
    fn about_as_often_as_was_asked_for() {
        let quarter = misses(7, "other-backend:percent=25");
        assert!((30..70).contains(&quarter), "{quarter}");
        assert_eq!(quarter, misses(7, "other-backend:percent=25"));
        assert_eq!(misses(7, "other-backend:percent=100"), 200);
    }

    #[test]
    fn who_names_nothing_is_served() {
        let mut session = Scripted::new(&["other-backend:percent=100"]);
        assert_eq!(session.refused(body()), None);
    }
}
