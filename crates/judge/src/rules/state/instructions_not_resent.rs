//! `instructions-not-resent`: instructions that were sent once only.

use crate::draft::{Draft, Once};
use crate::lineage::{Endpoint, Voice};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "instructions-not-resent", class: State, severity: Error,
    summary: "`instructions` were sent before in this conversation and are absent now",
    what: "An earlier request of the conversation had `instructions`; this one has none, and no system or developer message stands in the context.",
    why: "`instructions` are not inherited, by `previous_response_id` neither: rules and style of turn 1 are gone from turn 2 on.",
    fix: "send `instructions` with every request, and record their hash",
    clients: {
        OpenAiPython: "pass `instructions=` to every `responses.create`, also with `previous_response_id`",
        OpenAiNode: "pass `instructions` to every `responses.create`, also with `previous_response_id`",
        Meai: "set `ChatOptions.Instructions` on every call",
    },
}

/// Instructions were there and are not.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    let parent = turn.parent()?;
    let in_input = turn
        .input
        .iter()
        .any(|sent| matches!(sent.view.role(), Some("system" | "developer")));
    let on_server = turn.mode.is_server_side() && parent.has_system_message;
    if turn.voice != Voice::Absent || in_input || on_server || turn.endpoint == Endpoint::Compact {
        return None;
    }
    let message = format!(
        "exchange {} sent `instructions`, this request sends none ({}); they are not inherited, and the model does not see them any more",
        parent.exchange,
        turn.mode.as_str()
    );
    let draft = Draft::of(&RULE, message).at("/instructions").once(Once::Lineage);
    Some(
        draft
            .sent("no `instructions`")
            .expected("the `instructions` of every turn"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, rs, user};

    #[test]
    fn absent_instructions_behind_an_anchor_are_an_error() {
        let mut talk = Talk::stored();
        talk.set("instructions", "answer in rhyme");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.unset("instructions").set("previous_response_id", anchor);
        talk.turn(&[user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["instructions-not-resent:error"]);
    }

    #[test]
    fn changed_instructions_are_fine() {
        let mut talk = Talk::stored();
        talk.set("instructions", "answer in rhyme");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("instructions", "be brief")
            .set("previous_response_id", anchor);
        talk.turn(&[user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_developer_message_in_the_context_stands_for_them() {
        let mut talk = Talk::stateless();
        talk.set("instructions", "answer in rhyme");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.unset("instructions");
        let rules = json!({"role": "developer", "content": "answer in rhyme"});
        talk.turn(
            &[rules, user("a"), rs(1), msg(1, "one"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn it_is_told_once() {
        let mut talk = Talk::stateless();
        talk.set("instructions", "answer in rhyme");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.unset("instructions");
        let second = [user("a"), rs(1), msg(1, "one"), user("b")];
        talk.turn(&second, &[rs(2), msg(2, "two")]);
        talk.turn(
            &[&second[..], &[rs(2), msg(2, "two"), user("c")]].concat(),
            &[msg(3, "three")],
        );
        assert_eq!(talk.found(), ["instructions-not-resent:error"]);
    }
}
