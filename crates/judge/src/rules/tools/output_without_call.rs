//! `output-without-call`: an output answers a call that is not in the context.

use std::collections::BTreeSet;

use crate::draft::{Draft, Once};
use crate::lineage::Ending;
use crate::rules::rule;
use crate::sent::Sent;
use crate::turn::Turn;

rule! {
    name: "output-without-call", class: Tools, severity: Error,
    summary: "a tool output answers a call that is not in the context before it",
    what: "The input holds an output whose `call_id` no earlier call has, neither in the input nor in the state that is continued; or it answers, behind an anchor, a call that was answered before.",
    why: "The API refuses: \"No tool call found for function call output …\" (E11). Trimming between a pair is the usual cause.",
    fix: "cut history at user messages only, so that a call and its output stay together",
    clients: {
        AgentsPython: "`SessionSettings(limit=N)` cuts by item count; with a `session_input_callback` nothing removes the orphans: drop outputs whose call is gone",
        LangChain: "`trim_messages(..., start_on=\"human\")`",
    },
}

/// Outputs of the input without their call.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    if turn.mode.is_server_side() && turn.link.parent.is_none() {
        return Vec::new();
    }
    let mut calls: BTreeSet<&str> = BTreeSet::new();
    let mut found = Vec::new();
    for sent in &turn.input {
        let Some(call_id) = sent.view.call_id() else {
            continue;
        };
        if !sent.kind.is_client_output() {
            calls.insert(call_id);
        } else if !calls.contains(call_id) && is_answered(turn, sent, call_id) {
            let why = "was sent before, and behind the anchor no call waits for it";
            found.push(draft(turn, sent, call_id, why));
        } else if !calls.contains(call_id) && !is_on_server(turn, sent) && !is_unseen(turn, sent) {
            found.push(draft(turn, sent, call_id, "has no call before it"));
        }
    }
    found
}

/// Whether the state that is continued on the server holds the call.
fn is_on_server(turn: &Turn<'_>, sent: &Sent<'_>) -> bool {
    let referenced = turn
        .input
        .iter()
        .any(|other| other.is_reference() && other.item() == sent.answers);
    let issued = sent
        .answers
        .map(|item| turn.world.lineages.node(turn.world.ledger.item(item).node));
    let held = issued.is_some_and(|node| turn.parent().is_some_and(|parent| parent.lineage == node.lineage));
    (referenced && sent.answers.is_some()) || (turn.mode.is_server_side() && held)
}

/// Whether the call may stand in an answer that the recording does not hold: a run in the background that nobody was
/// seen to read, or a stream that broke off.
fn is_unseen(turn: &Turn<'_>, sent: &Sent<'_>) -> bool {
    let is_waiting = turn
        .parent()
        .is_some_and(|parent| matches!(parent.ending, Ending::Running | Ending::Cut | Ending::Abandoned));
    turn.mode.is_server_side() && sent.answers.is_none() && is_waiting
}

/// Whether the call of an earlier exchange than the anchor was answered on the way to the anchor.
fn is_answered(turn: &Turn<'_>, sent: &Sent<'_>, call_id: &str) -> bool {
    let issuer = sent.answers.map(|item| turn.world.ledger.item(item).node);
    let is_older = issuer.is_some_and(|issuer| turn.link.parent.is_some_and(|parent| issuer < parent));
    let outputs = turn.conversation().map(|conversation| &conversation.outputs);
    turn.mode.is_server_side() && is_older && outputs.is_some_and(|outputs| outputs.contains_key(call_id))
}

fn draft(turn: &Turn<'_>, sent: &Sent<'_>, call_id: &str, why: &str) -> Draft {
    let issued = sent.answers.map(|item| turn.world.ledger.item(item));
    let message = format!("the output of `{call_id}` {why}; the API refuses it (E11)");
    let draft = Draft::of(&RULE, message)
        .at(sent.pointer())
        .item(issued.and_then(|item| item.id.as_deref()));
    let draft = draft
        .group(issued.and_then(|item| item.group))
        .once(Once::Thing(call_id.to_owned()));
    draft
        .sent("the output")
        .expected(format!("the call `{call_id}` and its output, or neither"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    #[test]
    fn a_call_of_a_run_that_was_not_seen_to_end_is_not_missed() {
        let mut talk = Talk::stored();
        let queued = json!({"id": "resp_bg", "status": "queued", "output": []});
        let body = json!({"model": "gpt-5.6", "background": true, "input": [user("look")]});
        talk.exchange(json!({"request": {"body": body}, "response": {"body": queued}}));
        let body =
            json!({"model": "gpt-5.6", "previous_response_id": "resp_bg", "input": [fo("call_1", "42")]});
        let done = json!({"id": "resp_2", "status": "completed", "output": [msg(2, "42")]});
        talk.exchange(json!({"request": {"body": body}, "response": {"body": done}}));
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_cut_between_a_pair_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(
            &[user("look"), rs(1), fc(1, "call_1"), fo("call_1", "42")],
            &[rs(2), msg(2, "42")],
        );
        talk.turn(
            &[fo("call_1", "42"), rs(2), msg(2, "42"), user("thanks")],
            &[msg(3, "ok")],
        );
        assert_eq!(talk.found(), ["output-without-call:error", "history-absent:note"]);
    }

    #[test]
    fn the_pair_in_the_wrong_order_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(
            &[user("look"), fo("call_1", "42"), rs(1), fc(1, "call_1")],
            &[msg(2, "42")],
        );
        assert_eq!(talk.found(), ["output-without-call:error"]);
    }

    #[test]
    fn a_call_that_the_server_holds_is_clean() {
        let mut talk = Talk::stored();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[fo("call_1", "42")], &[msg(2, "ok")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn an_output_that_was_sent_before_is_an_error_behind_a_newer_anchor() {
        let mut talk = Talk::stored();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[fo("call_1", "42")], &[msg(2, "ok")]);
        let anchor = talk.response_id(2);
        talk.set("previous_response_id", anchor);
        let message = "No tool call found for function call output with call_id call_1.";
        talk.refused(&[fo("call_1", "42"), user("thanks")], 400, message, None);
        assert_eq!(talk.found(), ["output-without-call:error"]);
    }

    #[test]
    fn another_branch_from_the_same_call_is_clean() {
        let mut talk = Talk::stored();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[fo("call_1", "42")], &[msg(2, "ok")]);
        talk.turn(&[fo("call_1", "42")], &[msg(3, "ok, again")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
