//! `token-only-on-done`: only the finished item has a token.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::items::Stage;
use crate::edit::steps;
use crate::edit::tokens::{self, Token};
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::Items,
    decides: Decides::Tokens,
    ..card(
        Group::Reasoning,
        "token-only-on-done",
        "the token is in `output_item.done` and nowhere else",
        "clients that take their history from the terminal object have reasoning without a token (errors.md E35)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    if steps::steps(plan).is_none() {
        return Acted::No;
    }
    tokens::change(scene, plan, |stage| match stage {
        Stage::Done => Token::Kept,
        Stage::Added | Stage::Final => Token::Removed,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, play, stream};

    #[test]
    fn the_other_two_have_none() {
        assert_eq!(
            changes(&["token-only-on-done"], stream()),
            [
                "- 2 output_item.added reasoning rs_1 token=partial",
                "+ 2 output_item.added reasoning rs_1",
                r#"- 15 completed [reasoning rs_1 "Think." token=last, message msg_1]"#,
                r#"+ 15 completed [reasoning rs_1 "Think.", message msg_1]"#,
            ]
        );
        assert_eq!(play(&["token-only-on-done"], document()), document());
    }
}
