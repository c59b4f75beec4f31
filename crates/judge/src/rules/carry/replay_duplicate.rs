//! `replay-duplicate`: the same issued item twice in one input.

use crate::draft::Draft;
use crate::ledger::IssuedItem;
use crate::rules::rule;
use crate::sighting::Sighting;

rule! {
    name: "replay-duplicate", class: Carry, severity: Error,
    summary: "the same issued item stands twice in one input",
    what: "An issued reasoning item, message or call is in the input more than once: by its id, its token or its call id.",
    why: "With ids the API refuses (E08, \"Duplicate item found\"). Without ids the context doubles without a word.",
    fix: "append a response once; dedupe by what an item is (id, else token or call id), and never by an id that the policy strips",
    clients: {
        AgentsPython: "under `omit` reasoning items have no dedupe key: dedupe by `encrypted_content` in your `session_input_callback`",
    },
}

/// A member of the group is carried more than once.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let members = seen
        .head
        .into_iter()
        .chain(seen.followers.iter().map(|follower| follower.issued));
    let (item, places) = members
        .map(|item| (item, places(seen, item)))
        .find(|(_, places)| places.len() > 1)?;
    let again = places.get(1).copied().unwrap_or_default();
    let pointers = places
        .iter()
        .map(|place| format!("/input/{place}"))
        .collect::<Vec<_>>()
        .join(", ");
    let message = format!(
        "{} stands {} times in the input ({pointers}); the API refuses it (E08), or the context doubles without a word",
        item.label(),
        places.len()
    );
    let draft = seen.draft(&RULE, message).item(item.id.as_deref());
    Some(
        draft
            .at(format!("/input/{again}"))
            .sent(format!("{} copies", places.len()))
            .expected("one"),
    )
}

fn places(seen: &Sighting<'_>, item: &IssuedItem) -> Vec<usize> {
    seen.turn.carried(item.ix).map(|sent| sent.index).collect()
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, msg, rs, user, without};

    #[test]
    fn the_same_id_twice_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), rs(1), msg(1, "one"), rs(1), msg(1, "one"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["replay-duplicate:error"]);
    }

    #[test]
    fn the_same_token_twice_without_ids_is_an_error() {
        let bare = without(&rs(1), "id");
        let words = without(&msg(1, "one"), "id");
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), bare.clone(), words.clone(), bare, words, user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["replay-duplicate:error+reasoning-id-lost"]);
    }

    #[test]
    fn two_items_of_the_same_words_are_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "ok")]);
        talk.turn(
            &[user("a"), rs(1), msg(1, "ok"), user("a")],
            &[rs(2), msg(2, "ok")],
        );
        talk.turn(
            &[
                user("a"),
                rs(1),
                msg(1, "ok"),
                user("a"),
                rs(2),
                msg(2, "ok"),
                user("b"),
            ],
            &[msg(3, "ok")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
