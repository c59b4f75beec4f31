//! `reasoning-interrupted`: the stream breaks off inside the reasoning, before any token.

use holdover_wire::{End, ItemKind, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::items::Stage;
use crate::edit::steps;
use crate::edit::tokens::{self, Token};
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::End,
    ..card(
        Group::Reasoning,
        "reasoning-interrupted",
        "the connection closes inside the reasoning: it was added without a token and is never finished",
        "an aborted run leaves an unfinished reasoning item; kept in a history it poisons it (classes.md N16)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    let Some(spot) = steps::steps(plan).and_then(|steps| inside(steps)) else {
        return Acted::No;
    };
    tokens::change(scene, plan, |stage| match stage {
        Stage::Added => Token::Removed,
        Stage::Done | Stage::Final => Token::Kept,
    });
    steps::end_after(plan, spot + 1, End::Cut);
    Acted::Yes
}

/// The last step of the first reasoning item before it is finished; but no further than its first delta.
fn inside(steps: &[holdover_wire::Step]) -> Option<usize> {
    let added = steps.iter().position(|step| {
        step.event().is_some_and(|event| {
            event.name() == "response.output_item.added"
                && event
                    .item()
                    .is_some_and(|item| item.kind() == ItemKind::Reasoning)
        })
    })?;
    let after = steps.iter().enumerate().skip(added + 1);
    let inside = after.take_while(|(_, step)| {
        step.event()
            .is_none_or(|event| event.name().starts_with("response.reasoning"))
    });
    let mut deltas = inside.filter(|(_, step)| step.event().is_some_and(|event| event.delta().is_some()));
    Some(deltas.next().map_or(added, |(delta, _)| delta))
}

#[cfg(test)]
mod tests {
    use crate::testing::{play, sketch, stream};

    #[test]
    fn after_the_first_delta_of_the_summary() {
        assert_eq!(
            sketch(&play(&["reasoning-interrupted"], stream()))[3..],
            [
                "2 output_item.added reasoning rs_1",
                "3 reasoning_summary_part.added rs_1",
                "4 reasoning_summary_text.delta rs_1 Think.",
                "cut",
            ]
        );
    }

    #[test]
    fn without_a_summary_right_after_it_was_added() {
        assert_eq!(
            sketch(&play(&["summary-empty", "reasoning-interrupted"], stream()))[3..],
            ["2 output_item.added reasoning rs_1", "cut"]
        );
    }
}
