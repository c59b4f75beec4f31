//! `half-stripped-group`: one half of a group kept its id, the other lost it.

use crate::draft::Draft;
use crate::finding::Severity;
use crate::rules::rule;
use crate::sighting::Sighting;

rule! {
    name: "half-stripped-group", class: Carry, severity: Error,
    summary: "one half of a group kept its server id and the other half lost it",
    what: "A reasoning item and what it led to are both there, but only one of the two has its id.",
    why: "Where the server knows the ids it pairs by them and refuses: a reasoning item without its following item (E01), or a call or message without its required reasoning item (E02, E03). Under `store: false` followers match by position and it is a note.",
    fix: "keep the ids of the whole group, or strip all of them",
    clients: {
        AgentsPython: "`reasoning_item_id_policy=\"omit\"` strips the reasoning's id only; under `store=True` also strip the `id` of the calls and messages in a `call_model_input_filter`",
        Meai: "message and call ids are lost in a JSON round trip; keep `RawRepresentation`, or drop the reasoning's id as well",
    },
}

/// Reasoning and a follower are carried, and just one of them has its id.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    head.id.as_deref()?;
    let head_has = sent.view.id().is_some_and(|id| !id.is_empty());
    let mut kept = seen.kept().filter(|(issued, _)| issued.id.is_some());
    let (other, other_sent) =
        kept.find(|(issued, sent)| (sent.view.id() == issued.id.as_deref()) != head_has)?;
    // E01c is reported of messages alone: whether a call without its id is refused is in doubt.
    let is_by_call_id = head_has && other_sent.view.call_id().is_some();
    let severity = if seen.ids_are_enforced() && !is_by_call_id {
        Severity::Error
    } else {
        Severity::Note
    };
    let (with_id, without_id) = if head_has { (head, other) } else { (other, head) };
    let place = if head_has { other_sent } else { sent };
    let message = format!(
        "{} kept its id, {} of the same group lost it; {}",
        with_id.label(),
        without_id.label(),
        match (severity, is_by_call_id) {
            (Severity::Error, _) => "the server pairs them by id and refuses",
            (_, true) => "its `call_id` still tells it",
            (_, false) => "followers match by position here",
        }
    );
    let draft = seen
        .draft(&RULE, message)
        .severity(severity)
        .at(place.member("id"));
    Some(
        draft
            .sent(format!("an id on {} only", with_id.type_name))
            .expected("an id on both, or on neither"),
    )
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, id, kept_rs, msg, rs, user, with, without};

    #[test]
    fn a_call_that_kept_its_id_is_an_error_where_the_server_keeps_it() {
        let call = with(&fc(1, "call_1"), "id", id("fc", "00", 1));
        let sealed = with(&kept_rs(1), "encrypted_content", crate::testkit::token(1, "done"));
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[sealed.clone(), call.clone()]);
        talk.turn(
            &[user("a"), without(&sealed, "id"), call, fo("call_1", "x")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["half-stripped-group:error+reasoning-id-lost"]);
    }

    /// What the AI SDK sends by default: no report says that it is refused.
    #[test]
    fn a_call_that_lost_its_id_and_kept_its_call_id_is_a_note() {
        let call = with(&fc(1, "call_1"), "id", id("fc", "00", 1));
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), call.clone()]);
        talk.turn(
            &[user("a"), rs(1), without(&call, "id"), fo("call_1", "x")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["half-stripped-group:note"]);
    }

    #[test]
    fn a_message_that_lost_its_id_is_an_error_too() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[kept_rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), kept_rs(1), without(&msg(1, "one"), "id"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["half-stripped-group:error"]);
    }

    #[test]
    fn it_is_a_note_under_store_false() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), rs(1), without(&msg(1, "one"), "id"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["half-stripped-group:note"]);
    }

    #[test]
    fn neither_id_is_no_half() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[
                user("a"),
                without(&rs(1), "id"),
                without(&msg(1, "one"), "id"),
                user("b"),
            ],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["reasoning-id-lost:note"]);
    }
}
