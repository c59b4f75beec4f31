//! `error-renamed`: refusals lose their code.

use holdover_wire::{Plan, PlanBody};
use serde_json::Value;

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::options::{OptionDefault, text};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[
        text(
            "to",
            OptionDefault::Absent,
            "the code instead; null where it is absent",
        ),
        text("from", OptionDefault::Absent, "only refusals with this code"),
    ],
    ..card(
        Group::State,
        "error-renamed",
        "refusals of the server have another code, or none",
        "a proxy renames codes, and recovery that matches on them stops working (errors.md E36, classes.md N20)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let to = scene.text("to").map_or(Value::Null, Value::from);
    let from = scene.text("from");
    let PlanBody::Json(body) = &mut plan.body else {
        return Acted::No;
    };
    match body.pointer_mut("/error/code") {
        Some(code) if from.is_none_or(|from| code == from) && *code != to => {
            *code = to;
            Acted::Yes
        }
        _ => Acted::No,
    }
}

#[cfg(test)]
mod tests {
    use holdover_wire::PlanBody;

    use crate::testing::{document, play, stream};

    fn code(flags: &[&str]) -> String {
        let PlanBody::Json(body) = play(flags, stream()).body else {
            panic!("no refusal");
        };
        body["error"]["code"].to_string()
    }

    #[test]
    fn the_code_is_another_one_or_none() {
        assert_eq!(code(&["quota", "error-renamed"]), "null");
        assert_eq!(
            code(&["quota", "error-renamed:to=bad_request"]),
            r#""bad_request""#
        );
        assert_eq!(
            code(&["quota", "error-renamed:from=server_error"]),
            r#""insufficient_quota""#
        );
    }

    #[test]
    fn an_answer_has_no_code_to_rename() {
        assert_eq!(play(&["error-renamed"], document()), document());
    }
}
