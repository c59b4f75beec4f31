//! `token-null`: the token of reasoning items is null.

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
        "token-null",
        "the token of reasoning items is null",
        "SDKs write null for what is not there, and send it back (classes.md N3)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    tokens::change(scene, plan, |_| Token::Null)
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, stream};

    #[test]
    fn it_is_so_in_all_three_places() {
        assert_eq!(
            changes(&["token-null"], stream()),
            [
                "- 2 output_item.added reasoning rs_1 token=partial",
                "+ 2 output_item.added reasoning rs_1 token=null",
                r#"- 7 output_item.done reasoning rs_1 "Think." token=full"#,
                r#"+ 7 output_item.done reasoning rs_1 "Think." token=null"#,
                r#"- 15 completed [reasoning rs_1 "Think." token=last, message msg_1]"#,
                r#"+ 15 completed [reasoning rs_1 "Think." token=null, message msg_1]"#,
            ]
        );
    }

    #[test]
    fn and_in_a_document() {
        let changes = changes(&["token-null"], document());
        assert_eq!(changes.len(), 2);
        assert!(changes[1].contains(r#""encrypted_content":null"#), "{changes:?}");
    }
}
