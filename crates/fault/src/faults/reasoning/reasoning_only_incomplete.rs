//! `reasoning-only-incomplete`: the budget ended inside the reasoning.

use holdover_wire::Plan;

use super::reasoning_only::say;
use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::faults::stream::incomplete::make_incomplete;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    decides: Decides::Reply,
    ..card(
        Group::Reasoning,
        "reasoning-only-incomplete",
        "the output is one reasoning item; the response is incomplete, `max_output_tokens`",
        "the budget ended inside the reasoning: the next turn has a trailing reasoning item (errors.md E35, classes.md N24)",
        Act::say(say).then_rewrite(rewrite),
    )
};

fn rewrite(_: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    make_incomplete(plan, "max_output_tokens")
}

#[cfg(test)]
mod tests {
    use crate::session::Said;
    use crate::testing::{Scripted, play, sketch, stream};

    #[test]
    fn what_is_said_is_reasoning_and_the_end_is_a_limit() {
        let (said, _) = Scripted::new(&["reasoning-only-incomplete"]).reply(None);
        assert!(matches!(said, Said::Instead(_)), "{said:?}");
        let sketch = sketch(&play(&["reasoning-only-incomplete"], stream()));
        assert!(
            sketch[16].starts_with(r#"15 incomplete incomplete_details={"reason":"max_output_tokens"}"#),
            "{}",
            sketch[16]
        );
    }
}
