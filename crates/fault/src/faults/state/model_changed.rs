//! `model-changed`: another model answers, and cannot read what the first one thought.

use holdover_wire::{Plan, PlanBody};
use serde_json::Value;

use crate::card::{Act, Acted, FaultCard, Group, Lasts, card};
use crate::edit::{refusal, scope, steps};
use crate::options::{OptionDefault, text};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[text(
        "to",
        OptionDefault::Text("gpt-5.7-2026-11-01"),
        "the model as answers name it",
    )],
    lasts: Lasts::FromThenOn,
    ..card(
        Group::State,
        "model-changed",
        "answers name another model, and tokens from before cannot be read",
        "an alias moves to a new snapshot, or a router falls back, in the middle of a conversation (errors.md E12, classes.md N5)",
        Act::refuse(refuse).then_rewrite(rewrite),
    )
};

fn refuse(scene: &mut Scene<'_>) -> Option<Plan> {
    let error = scope::foreign_token(scene, refusal::UNREADABLE)?;
    Some(refusal::refuse(scene, &error))
}

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let to = scene.word("to");
    if let PlanBody::Json(body) = &mut plan.body {
        return Acted::when(rename(Some(body), to));
    }
    let mut changed = false;
    for event in steps::steps(plan)
        .into_iter()
        .flatten()
        .filter_map(steps::event_mut)
    {
        changed |= rename(event.object_mut().get_mut("response"), to);
    }
    Acted::when(changed)
}

fn rename(response: Option<&mut Value>, to: &str) -> bool {
    let model = response.and_then(|response| response.get_mut("model"));
    let Some(model) = model.filter(|model| *model != to) else {
        return false;
    };
    *model = to.into();
    true
}

#[cfg(test)]
mod tests {
    use crate::testing::{Scripted, body, document, replay, stream};

    #[test]
    fn tokens_from_before_are_foreign_and_what_was_stored_is_not() {
        let mut session = Scripted::new(&["model-changed:call=2"]);
        assert_eq!(session.refused(body()), None);
        let foreign = "The encrypted content for item rs_1 could not be verified. Reason: Encrypted content could not be decrypted or parsed.";
        assert_eq!(session.refused(replay("full")), Some((400, foreign.to_owned())));
        let next = serde_json::json!({"model": "gpt-5.6", "input": "And?", "previous_response_id": "resp_1"});
        assert_eq!(session.refused(next), None);
    }

    #[test]
    fn answers_name_the_other_model() {
        for plan in [stream(), document()] {
            let plan = Scripted::new(&["model-changed:to=m2"]).send(body(), plan).plan;
            let text = String::from_utf8(plan.body.bytes())
                .expect("text")
                .replace(": ", ":");
            assert!(text.contains(r#""model":"m2""#), "{text}");
            assert!(!text.contains("gpt-5.6"), "{text}");
        }
    }
}
