//! `double-send`: the server holds the history, and the client sends it as well.

use crate::draft::{Draft, Once};
use crate::rules::rule;
use crate::sent::{How, Sent};
use crate::turn::Turn;

rule! {
    name: "double-send", class: State, severity: Error,
    summary: "an anchor and the history it stands for were sent together",
    what: "The request has `previous_response_id` or `conversation`, and its input repeats items that the anchor already holds.",
    why: "With a conversation the API refuses (E08, \"Duplicate item found\"). With `previous_response_id` it often does not: the context doubles without a word, and is paid for twice.",
    fix: "behind an anchor send only what is new: the user message, or the outputs of calls; or send the history and no anchor",
    clients: {
        AgentsPython: "pass only the new user message together with `previous_response_id`; `to_input_list()` is for runs without it",
        AgentsJs: "pass only the new message together with `previousResponseId` or `conversationId`; `result.history` is for runs without them",
        Meai: "with a `ConversationId` clear the local history before the next call",
    },
}

/// Items of the input that the anchor holds.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    if !turn.mode.is_server_side() {
        return None;
    }
    let doubled: Vec<&Sent<'_>> = held_items(turn).collect();
    let first = doubled.first()?;
    let item = first.item().map(|item| turn.world.ledger.item(item));
    let message = format!(
        "{} items of the input are already in the context that the anchor stands for ({}); the context doubles, or the API refuses it (E08)",
        doubled.len(),
        turn.mode.as_str()
    );
    let draft = Draft::of(&RULE, message).at(first.pointer()).once(Once::Lineage);
    let draft = draft.item(item.and_then(|item| item.id.as_deref()));
    Some(
        draft
            .sent("an anchor and its history")
            .expected("the anchor and what is new"),
    )
}

/// Items that the anchor, or what it continues, issued.
pub(crate) fn held_items<'t>(turn: &'t Turn<'_>) -> impl Iterator<Item = &'t Sent<'t>> {
    turn.input.iter().filter(move |sent| {
        let issued = sent
            .found
            .filter(|found| found.how.is_strong() || found.how == How::Text);
        let node = issued.map(|found| turn.world.ledger.item(found.item).node);
        let anchor = turn.link.parent;
        node.is_some_and(|node| {
            let lineage = turn.world.lineages.node(node).lineage;
            let same = anchor.is_some_and(|anchor| turn.world.lineages.node(anchor).lineage == lineage);
            same && Some(node) <= anchor
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, easy, fc, fo, msg, rs, user};

    fn behind_anchor(output: &[serde_json::Value], input: &[serde_json::Value]) -> Vec<String> {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], output);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(input, &[msg(2, "two")]);
        talk.found()
    }

    #[test]
    fn the_whole_history_behind_an_anchor_is_an_error() {
        let output = [rs(1), msg(1, "one")];
        assert_eq!(
            behind_anchor(&output, &[user("a"), rs(1), msg(1, "one"), user("b")]),
            ["double-send:error"]
        );
    }

    #[test]
    fn the_text_of_the_history_is_one_too() {
        let output = [rs(1), msg(1, "one")];
        assert_eq!(
            behind_anchor(&output, &[user("a"), easy("one"), user("b")]),
            ["double-send:error"]
        );
    }

    #[test]
    fn only_what_is_new_is_clean() {
        assert_eq!(
            behind_anchor(&[rs(1), msg(1, "one")], &[user("b")]),
            Vec::<String>::new()
        );
        assert_eq!(
            behind_anchor(&[rs(1), fc(1, "call_1")], &[fo("call_1", "42")]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_same_user_message_again_is_no_history() {
        assert_eq!(
            behind_anchor(&[rs(1), msg(1, "one")], &[user("a")]),
            Vec::<String>::new()
        );
    }
}
