//! `terminal-misread`: an answer that failed or was cut passes as a whole one.

use crate::draft::{Draft, Once};
use crate::explain;
use crate::finding::Severity;
use crate::ledger::Progress;
use crate::lineage::Ending;
use crate::rules::rule;
use crate::sent::{self, Sent};
use crate::turn::Turn;
use holdover_wire::Members as _;

rule! {
    name: "terminal-misread", class: Transport, severity: Error,
    summary: "a failed or cut answer, or an error text, was kept as the assistant's answer",
    what: "A stream ended without `response.completed`, or failed; a later request carries its unfinished text, or the error text, as an assistant message.",
    why: "The model takes half a sentence or an error for its own words. `response.failed` nests its error and many SDKs do not raise on it (E35).",
    fix: "keep an answer only after `response.completed` (or `response.incomplete`, marked as such); raise on `response.failed`, `error` and an end without terminal event",
    clients: {
        OpenAiPython: "`stream.get_final_response()` raises when no `response.completed` came; a loop over events does not",
    },
}

/// Unfinished answers and error texts among the assistant's messages.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let messages = turn.input.iter().filter(|sent| sent.view.is_assistant_message());
    let found: Vec<Draft> = messages
        .filter_map(|sent| unfinished(turn, sent).or_else(|| error_text(turn, sent)))
        .collect();
    if found.is_empty() {
        passed_over(turn).into_iter().collect()
    } else {
        found
    }
}

/// The response failed inside a 200, and the next question came without the one that failed being asked again. Whether
/// the user was told nobody sees from outside: SDKs that do not raise here look the same as those that do.
fn passed_over(turn: &Turn<'_>) -> Option<Draft> {
    let last = turn.last_user?;
    if !turn.input.get(last.checked_sub(1)?)?.view.is_user_message() {
        return None;
    }
    // What stood before the newest question was itself a whole request, and its answer failed.
    let before = sent::chain(turn.body, &turn.input[..last]);
    let (_, asked) = before.last()?;
    let nodes = turn.world.lineages.by_chain(*asked).iter();
    let mut nodes = nodes.map(|ix| turn.world.lineages.node(*ix));
    let failed = nodes.rfind(|node| node.ending == Ending::Failed)?;
    let message = format!(
        "the answer of exchange {} failed (`response.failed`), and the next question came without another try; many SDKs do not raise here, and then the user has neither answer nor error",
        failed.exchange
    );
    let draft = Draft::of(&RULE, message)
        .severity(Severity::Note)
        .at("/input")
        .once(Once::Exchange(failed.exchange));
    Some(
        draft
            .sent("the next question")
            .expected("the question that failed again, or an error for the user"),
    )
}

fn unfinished(turn: &Turn<'_>, sent: &Sent<'_>) -> Option<Draft> {
    let text = sent.view.text();
    let known = sent
        .item()
        .or_else(|| turn.world.ledger.by_text(&text).last().copied())?;
    let issued = turn.world.ledger.item(known);
    let node = turn.world.lineages.node(issued.node);
    let is_marked = sent
        .view
        .object()
        .member("status")
        .is_some_and(|status| status == "incomplete");
    let ended_badly = matches!(node.ending, Ending::Failed | Ending::Cut | Ending::Abandoned);
    if is_marked || !ended_badly || issued.progress == Progress::Done {
        return None;
    }
    // A user who stops an answer may want to keep what was there.
    let severity = if node.ending == Ending::Abandoned {
        Severity::Note
    } else {
        Severity::Error
    };
    let message = format!(
        "the text of exchange {}, which did not end with `response.completed`, came back as a whole answer, and the model takes it for its own words",
        node.exchange
    );
    let draft = Draft::of(&RULE, message)
        .severity(severity)
        .item(issued.id.as_deref())
        .at(sent.pointer());
    let once = Once::Thing(issued.label());
    Some(
        draft
            .sent("an unfinished answer")
            .expected("nothing of it, or `status: incomplete`")
            .once(once),
    )
}

fn error_text(turn: &Turn<'_>, sent: &Sent<'_>) -> Option<Draft> {
    // A text that was there before was looked at then.
    let fresh = turn.fresh.iter().find(|fresh| fresh.pointer == sent.pointer());
    let page = explain::refusal(&fresh.filter(|_| sent.found.is_none())?.text)?;
    let message = format!(
        "an assistant message is the text of an error ({}), and the model takes it for its own words",
        page.code
    );
    let draft = Draft::of(&RULE, message)
        .at(sent.pointer())
        .once(Once::Thing(page.code.to_owned()));
    Some(draft.sent("an error text as answer").expected("no message"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, easy, msg, rs, user, with};

    fn ended(talk: &mut Talk, end: &str, events: Vec<Value>) {
        let mut all = vec![
            json!({"type": "response.output_item.added", "output_index": 0, "item": with(&msg(1, ""), "content", json!([]))}),
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": "The first half"}),
        ];
        all.extend(events);
        let body = json!({"model": "gpt-5.6", "store": false, "input": [user("a")]});
        talk.exchange(
            json!({"transport": "sse", "request": {"body": body}, "response": {"events": all, "end": end}}),
        );
    }

    #[test]
    fn the_text_of_a_cut_or_failed_stream_as_answer_is_an_error() {
        let failed = json!({"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "output": [], "error": {"code": "server_error", "message": "x"}}});
        for (end, events) in [("cut", vec![]), ("complete", vec![failed])] {
            let mut talk = Talk::stateless();
            ended(&mut talk, end, events);
            talk.turn(&[user("a"), easy("The first half"), user("b")], &[msg(2, "two")]);
            assert_eq!(talk.found(), ["terminal-misread:error"]);
        }
    }

    #[test]
    fn a_failed_answer_that_is_passed_over_is_a_note() {
        let failed = json!({"type": "response.failed", "response": {"id": "resp_1", "status": "failed", "output": [], "error": {"code": "server_error", "message": "x"}}});
        let mut talk = Talk::stateless();
        ended(&mut talk, "complete", vec![failed.clone()]);
        talk.turn(&[user("a"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["terminal-misread:note"]);
        // One that came, or was refused at once, is another matter.
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[msg(1, "one")]);
        talk.refused(&[user("a"), msg(1, "one"), user("b")], 500, "no", None);
        talk.turn(&[user("a"), user("c")], &[msg(2, "two")]);
        talk.turn(
            &[user("a"), msg(1, "one"), user("b"), user("d")],
            &[msg(3, "three")],
        );
        assert!(
            talk.found()
                .iter()
                .all(|found| !found.starts_with("terminal-misread"))
        );
        // Asked again, it is a retry.
        let mut talk = Talk::stateless();
        ended(&mut talk, "complete", vec![failed]);
        talk.turn(&[user("a")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn an_error_text_as_answer_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(
            &[
                user("a"),
                easy("No tool output found for function call call_1."),
                user("b"),
            ],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["terminal-misread:error"]);
    }

    #[test]
    fn a_retry_without_it_is_clean() {
        let mut talk = Talk::stateless();
        ended(&mut talk, "cut", vec![]);
        talk.turn(&[user("a")], &[rs(2), msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn what_a_user_stopped_is_a_note() {
        let mut talk = Talk::stateless();
        ended(&mut talk, "client-gone", vec![]);
        talk.turn(&[user("a"), easy("The first half"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["terminal-misread:note"]);
    }
}
