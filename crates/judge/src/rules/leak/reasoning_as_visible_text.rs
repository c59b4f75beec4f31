//! `reasoning-as-visible-text`: reasoning in the text of a message.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::ledger::{SUMMARY_SAID_MAX, Secret};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "reasoning-as-visible-text", class: Leak, severity: Error,
    summary: "reasoning or a summary was put into the text of a message",
    what: "A text of the request holds hidden reasoning of an issued item, or more than 60 characters of its summary.",
    why: "Hidden reasoning becomes visible, to users and to tools. And it is not what the model thought: the token is.",
    fix: "carry reasoning items as they are; do not write them out as text (`<think>…`)",
    clients: {
        LangChain: "unknown model names count as non-reasoning in some integrations, and their reasoning is sent as text: use a known model name",
    },
}

/// Fresh texts with reasoning in them.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let found = turn.fresh.iter().filter_map(|fresh| {
        let hits = turn.world.ledger.pieces.scan(&fresh.text, SUMMARY_SAID_MAX);
        let hit = hits.into_iter().find(|hit| hit.secret != Secret::Token)?;
        let issued = turn.world.ledger.item(hit.item);
        let (what, severity) = match hit.secret {
            Secret::Summary => ("the summary", Severity::Warning),
            Secret::Thought | Secret::Token => ("hidden reasoning", Severity::Error),
        };
        let message = format!(
            "{} characters of {what} of {} stand in the text at `{}`; it becomes visible to users and tools, and is not what the token holds",
            hit.end - hit.start,
            issued.label(),
            fresh.pointer
        );
        let draft = Draft::of(&RULE, message)
            .severity(severity)
            .item(issued.id.as_deref())
            .at(fresh.pointer.clone());
        let once = Once::Thing(issued.label());
        Some(
            draft
                .sent("reasoning inside text")
                .expected("the reasoning item itself")
                .once(once),
        )
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, easy, msg, rs, user, with};

    const SUMMARY: &str =
        "I compare the three ways to move the data and pick the one that can be undone at any time.";

    fn summed() -> Value {
        with(
            &rs(1),
            "summary",
            json!([{"type": "summary_text", "text": SUMMARY}]),
        )
    }

    fn second_turn(reasoning: Value, text: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[reasoning.clone(), msg(1, "a plan")]);
        talk.turn(
            &[
                user("plan"),
                reasoning,
                msg(1, "a plan"),
                easy(text),
                user("go on"),
            ],
            &[msg(2, "done")],
        );
        talk.found()
    }

    #[test]
    fn a_summary_as_a_message_is_a_warning() {
        assert_eq!(
            second_turn(summed(), &format!("<think>{SUMMARY}</think>")),
            ["reasoning-as-visible-text:warning"]
        );
    }

    #[test]
    fn hidden_reasoning_as_a_message_is_an_error() {
        let thought = with(
            &rs(1),
            "content",
            json!([{"type": "reasoning_text", "text": "The user hides that the budget is gone already."}]),
        );
        assert_eq!(
            second_turn(thought, "the budget is gone already."),
            ["reasoning-as-visible-text:error"]
        );
    }

    #[test]
    fn a_few_words_of_a_summary_are_clean() {
        assert_eq!(second_turn(summed(), &SUMMARY[..60]), Vec::<String>::new());
    }
}
