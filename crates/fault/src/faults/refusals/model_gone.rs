//! `model-gone`: the model is not there any more.

use holdover_wire::{ApiError, Evidence, Plan};

use crate::card::{Act, Decides, FaultCard, Group, Lasts, card};
use crate::edit::refusal;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Refusal,
    lasts: Lasts::FromThenOn,
    ..card(
        Group::Refusals,
        "model-gone",
        "404 `model_not_found` from then on",
        "a deployment is retired or access to it is taken away while a conversation goes on",
        Act::refuse_always(refuse),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Plan {
    let model = scene.model();
    let message = format!("The model `{model}` does not exist or you do not have access to it.");
    let error = ApiError::invalid("endpoints", Evidence::Fixture, message).status(404);
    refusal::refuse(scene, &error.code("model_not_found"))
}

#[cfg(test)]
mod tests {
    use crate::testing::{self, Scripted};

    #[test]
    fn from_then_on_the_model_is_unknown() {
        let mut session = Scripted::new(&["model-gone:call=2"]);
        let gone = "The model `gpt-5.6` does not exist or you do not have access to it.";
        assert_eq!(session.refused(testing::body()), None);
        assert_eq!(session.refused(testing::body()), Some((404, gone.to_owned())));
        assert_eq!(session.refused(testing::body()), Some((404, gone.to_owned())));
    }
}
