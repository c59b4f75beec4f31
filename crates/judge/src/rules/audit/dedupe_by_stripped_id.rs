//! `dedupe-by-stripped-id`: a callback dedupes by an id that is not there.

use crate::audit::{Records, draft, strips_ids};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "dedupe-by-stripped-id", class: Audit, severity: Error,
    summary: "a session callback dedupes by id while reasoning items have none",
    what: "The record says `callback_dedupe_key=id` and that no ids are present.",
    why: "Items without id have no key: old items pass as new ones, or different items count as the same.",
    fix: "dedupe reasoning by its `encrypted_content` (or a hash of it), and calls by `call_id`",
    clients: {
        AgentsPython: "the SDK's own dedupe is keyed by id, so `omit` turns it off for reasoning: dedupe by token in the `session_input_callback`",
    },
}

/// The first record that dedupes by an id that is not there.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    let first = records.first(|record| {
        let absent =
            record.ids_present == Some(false) || (record.ids_present.is_none() && strips_ids(record));
        record.callback_dedupe_key.as_deref() == Some("id") && absent
    })?;
    let message = format!(
        "{} dedupes by id, and reasoning items have no id: `callback_dedupe_key=id` with `ids_present=false` lets old items pass as new ones",
        first.label()
    );
    Some(
        draft(&RULE, first, message)
            .sent("`callback_dedupe_key`: id")
            .expected("a key that is there: the token, or a hash of the content"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, rs, user, without};

    #[test]
    fn it_takes_the_duplicates_that_follow_from_it() {
        let bare = without(&rs(1), "id");
        let words = without(&msg(1, "one"), "id");
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), bare.clone(), words.clone(), bare, words, user("b")],
            &[msg(2, "two")],
        );
        talk.audit(
            json!({"reasoning_item_id_policy": "omit", "ids_present": false, "callback_dedupe_key": "id"}),
        );
        assert_eq!(talk.found(), ["dedupe-by-stripped-id:error+replay-duplicate"]);
    }

    #[test]
    fn ids_that_are_there_may_be_the_key() {
        let mut talk = Talk::stateless();
        talk.audit(
            json!({"reasoning_item_id_policy": "preserve", "ids_present": true, "callback_dedupe_key": "id"}),
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn another_key_under_omit_is_clean() {
        let mut talk = Talk::stateless();
        talk.audit(json!({"reasoning_item_id_policy": "omit", "ids_present": false, "callback_dedupe_key": "content"}));
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
