//! `item-dropped`: part of a response came back, part of it did not.

use holdover_wire::item::ItemKind;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::ledger::{GroupIx, IssuedItem};
use crate::rules::rule;
use crate::sent::Sent;
use crate::sighting::{Age, Excuse, Gone, Response, Sighting};

rule! {
    name: "item-dropped", class: Carry, severity: Error,
    summary: "an item of a response was left out while others of it were carried",
    what: "A response issued several items; a later request carries some of them and leaves others out, often of a type the client does not know. A call that nobody answered may be pruned (a note), but not inside its tool loop while another call of the same answer is carried: the model asked for two and sees one. A call that was answered, dropped later with its output, is a warning once a newer user message came. A whole earlier group that is gone from the middle is a warning, and a note where a new text stands in its place. The whole newest answer that is gone while earlier ones are carried is weighed as `history-absent` says.",
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
        (false, Excuse::None) if is_replaced(seen) => Severity::Note,
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

/// Whether a text that no earlier request held stands where the group was: a summary of it.
fn is_replaced(seen: &Sighting<'_>) -> bool {
    let turn = seen.turn;
    let carried = || {
        turn.input.iter().filter_map(|sent| {
            let group = turn.world.ledger.item(sent.item()?).group?;
            Some((group, sent.index))
        })
    };
    let places = |fits: fn(&GroupIx, &GroupIx) -> bool| {
        let there = carried().filter(move |(group, _)| fits(group, &seen.ix));
        there.map(|(_, place)| place)
    };
    let after = places(|group, own| group < own).max();
    let before = places(|group, own| group > own).min().or(turn.last_user);
    let (Some(after), Some(before)) = (after, before.min(turn.last_user)) else {
        return false;
    };
    let mut between = turn.between(after, before).iter();
    between.any(|sent| {
        let pointer = sent.pointer();
        sent.kind == ItemKind::Message
            && sent.found.is_none()
            && turn.fresh.iter().any(|fresh| fresh.pointer == pointer)
    })
}

/// How bad it is that this one is missing.
fn weight(seen: &Sighting<'_>, item: &IssuedItem) -> Severity {
    match item.kind {
        _ if seen.excuse != Excuse::None => Severity::Note,
        kind if kind.is_client_call() => call_weight(seen, item),
        // A list of tools is made again.
        ItemKind::OtherCall if *item.type_name == *"mcp_list_tools" => Severity::Note,
        ItemKind::Compaction => Severity::Note,
        _ => Severity::Error,
    }
}

/// A call that nobody answered may be pruned, but not while its sibling goes on in the tool loop; one that was
/// answered and is gone with its output is a loss.
fn call_weight(seen: &Sighting<'_>, call: &IssuedItem) -> Severity {
    let turn = seen.turn;
    let is_answered_here = turn.input.iter().any(|sent| sent.answers == Some(call.ix));
    let answered_before = || {
        let outputs = turn.conversation().map(|conversation| &conversation.outputs);
        let call_id = call.call_id.as_deref();
        call_id.is_some_and(|call_id| outputs.is_some_and(|outputs| outputs.contains_key(call_id)))
    };
    let has_sibling = || {
        let sibling = |sent: &Sent<'_>| {
            let issued = sent.item().map(|item| turn.world.ledger.item(item));
            issued.is_some_and(|issued| issued.node == call.node && issued.kind.is_client_call())
        };
        Some(call.node) == turn.link.parent && turn.input.iter().any(sibling)
    };
    match seen.age {
        _ if is_answered_here => Severity::Error,
        Age::ToolLoop if answered_before() || has_sibling() => Severity::Error,
        Age::EarlierTurn if answered_before() => Severity::Warning,
        Age::ToolLoop | Age::EarlierTurn => Severity::Note,
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
    fn one_of_two_parallel_calls_that_is_gone_with_its_output_is_an_error_in_the_loop() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1"), fc(2, "call_2")]);
        talk.turn(
            &[user("look"), rs(1), fc(1, "call_1"), fo("call_1", "42")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["item-dropped:error"]);
    }

    #[test]
    fn a_call_that_nobody_answered_may_be_pruned_when_the_user_goes_on() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1"), fc(2, "call_2")]);
        let kept = [user("look"), rs(1), fc(1, "call_1"), fo("call_1", "42")];
        talk.turn(&[&kept[..], &[user("that will do")]].concat(), &[msg(2, "done")]);
        assert_eq!(talk.found(), ["item-dropped:note"]);
    }

    #[test]
    fn an_answered_call_that_is_pruned_from_an_earlier_turn_is_a_warning() {
        let calls = [user("look"), rs(1), fc(1, "call_1"), fc(2, "call_2")];
        let outputs = [fo("call_1", "42"), fo("call_2", "43")];
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &calls[1..]);
        talk.turn(&[&calls[..], &outputs[..]].concat(), &[rs(2), msg(2, "done")]);
        let pruned = [
            &calls[..3],
            &outputs[..1],
            &[rs(2), msg(2, "done"), user("go on")],
        ]
        .concat();
        talk.turn(&pruned, &[msg(3, "ok")]);
        assert_eq!(talk.found(), ["item-dropped:warning"]);
    }

    /// Three turns, and a fourth request in which this stands for the second one.
    fn second_turn_is(instead: &[Value]) -> Vec<String> {
        let first = [user("a"), rs(1), msg(1, "one")];
        let second = [user("b"), rs(2), msg(2, "two")];
        let third = [user("c"), rs(3), msg(3, "three")];
        let mut talk = Talk::stateless();
        talk.turn(&first[..1], &first[1..]);
        talk.turn(&[&first[..], &second[..1]].concat(), &second[1..]);
        talk.turn(&[&first[..], &second[..], &third[..1]].concat(), &third[1..]);
        talk.turn(
            &[&first[..], instead, &third[..], &[user("d")]].concat(),
            &[msg(4, "four")],
        );
        talk.found()
    }

    #[test]
    fn a_middle_turn_is_a_warning_when_it_is_gone_and_a_note_when_a_summary_stands_for_it() {
        assert_eq!(second_turn_is(&[]), ["item-dropped:warning"]);
        assert_eq!(second_turn_is(&[user("b")]), ["item-dropped:warning"]);
        let told = json!({"role": "developer", "content": "b was asked, and two was the answer."});
        assert_eq!(second_turn_is(&[told]), ["item-dropped:note"]);
        assert_eq!(
            second_turn_is(&[user("b"), easy("I said two, in short.")]),
            ["item-dropped:note"]
        );
    }
}
