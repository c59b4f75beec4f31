//! `token-only-in-terminal`: only the terminal object has a token.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::items::Stage;
use crate::edit::tokens::{self, Token};
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::Items,
    decides: Decides::Tokens,
    ..card(
        Group::Reasoning,
        "token-only-in-terminal",
        "the token is in the terminal object and nowhere else",
        "the protected part comes last: clients that read only finished items, or that stop reading, lose it (D3, classes.md N25)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    tokens::change(scene, plan, |stage| match stage {
        Stage::Final => Token::Kept,
        Stage::Added | Stage::Done => Token::Removed,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, play, stream};

    #[test]
    fn the_first_two_have_none() {
        assert_eq!(
            changes(&["token-only-in-terminal"], stream()),
            [
                "- 2 output_item.added reasoning rs_1 token=partial",
                "+ 2 output_item.added reasoning rs_1",
                r#"- 7 output_item.done reasoning rs_1 "Think." token=full"#,
                r#"+ 7 output_item.done reasoning rs_1 "Think.""#,
            ]
        );
        assert_eq!(play(&["token-only-in-terminal"], document()), document());
    }
}
