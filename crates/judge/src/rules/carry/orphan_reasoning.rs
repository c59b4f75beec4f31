//! `orphan-reasoning`: a reasoning item came back without anything it led to.

use holdover_wire::item::ItemKind;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::lineage::Ending;
use crate::rules::rule;
use crate::sent::Sent;
use crate::sighting::{Response, Sighting};

rule! {
    name: "orphan-reasoning", class: Carry, severity: Error,
    summary: "a reasoning item came back without the message or call it led to",
    what: "The input holds a reasoning item of a response, and none of the items that followed it there.",
    why: "The API refuses it: \"… of type 'reasoning' was provided without its required following item\" (E01). Stored in a history, it refuses every later turn as well.",
    fix: "append all items of `response.output`, not `output[0]`; drop a group as a whole. A reasoning-only answer (incomplete) is not replayed",
    clients: {
        OpenAiPython: "`history += response.output`; `response.output[0]` is the reasoning item and not the answer",
        OpenAiNode: "`history.push(...response.output)`; `response.output[0]` is the reasoning item and not the answer",
        AgentsPython: "a filter or a handoff summary removed the follower: filter whole groups (`nest_handoff_history` keeps reasoning only as text)",
        Meai: "append the whole message with `AddMessages`, not its first content",
    },
}

/// The reasoning is there, and nothing of what it led to.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    if seen.kept().next().is_some() || !led_to_nothing_else(seen) {
        return None;
    }
    let missing = seen
        .missing()
        .map(crate::ledger::IssuedItem::label)
        .collect::<Vec<_>>()
        .join(", ");
    if is_before_a_made_message(seen, sent) {
        let message = format!(
            "{} came back before a message that the client made, in the place of {missing}",
            head.label()
        );
        let draft = seen.draft(&RULE, message).severity(Severity::Note);
        return Some(
            draft
                .sent(head.label())
                .expected(format!("{}, {missing}", head.label())),
        );
    }
    let message = if missing.is_empty() {
        format!(
            "{} is all that an incomplete response issued, and it was replayed alone",
            head.label()
        )
    } else {
        format!("{} came back without what it led to: {missing}", head.label())
    };
    let severity = if sent.view.id().is_some() {
        Severity::Error
    } else {
        seen.loss()
    };
    let message = format!("{message}; the API refuses a reasoning item without its following item (E01)");
    let draft = seen.draft(&RULE, message).severity(severity).sent(head.label());
    Some(draft.expected(if missing.is_empty() {
        "nothing of that response".to_owned()
    } else {
        format!("{}, {missing}", head.label())
    }))
}

/// Whether the client wrote an assistant's message of its own behind the reasoning: it joins the texts of an answer,
/// say. That is accepted as a follower where followers match by position.
fn is_before_a_made_message(seen: &Sighting<'_>, sent: &Sent<'_>) -> bool {
    let next = seen.turn.input.get(sent.index + 1);
    !seen.ids_are_enforced()
        && next.is_some_and(|next| next.view.is_assistant_message() && next.view.id().is_none())
        && next.is_some_and(|next| next.found.is_none_or(|found| !found.how.is_strong()))
}

/// Whether the group had a follower that a client knows, or was all of an incomplete response.
fn led_to_nothing_else(seen: &Sighting<'_>) -> bool {
    let known = |kind: ItemKind| kind == ItemKind::Message || kind.is_client_call();
    if seen.response == Response::ReasoningOnly && !seen.followers.is_empty() {
        return true;
    }
    if seen.followers.is_empty() {
        return seen.turn.world.lineages.node(seen.group.node).ending == Ending::Incomplete;
    }
    seen.followers.iter().any(|follower| known(follower.issued.kind))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, fc, fo, id, msg, rs, user, without};

    #[test]
    fn the_first_item_of_the_output_alone_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(&[user("plan"), rs(1), user("go on")], &[msg(2, "done")]);
        assert_eq!(talk.found(), ["orphan-reasoning:error"]);
    }

    #[test]
    fn the_output_of_the_call_that_is_gone_is_told_with_it() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(&[user("look"), rs(1), fo("call_1", "42")], &[msg(2, "done")]);
        assert_eq!(talk.found(), ["orphan-reasoning:error+output-without-call"]);
    }

    #[test]
    fn one_reasoning_item_of_a_response_with_two_groups_is_one_finding() {
        let search = json!({"id": id("ws", "01", 1), "type": "web_search_call", "status": "completed"});
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), search, rs(2), msg(1, "a plan")]);
        talk.turn(&[user("plan"), rs(1), user("go on")], &[msg(2, "done")]);
        assert_eq!(talk.found(), ["orphan-reasoning:error"]);
    }

    /// Agno and Haystack: the second of two reasoning items, and one message with the texts of both.
    #[test]
    fn reasoning_before_a_message_that_joins_texts_is_a_note_beside_what_was_lost() {
        let mut talk = Talk::stateless();
        talk.turn(
            &[user("plan")],
            &[rs(1), msg(1, "I look."), rs(2), msg(2, "A plan.")],
        );
        let joined = json!({"role": "assistant", "content": "I look.A plan."});
        talk.turn(&[user("plan"), rs(2), joined, user("go on")], &[msg(3, "done")]);
        let found = talk.found();
        assert!(found.contains(&"orphan-reasoning:note".to_owned()), "{found:?}");
        assert!(found.iter().any(|rule| rule.ends_with(":error")), "{found:?}");
    }

    #[test]
    fn a_group_with_its_message_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(
            &[
                user("plan"),
                rs(1),
                without(&msg(1, "a plan"), "status"),
                user("go on"),
            ],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_reasoning_only_answer_is_rightly_dropped_and_wrongly_replayed() {
        let incomplete = |talk: &mut Talk| {
            let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": [user("a")]});
            let answer = json!({"id": "resp_1", "status": "incomplete", "output": [rs(1)]});
            talk.exchange(json!({"request": {"body": body}, "response": {"body": answer}}));
        };
        let mut dropped = Talk::stateless();
        incomplete(&mut dropped);
        dropped.turn(&[user("a"), user("b")], &[msg(2, "done")]);
        assert_eq!(dropped.found(), Vec::<String>::new());
        let mut replayed = Talk::stateless();
        incomplete(&mut replayed);
        replayed.turn(&[user("a"), rs(1), user("b")], &[msg(2, "done")]);
        assert_eq!(replayed.found(), ["orphan-reasoning:error"]);
    }
}
