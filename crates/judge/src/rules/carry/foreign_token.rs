//! `foreign-token`: the token of one item under the id of another.

use crate::draft::Draft;
use crate::rules::rule;
use crate::sent::TokenSeen;
use crate::sighting::Sighting;

rule! {
    name: "foreign-token", class: Carry, severity: Error,
    summary: "a reasoning item carries a token that was issued for another item, or its token under another id",
    what: "Id and token of a carried reasoning item do not belong together: the token was issued for another item, or the id was rewritten.",
    why: "The id is sealed into the token. The API refuses the pair (E12, \"Encrypted content item_id did not match the target item id\").",
    fix: "carry `id` and `encrypted_content` of one item together, as issued; never make ids anew",
    clients: {
        Meai: "do not merge reasoning contents of different items: the id is in `AdditionalProperties`, the token in `ProtectedData`",
    },
}

/// Token and id of the carried reasoning do not belong together.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    let TokenSeen::Issued(owner, _) = sent.token else {
        return None;
    };
    let id = sent.view.id();
    let owner = seen.turn.world.ledger.item(owner);
    // Two issued items of one id are one item, which came twice.
    let is_foreign = owner.ix != head.ix && (owner.id.is_none() || owner.id != head.id);
    let is_renamed = id.is_some() && id != head.id.as_deref();
    if !is_foreign && !is_renamed {
        return None;
    }
    let owner = owner.label();
    let under = id.map_or_else(|| head.label(), |id| format!("`{id}`"));
    let message = format!(
        "the token of {owner} came back under {under}; the id is sealed into the token, so the API refuses it (E12)"
    );
    let draft = seen.draft(&RULE, message).at(sent.pointer());
    Some(
        draft
            .sent(format!("{under} with the token of {owner}"))
            .expected(format!("{owner} with its own token")),
    )
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, id, msg, rs, token, user, with, without};

    #[test]
    fn swapped_tokens_are_an_error_each() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), rs(1), msg(1, "one"), user("b")],
            &[rs(2), msg(2, "two")],
        );
        let first = with(&rs(1), "encrypted_content", token(2, "done"));
        let second = with(&rs(2), "encrypted_content", token(1, "done"));
        let input = [
            user("a"),
            first,
            msg(1, "one"),
            user("b"),
            second,
            msg(2, "two"),
            user("c"),
        ];
        talk.turn(&input, &[msg(3, "three")]);
        assert_eq!(talk.found(), ["foreign-token:error", "foreign-token:error"]);
    }

    #[test]
    fn a_made_up_id_over_an_issued_token_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let renamed = with(&rs(1), "id", id("rs", "01", 99));
        talk.turn(&[user("a"), renamed, msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["foreign-token:error"]);
    }

    #[test]
    fn a_token_without_any_id_is_its_item() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let bare = without(&rs(1), "id");
        talk.turn(
            &[user("a"), bare, without(&msg(1, "one"), "id"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["reasoning-id-lost:note"]);
    }

    #[test]
    fn an_item_that_was_issued_twice_under_one_id_is_one_item() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("a, again")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a, again"), rs(1), msg(1, "one"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
