//! `summary-altered`: the summary of a carried reasoning item is not the one that was issued.

use holdover_wire::Members as _;
use serde_json::Value;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::rules::rule;
use crate::sighting::Sighting;

rule! {
    name: "summary-altered", class: Carry, severity: Error,
    summary: "a reasoning item came back with another summary",
    what: "The parts of `summary` are not those that were issued: joined, cut, added or rewritten.",
    why: "While the token verifies, the summary is display only and this is a note. Without it the summary is all the model gets.",
    fix: "carry `summary` as issued, with its parts apart; an empty list stays an empty list",
    clients: {
        Meai: "streamed summaries come back as one part, and an empty one as a part with empty text; the token still holds the reasoning",
    },
}

/// The carried summary differs from the issued one.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    let is_given = sent.view.object().member("summary").is_some_and(Value::is_array);
    if !is_given
        || sent
            .view
            .summary_texts()
            .eq(head.summary.iter().map(String::as_str))
    {
        return None;
    }
    let severity = if seen.token_verifies() {
        Severity::Note
    } else {
        seen.loss()
    };
    let why = match severity {
        Severity::Note => "the token still holds the reasoning",
        Severity::Warning | Severity::Error => "and without its token the summary is all that the model gets",
    };
    let message = format!(
        "the summary of {} is not the one that was issued; {why}",
        head.label()
    );
    let draft = seen
        .draft(&RULE, message)
        .severity(severity)
        .at(sent.member("summary"));
    let carried: Vec<&str> = sent.view.summary_texts().collect();
    Some(
        draft
            .sent(parts(carried.len()))
            .expected(parts(head.summary.len())),
    )
}

fn parts(count: usize) -> String {
    if count == 1 {
        "1 part".to_owned()
    } else {
        format!("{count} parts")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, rs, user, with, without};

    fn summed(texts: &[&str]) -> serde_json::Value {
        let parts: Vec<_> = texts
            .iter()
            .map(|text| json!({"type": "summary_text", "text": text}))
            .collect();
        with(&rs(1), "summary", parts)
    }

    #[test]
    fn joined_parts_are_a_note_while_the_token_verifies() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[summed(&["one", "two"]), msg(1, "one")]);
        talk.turn(
            &[user("a"), summed(&["onetwo"]), msg(1, "one"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["summary-altered:note"]);
    }

    #[test]
    fn an_unread_token_makes_it_part_of_the_loss() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[summed(&["one", "two"]), msg(1, "one")]);
        let bare = without(&summed(&["onetwo"]), "encrypted_content");
        talk.turn(&[user("a"), bare, msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["encrypted-content-missing:error+summary-altered"]);
    }

    #[test]
    fn the_same_parts_are_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[summed(&["one", "two"]), msg(1, "one")]);
        talk.turn(
            &[user("a"), summed(&["one", "two"]), msg(1, "one"), user("b")],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
