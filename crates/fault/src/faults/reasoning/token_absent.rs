//! `token-absent`: reasoning items have no token.

use holdover_wire::Plan;

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::tokens::{self, Token};
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    places: Places::Items,
    decides: Decides::Tokens,
    ..card(
        Group::Reasoning,
        "token-absent",
        "reasoning items have no token",
        "`include` was not honoured: the item is a bare id, which a stateless replay cannot resolve (classes.md N3)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    tokens::change(scene, plan, |_| Token::Removed)
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, stream};

    #[test]
    fn it_is_so_in_all_three_places() {
        assert_eq!(
            changes(&["token-absent"], stream()),
            [
                "- 2 output_item.added reasoning rs_1 token=partial",
                "+ 2 output_item.added reasoning rs_1",
                r#"- 7 output_item.done reasoning rs_1 "Think." token=full"#,
                r#"+ 7 output_item.done reasoning rs_1 "Think.""#,
                r#"- 15 completed [reasoning rs_1 "Think." token=last, message msg_1]"#,
                r#"+ 15 completed [reasoning rs_1 "Think.", message msg_1]"#,
            ]
        );
    }

    #[test]
    fn and_in_a_document() {
        let changes = changes(&["token-absent"], document());
        assert_eq!(changes.len(), 2);
        assert!(!changes[1].contains("encrypted_content"), "{changes:?}");
    }
}
