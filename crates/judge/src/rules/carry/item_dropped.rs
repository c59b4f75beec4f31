//! `item-dropped`: part of a response came back, part of it did not.

use holdover_wire::item::ItemKind;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::ledger::IssuedItem;
use crate::rules::rule;
use crate::sighting::{Excuse, Gone, Response, Sighting};

rule! {
    name: "item-dropped", class: Carry, severity: Error,
    summary: "an item of a response was left out while others of it were carried",
    what: "A response issued several items; a later request carries some of them and leaves others out, often of a type the client does not know.",
    why: "A response is a sequence: what is left out is missing from the model's memory, and new item types are how the API adds state.",
    fix: "keep unknown item types byte for byte, or stop with an error; never skip them",
    clients: {
        OpenAiPython: "append `response.output` as it is; do not switch over `item.type` with a default that drops",
        LangChain: "set `output_version=\"responses/v1\"`, so that unknown blocks survive",
    },
}

/// Something of the group is there, something is not.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    if seen.gone == Gone::Middle {
        // Where only reasoning is left of the response, that orphan tells the loss.
        return (seen.response != Response::ReasoningOnly).then(|| whole(seen));
    }
    let is_orphan = seen.carried.is_some() && super::orphan_reasoning::check(seen).is_some();
    if seen.gone != Gone::No || is_orphan {
        return None;
    }
    let missing: Vec<&IssuedItem> = seen.missing().collect();
    let worst = missing.iter().map(|item| weight(seen, item)).max()?;
    let names = missing
        .iter()
        .map(|item| format!("{} ({})", item.label(), item.type_name));
    let names = names.collect::<Vec<_>>().join(", ");
    let message = format!(
        "{names} of {} is not in the input, other items of that response are; the model goes on without it",
        seen.issued_in()
    );
    let item = missing.first().and_then(|item| item.id.as_deref());
    Some(
        seen.draft(&RULE, message)
            .severity(worst)
            .item(item)
            .sent("the other items of that response")
            .expected(names),
    )
}

fn whole(seen: &Sighting<'_>) -> Draft {
    let names = seen.head.into_iter().chain(seen.missing()).map(IssuedItem::label);
    let names = names.collect::<Vec<_>>().join(", ");
    let is_newest = Some(seen.group.node) == seen.turn.link.parent;
    let severity = match (is_newest, seen.excuse) {
        (_, Excuse::Refusal | Excuse::ModelSwitch | Excuse::Handoff) => Severity::Note,
        (true, Excuse::None) => seen.loss(),
        (false, Excuse::None) => seen.loss().min(Severity::Warning),
    };
    let message = format!(
        "a whole group of {} is gone from the middle of the history: {names}; the model goes on without it",
        seen.issued_in()
    );
    seen.draft(&RULE, message)
        .whole_group()
        .severity(severity)
        .sent("nothing of the group")
        .expected(names)
}

/// How bad it is that this one is missing.
fn weight(seen: &Sighting<'_>, item: &IssuedItem) -> Severity {
    let answered = || seen.turn.input.iter().any(|sent| sent.answers == Some(item.ix));
    match item.kind {
        // A call that nobody answered may be pruned; a list of tools is made again.
        kind if kind.is_client_call() && !answered() => Severity::Note,
        ItemKind::OtherCall if item.type_name == "mcp_list_tools" => Severity::Note,
        ItemKind::Compaction => Severity::Note,
        _ if seen.excuse != Excuse::None => Severity::Note,
        _ => Severity::Error,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, easy, fc, fo, msg, rs, user};

    fn novel() -> Value {
        json!({"id": "nov_1", "type": "novel_step", "payload": {"a": 1}})
    }

    #[test]
    fn an_unknown_type_that_is_left_out_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), novel(), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), rs(1), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        let verdict = talk.verdict();
        assert_eq!(verdict.findings.len(), 1);
        assert_eq!(verdict.findings[0].rule, "item-dropped");
        assert_eq!(verdict.findings[0].item.as_deref(), Some("nov_1"));
    }

    #[test]
    fn an_unknown_follower_that_was_the_only_one_is_this_rule_and_no_orphan() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), novel(), rs(2), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), rs(1), rs(2), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["item-dropped:error"]);
    }

    #[test]
    fn one_cut_through_a_response_is_one_finding() {
        let mut talk = Talk::stateless();
        let response = [rs(1), msg(1, "looking"), rs(2), msg(2, "a plan")];
        talk.turn(&[user("plan")], &response);
        talk.turn(&[user("plan"), easy("looking"), user("go on")], &[msg(3, "done")]);
        assert_eq!(talk.found(), ["text-only-rebuild:error+item-dropped"]);
    }

    #[test]
    fn the_whole_sequence_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), novel(), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), rs(1), novel(), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_call_that_nobody_answered_may_be_pruned() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1"), fc(2, "call_2")]);
        talk.turn(
            &[user("look"), rs(1), fc(1, "call_1"), fo("call_1", "42")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["item-dropped:note"]);
    }
}
