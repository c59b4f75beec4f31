//! `token-after-message`: the finished reasoning item comes after the message.

use holdover_wire::{ItemKind, Plan, Step};

use crate::card::{Act, Acted, FaultCard, Group, card};
use crate::edit::steps;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    ..card(
        Group::Reasoning,
        "token-after-message",
        "`output_item.done` of the reasoning, with its token, comes after that of the message",
        "the order of the .NET sample: a client that stops at the finished message never sees the token (D3, classes.md L2)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(steps) = steps::steps(plan) else {
        return Acted::No;
    };
    let done = |kind: ItemKind| {
        move |step: &Step| {
            step.event().is_some_and(|event| {
                event.name() == "response.output_item.done"
                    && event.item().is_some_and(|item| item.kind() == kind)
            })
        }
    };
    let reasoning = steps.iter().position(done(ItemKind::Reasoning));
    let message = steps.iter().rposition(done(ItemKind::Message));
    match (reasoning, message) {
        (Some(reasoning), Some(message)) if reasoning < message => {
            let late = steps.remove(reasoning);
            steps.insert(message, late);
            steps::renumber(steps);
            Acted::Yes
        }
        _ => Acted::No,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn the_numbers_follow_the_new_order() {
        let sketch = sketch(&play(&["token-after-message"], stream()));
        assert_eq!(sketch[8], "7 output_item.added message msg_1");
        assert_eq!(
            sketch[14..16],
            [
                "13 output_item.done message msg_1",
                r#"14 output_item.done reasoning rs_1 "Think." token=full"#
            ]
        );
    }
}
