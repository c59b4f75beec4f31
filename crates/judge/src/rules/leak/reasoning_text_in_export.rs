//! `reasoning-text-in-export`: reasoning in plain text in a log or dump.

use crate::draft::Draft;
use crate::exports::{Kind, Spilt};
use crate::finding::Severity;
use crate::ledger::Secret;
use crate::rules::rule;

rule! {
    name: "reasoning-text-in-export", class: Leak, severity: Error,
    summary: "hidden reasoning, or more than 200 characters of a summary, stands in an export",
    what: "A log, dump or span holds the text of a reasoning item: 24 characters or more of its hidden `content`, or more than 200 characters of its summary.",
    why: "Reasoning repeats what users and tools said, unfiltered. A short summary is made for display; a whole one is not made for logs.",
    fix: "log at most the first 200 characters of a summary, and nothing of `content`",
    clients: {
        Meai: "cut `TextReasoningContent.Text` before it is logged",
    },
}

/// Reasoning text in an export, one finding for each item.
pub(crate) fn check(spilt: &Spilt<'_>) -> Vec<Draft> {
    let kinds = [
        (Secret::Thought, "hidden reasoning", Severity::Error),
        (Secret::Summary, "the summary", Severity::Error),
    ];
    let found = kinds.into_iter().flat_map(|(secret, what, severity)| {
        let firsts = spilt.firsts(Kind::Secret(secret)).into_iter();
        firsts.map(move |(spill, count)| {
            let owner = spilt.owner(spill);
            let (length, times) = (spill.end - spill.start, Spilt::times(count));
            let message = format!(
                "{length} characters of {what} of {owner} stand in `{}` ({times}line {}); reasoning repeats what users and tools said, unfiltered",
                spilt.export.file,
                spilt.line(spill)
            );
            spilt
                .draft(&RULE, spill, message)
                .severity(severity)
                .sent(format!("{length} characters of {what}"))
                .expected("at most 200 characters of a summary")
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, msg, rs, user, with};

    fn summary() -> String {
        (1..40)
            .map(|number| number.to_string())
            .collect::<Vec<_>>()
            .join(". I weigh option ")
    }

    fn logged(reasoning: Value, text: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[reasoning, msg(1, "a plan")]);
        talk.export("app.log", text);
        talk.found()
    }

    fn summed() -> Value {
        with(
            &rs(1),
            "summary",
            json!([{"type": "summary_text", "text": summary()}]),
        )
    }

    #[test]
    fn a_whole_summary_is_an_error() {
        assert_eq!(logged(summed(), &summary()), ["reasoning-text-in-export:error"]);
    }

    #[test]
    fn a_summary_cut_at_the_stated_length_is_clean() {
        assert_eq!(logged(summed(), &summary()[..200]), Vec::<String>::new());
    }

    #[test]
    fn hidden_reasoning_counts_from_24_characters_on() {
        let thought = with(
            &rs(1),
            "content",
            json!([{"type": "reasoning_text", "text": "The user hides that the budget is gone already."}]),
        );
        assert_eq!(
            logged(thought.clone(), "note: the budget is gone already. ok"),
            ["reasoning-text-in-export:error"]
        );
        assert_eq!(logged(thought, "the budget is gone"), Vec::<String>::new());
    }
}
