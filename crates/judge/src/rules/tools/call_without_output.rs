//! `call-without-output`: a call goes on unanswered.

use holdover_wire::item::ItemKind;

use crate::draft::{Draft, Once};
use crate::ledger::IssuedItem;
use crate::lineage::{Endpoint, Mode};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "call-without-output", class: Tools, severity: Error,
    summary: "a tool call stands in the context and no output answers it",
    what: "The input (or the response that is continued) holds a function call, and no output with its `call_id` follows.",
    why: "The API refuses: \"No tool output found for function call …\" (E10). In a stored history it refuses every later turn.",
    fix: "send the output of every call before the next user message; answer an interrupted call with a synthetic output, or drop it with its reasoning",
    clients: {
        AgentsPython: "`drop_orphan_function_calls` repairs generated items only: history returned by a callback is sent as it is",
    },
}

/// Calls of the input, or of the anchor, that nothing answers.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let is_over = turn
        .input
        .iter()
        .any(|sent| sent.kind == ItemKind::CompactionTrigger);
    if turn.endpoint == Endpoint::Compact || is_over {
        return Vec::new();
    }
    let mut found = in_input(turn);
    if matches!(turn.mode, Mode::ServerChain | Mode::Conversation) {
        found.extend(at_anchor(turn));
    }
    found
}

fn in_input(turn: &Turn<'_>) -> Vec<Draft> {
    let answered = turn.answered_calls();
    let calls = turn.input.iter().filter(|sent| sent.kind.is_client_call());
    let open = calls.filter_map(|sent| {
        let call_id = sent
            .view
            .call_id()
            .filter(|call_id| !answered.contains(call_id))?;
        let issued = sent.item().map(|item| turn.world.ledger.item(item));
        Some(draft(call_id, issued).at(sent.pointer()))
    });
    open.collect()
}

fn at_anchor(turn: &Turn<'_>) -> Vec<Draft> {
    let answered = turn.answered_calls();
    let Some(parent) = turn.parent() else {
        return Vec::new();
    };
    let calls = parent.open_calls.iter().map(|item| turn.world.ledger.item(*item));
    let open = calls.filter_map(|issued| {
        let call_id = issued
            .call_id
            .as_deref()
            .filter(|call_id| !answered.contains(call_id))?;
        Some(draft(call_id, Some(issued)).at("/input"))
    });
    open.collect()
}

fn draft(call_id: &str, issued: Option<&IssuedItem>) -> Draft {
    let message = format!("call `{call_id}` has no output; the API refuses to go on (E10)");
    let draft = Draft::of(&RULE, message).item(issued.and_then(|item| item.id.as_deref()));
    let draft = draft
        .group(issued.and_then(|item| item.group))
        .once(Once::Thing(call_id.to_owned()));
    draft
        .sent("the call")
        .expected(format!("the call and an output with call id `{call_id}`"))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    #[test]
    fn a_user_message_instead_of_the_output_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(
            &[user("look"), rs(1), fc(1, "call_1"), user("never mind")],
            &[msg(2, "ok")],
        );
        assert_eq!(talk.found(), ["call-without-output:error"]);
    }

    #[test]
    fn an_open_call_of_the_anchor_is_an_error() {
        let mut talk = Talk::stored();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1"), fc(2, "call_2")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[fo("call_1", "42")], &[msg(2, "ok")]);
        assert_eq!(talk.found(), ["call-without-output:error"]);
    }

    #[test]
    fn answered_calls_are_clean_both_ways() {
        let mut talk = Talk::stored();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[fo("call_1", "42")], &[msg(2, "ok")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
