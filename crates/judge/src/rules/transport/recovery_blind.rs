//! `recovery-blind`: something was changed after a refusal, but not what it named.

use crate::draft::{Draft, Once};
use crate::lineage::{Endpoint, Retryable};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "recovery-blind", class: Transport, severity: Error,
    summary: "after a refusal the same turn was sent again with a change that missed its cause",
    what: "A refusal named an item or a token. The same user turn was sent again with another body, and met the same refusal.",
    why: "The recovery looks for one spelling of the error (a code, a wording) and misses the variant that came; or it repairs the wrong place.",
    fix: "match refusals by what they name (param, item id), not by one code; drop the named group once, then stop",
    clients: {},
}

/// The same refusal for the same user turn, with another body.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    let refusal = turn
        .refusal
        .as_ref()
        .filter(|refusal| refusal.retryable == Retryable::No)?;
    let before = turn
        .parent()?
        .refused_after
        .last()
        .filter(|_| turn.endpoint == Endpoint::Create)?;
    let is_same_turn = turn.parent()?.refused_user == turn.user_hash();
    if before.message != refusal.message
        || turn.repeats.is_some()
        || !is_same_turn
        || !refusal.asks_to_drop_reasoning()
    {
        return None;
    }
    let message = format!(
        "the same turn was sent again with a change that missed the cause, and met the same refusal: {}",
        refusal.message
    );
    let draft = Draft::of(&RULE, message)
        .at("/input")
        .once(Once::Thing(refusal.message.clone()));
    Some(
        draft
            .sent("the item that the refusal names")
            .expected("the history without that group"),
    )
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, msg, rs, token, user, with};

    const INVALID: &str = "The encrypted content gAAA...abcd could not be verified.";

    fn second_try(second: &[serde_json::Value]) -> Vec<String> {
        let cut = with(&rs(1), "encrypted_content", token(1, "done")[..200].to_owned());
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.refused(
            &[user("a"), cut, msg(1, "one"), user("b")],
            400,
            INVALID,
            Some("invalid_encrypted_content"),
        );
        talk.refused(second, 400, INVALID, Some("invalid_encrypted_content"));
        talk.found()
    }

    #[test]
    fn a_change_that_misses_the_cause_is_an_error() {
        let cut = with(&rs(1), "encrypted_content", token(1, "done")[..200].to_owned());
        let second = [
            user("a"),
            cut,
            with(&msg(1, "one"), "status", "incomplete"),
            user("b"),
        ];
        assert_eq!(
            second_try(&second),
            ["encrypted-content-altered:error", "recovery-blind:error"]
        );
    }

    #[test]
    fn a_new_user_turn_is_no_recovery() {
        let cut = with(&rs(1), "encrypted_content", token(1, "done")[..200].to_owned());
        let second = [user("a"), cut, msg(1, "one"), user("another question")];
        assert_eq!(second_try(&second), ["encrypted-content-altered:error"]);
    }

    #[test]
    fn one_drop_of_the_refused_item_is_the_right_recovery() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.refused(
            &[user("a"), rs(1), msg(1, "one"), user("b")],
            400,
            INVALID,
            Some("invalid_encrypted_content"),
        );
        talk.turn(&[user("a"), msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["reasoning-dropped:note"]);
    }
}
