//! `double-send`: the server holds the history, and the client sends it as well.

use crate::draft::{Draft, Once};
use crate::hash::Hash;
use crate::rules::rule;
use crate::sent::{How, Sent};
use crate::turn::Turn;

rule! {
    name: "double-send", class: State, severity: Error,
    summary: "an anchor and the history it stands for were sent together",
    what: "The request has `previous_response_id` or `conversation`, and its input repeats items that the anchor already holds: issued ones, or all that the client itself sent before, user messages included. One message with the same words again is none: a user may say the same twice.",
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
    let found = issued(turn).or_else(|| resent(turn));
    found.into_iter().collect()
}

fn issued(turn: &Turn<'_>) -> Option<Draft> {
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

/// The client's own input of earlier exchanges, whole and in order before what is new.
fn resent(turn: &Turn<'_>) -> Option<Draft> {
    // What was sent in an exchange that failed may not be held: sending it again is right.
    let parent = turn
        .parent()
        .filter(|parent| turn.mode.is_server_side() && parent.ending.counts())?;
    let said = turn.said();
    let repeats = |earlier: usize| is_telling(turn, earlier).then_some(earlier);
    let whole = held_inputs(turn, said.len()).filter(|earlier| said.starts_with(earlier));
    let last =
        (said.len() > parent.said.len() && said.starts_with(&parent.said)).then_some(parent.said.len());
    let count = whole.map(|earlier| earlier.len()).or(last).and_then(repeats)?;
    let message = format!(
        "the first {count} items of the input are the client's whole earlier input, which the anchor stands for already ({}); the context doubles without a word",
        turn.mode.as_str()
    );
    let draft = Draft::of(&RULE, message).at("/input/0").once(Once::Lineage);
    Some(
        draft
            .sent("an anchor and the earlier messages")
            .expected("the anchor and what is new"),
    )
}

/// What the client itself sent in the exchanges behind the anchor, oldest first; `None` where it is not shorter than
/// this request.
fn held_inputs(turn: &Turn<'_>, length: usize) -> Option<Vec<Hash>> {
    let mut inputs: Vec<&[Hash]> = Vec::new();
    let mut total = 0;
    let mut next = turn.link.parent;
    while let Some(ix) = next {
        let node = turn.world.lineages.node(ix);
        total += node.said.len();
        if total >= length || inputs.len() >= length {
            return None;
        }
        inputs.push(&node.said);
        next = node.inherits;
    }
    inputs.reverse();
    Some(inputs.concat())
}

/// Letters that a user message must have before saying it twice tells more than a habit.
const TELLING: usize = 12;

/// Whether these first items hold two user messages, or one that is long enough.
fn is_telling(turn: &Turn<'_>, count: usize) -> bool {
    let messages = turn
        .input
        .iter()
        .take(count)
        .filter(|sent| sent.view.is_user_message());
    let texts: Vec<String> = messages.map(|sent| sent.view.text()).collect();
    texts.len() > 1 || texts.iter().any(|text| text.trim().len() >= TELLING)
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

    /// A chain of these inputs, one exchange each.
    fn chain(inputs: &[&[&str]]) -> Vec<String> {
        let mut talk = Talk::stored();
        for (number, input) in (1..).zip(inputs) {
            let input: Vec<_> = input.iter().map(|text| user(text)).collect();
            talk.turn(&input, &[rs(number), msg(number, &format!("answer {number}"))]);
            let anchor = talk.response_id(number);
            talk.set("previous_response_id", anchor);
        }
        talk.found()
    }

    #[test]
    fn all_earlier_user_messages_behind_an_anchor_are_an_error() {
        let plan = "Plan the migration.";
        assert_eq!(chain(&[&[plan], &[plan, "go on"]]), ["double-send:error"]);
        assert_eq!(chain(&[&["a"], &["b"], &["a", "b", "c"]]), ["double-send:error"]);
        assert_eq!(chain(&[&["a", "b"], &["a", "b", "c"]]), ["double-send:error"]);
    }

    #[test]
    fn the_same_short_words_again_and_half_of_the_history_are_no_history() {
        assert_eq!(chain(&[&["yes"], &["yes", "go on"]]), Vec::<String>::new());
        assert_eq!(
            chain(&[&["a"], &["b"], &["c"], &["b", "d"]]),
            Vec::<String>::new()
        );
        assert_eq!(
            chain(&[&["Plan the migration."], &["Plan the migration."]]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_developer_message_with_every_turn_is_clean() {
        let rules = serde_json::json!({"role": "developer", "content": "Answer in one short line, please."});
        let mut talk = Talk::stored();
        talk.turn(&[rules.clone(), user("plan")], &[msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[rules, user("go on")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
