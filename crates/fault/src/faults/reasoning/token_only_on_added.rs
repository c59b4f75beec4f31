//! `token-only-on-added`: only the item that is added has a token.

use std::collections::BTreeMap;

use holdover_wire::{ItemKind, Plan};

use crate::card::{Act, Acted, Decides, FaultCard, Group, card};
use crate::edit::items::{self, Stage};
use crate::edit::steps;
use crate::edit::tokens::{self, Token};
use crate::options::word;
use crate::place::Places;
use crate::scene::Scene;

pub(crate) static CARD: FaultCard = FaultCard {
    options: &[word(
        "token",
        &["full", "partial"],
        "the token of the finished item, or the short one that stands there anyway",
    )],
    places: Places::Items,
    decides: Decides::Tokens,
    ..card(
        Group::Reasoning,
        "token-only-on-added",
        "the token is in `output_item.added` and nowhere else",
        "backends that know it at once and do not repeat it: clients that read finished items have none (classes.md N25)",
        Act::rewrite(rewrite),
    )
};

fn rewrite(scene: &mut Scene<'_>, plan: &mut Plan) -> Acted {
    if steps::steps(plan).is_none() {
        return Acted::No;
    }
    if scene.word("token") == "full" {
        move_to_added(scene, plan);
    }
    tokens::change(scene, plan, |stage| match stage {
        Stage::Added => Token::Kept,
        Stage::Done | Stage::Final => Token::Removed,
    })
}

fn move_to_added(scene: &Scene<'_>, plan: &mut Plan) {
    let mut full = BTreeMap::new();
    items::change(plan, |stage, item| {
        let view = items::view(item);
        if let (Stage::Done, Some(id), Some(token)) = (stage, view.id(), view.encrypted_content()) {
            full.insert(id.to_owned(), token.to_owned());
        }
        false
    });
    items::change(plan, |stage, item| {
        let view = items::view(item);
        let token = view.id().and_then(|id| full.get(id));
        match token {
            Some(token) if stage == Stage::Added && scene.concerns(view, Some(ItemKind::Reasoning)) => {
                items::set(item, "encrypted_content", token.as_str().into())
            }
            _ => false,
        }
    });
}

#[cfg(test)]
mod tests {
    use crate::testing::{changes, document, play, stream};

    #[test]
    fn the_full_token_moves_to_the_added_item() {
        assert_eq!(
            changes(&["token-only-on-added"], stream()),
            [
                "- 2 output_item.added reasoning rs_1 token=partial",
                "+ 2 output_item.added reasoning rs_1 token=full",
                r#"- 7 output_item.done reasoning rs_1 "Think." token=full"#,
                r#"+ 7 output_item.done reasoning rs_1 "Think.""#,
                r#"- 15 completed [reasoning rs_1 "Think." token=last, message msg_1]"#,
                r#"+ 15 completed [reasoning rs_1 "Think.", message msg_1]"#,
            ]
        );
    }

    #[test]
    fn or_the_short_one_stays() {
        let changes = changes(&["token-only-on-added:token=partial"], stream());
        assert_eq!(changes.len(), 4);
        assert!(changes.iter().all(|line| !line.contains("added")), "{changes:?}");
    }

    #[test]
    fn a_document_has_no_added_items() {
        assert_eq!(play(&["token-only-on-added"], document()), document());
    }
}
