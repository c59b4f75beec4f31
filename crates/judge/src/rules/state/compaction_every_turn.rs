//! `compaction-every-turn`: a history is compacted again although one answer came since.

use holdover_wire::item::ItemKind;

use crate::draft::{Draft, Once};
use crate::ledger::NodeIx;
use crate::lineage::Endpoint;
use crate::rules::rule;
use crate::sent::Sent;
use crate::turn::Turn;

rule! {
    name: "compaction-every-turn", class: State, severity: Warning,
    summary: "`/responses/compact` was called again with one short turn since the last compaction",
    what: "The input of a compaction holds a compaction item, and after it one message of the user and one answer, with less than 16 KiB of text.",
    why: "Each compaction is billed, takes time, and loses what the summary leaves out; the one before had made the history short already.",
    fix: "compact at milestones: by a threshold of tokens, or between tasks; `context_management` with `compact_threshold` does it on the server",
    clients: {},
}

/// What came since the last compaction may be as long as the context: from here on another one may be due.
const BYTES_MIN: usize = 16 * 1024;

/// A compaction of a history that was just compacted.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    if turn.endpoint != Endpoint::Compact || turn.repeats.is_some() {
        return None;
    }
    let newest = turn
        .input
        .iter()
        .rfind(|sent| sent.kind == ItemKind::Compaction)?;
    let since = || turn.input.iter().filter(|sent| sent.index > newest.index);
    let asked = since().filter(|sent| sent.view.is_user_message()).count();
    if asked != 1 || !is_one_answer(turn, since()) || bytes(since()) >= BYTES_MIN {
        return None;
    }
    let message = "the history was compacted before, and one short turn came since";
    let draft = Draft::of(&RULE, message).at(newest.pointer()).once(Once::Lineage);
    Some(
        draft
            .sent("a second compaction")
            .expected("a compaction at a milestone"),
    )
}

/// Whether all that the API issued in these items came in one answer. A tool loop has more.
fn is_one_answer<'s>(turn: &Turn<'_>, sent: impl Iterator<Item = &'s Sent<'s>>) -> bool {
    let found = sent.filter_map(|sent| sent.found.filter(|found| found.how.is_strong()));
    let mut nodes: Vec<NodeIx> = found
        .map(|found| turn.world.ledger.item(found.item).node)
        .collect();
    nodes.dedup();
    nodes.len() == 1
}

fn bytes<'s>(sent: impl Iterator<Item = &'s Sent<'s>>) -> usize {
    sent.map(|sent| sent.view.text().len()).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, fc, fo, id, msg, token, user};

    fn compaction() -> Value {
        json!({"id": id("cmp", "01", 7), "type": "compaction", "encrypted_content": token(7, "done")})
    }

    fn compact(talk: &mut Talk, input: &[Value], output: &[Value]) {
        let body = json!({"model": "gpt-5.6", "input": input});
        let answer = json!({"id": "resp_c", "object": "response.compaction", "output": output});
        talk.exchange(
            json!({"request": {"path": "/v1/responses/compact", "body": body}, "response": {"body": answer}}),
        );
    }

    /// Compacts, plays these turns (what comes in, what comes back), and compacts again.
    fn compacted_after(turns: &[(Value, Value)]) -> Vec<String> {
        let mut talk = Talk::stateless();
        compact(&mut talk, &[user("a")], &[compaction()]);
        let mut history = vec![compaction()];
        for (input, output) in turns {
            history.push(input.clone());
            talk.turn(&history, std::slice::from_ref(output));
            history.push(output.clone());
        }
        compact(&mut talk, &history, &[]);
        talk.found()
    }

    #[test]
    fn one_turn_after_the_last_is_too_early() {
        assert_eq!(
            compacted_after(&[(user("one"), msg(11, "answer"))]),
            ["compaction-every-turn:warning"]
        );
    }

    #[test]
    fn two_turns_after_the_last_are_a_milestone() {
        let turns = [(user("one"), msg(11, "answer")), (user("two"), msg(12, "answer"))];
        assert_eq!(compacted_after(&turns), Vec::<String>::new());
    }

    #[test]
    fn a_tool_loop_and_a_long_turn_are_milestones() {
        let turns = [
            (user("one"), fc(11, "call_1")),
            (fo("call_1", "42"), msg(12, "answer")),
        ];
        assert_eq!(compacted_after(&turns), Vec::<String>::new());
        let long = "word ".repeat(4000);
        assert_eq!(
            compacted_after(&[(user(&long), msg(11, "answer"))]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_first_compaction_is_clean() {
        let mut talk = Talk::stateless();
        compact(&mut talk, &[user("a")], &[compaction()]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
