//! `protected-data-as-text`: a token inside visible text.

use crate::draft::{Draft, Once};
use crate::ledger::{SUMMARY_SAID_MAX, Secret};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "protected-data-as-text", class: Leak, severity: Error,
    summary: "a token stands in the text of a message, in instructions or in a tool output",
    what: "A text of the request, which the model reads and may repeat, holds 24 characters or more of an issued token.",
    why: "A token in text carries nothing over: the model sees noise. And it gets out with the next answer, log or handover.",
    fix: "carry reasoning as reasoning items; when history is turned into text, leave reasoning items out",
    clients: {
        AgentsPython: "`nest_handoff_history` dumps reasoning items as JSON into a message, ids and tokens included, under `omit` too: give it a `handoff_history_mapper` that drops them",
    },
}

/// Fresh texts with a piece of a token in them.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let found = turn.fresh.iter().filter_map(|fresh| {
        let hits = turn.world.ledger.pieces.scan(&fresh.text, SUMMARY_SAID_MAX);
        let hit = hits.into_iter().find(|hit| hit.secret == Secret::Token)?;
        let issued = turn.world.ledger.item(hit.item);
        let message = format!(
            "{} characters of the token of {} stand in the text at `{}`; the model sees noise there, and may repeat it",
            hit.end - hit.start,
            issued.label(),
            fresh.pointer
        );
        let draft = Draft::of(&RULE, message)
            .item(issued.id.as_deref())
            .at(fresh.pointer.clone());
        let once = Once::Thing(issued.label());
        Some(
            draft
                .sent("a token inside text")
                .expected("a reasoning item, or nothing of it")
                .once(once),
        )
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, easy, msg, rs, user};

    #[test]
    fn history_dumped_as_text_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        let dump = easy(&format!("<history>{}</history>", json!([rs(1)])));
        talk.turn(&[dump, user("go on")], &[msg(2, "done")]);
        assert_eq!(talk.found(), ["protected-data-as-text:error"]);
    }

    #[test]
    fn a_dump_without_tokens_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(
            &[easy("<history>user: plan</history>"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn the_token_in_its_own_item_is_no_text() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), rs(1), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
