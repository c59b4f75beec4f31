//! `late-part-dropped`: a streamed reasoning item came back without the token that the stream brought last.

use holdover_profile::PartialToken;

use crate::draft::Draft;
use crate::finding::Severity;
use crate::ledger::{Origin, Progress, Stage};
use crate::rules::rule;
use crate::sent::TokenSeen;
use crate::sighting::Sighting;

rule! {
    name: "late-part-dropped", class: Carry, severity: Error,
    summary: "a streamed reasoning item was kept without the token of its last event",
    what: "The response was streamed. The request carries the reasoning item with its summary, but without the token of `response.output_item.done`, or with the short one of `response.output_item.added`.",
    why: "The token is the reasoning; the summary is for display. The short token belongs to an unfinished item and is refused.",
    fix: "take the item from `response.output_item.done` or from `response.completed`, not from the deltas or from `output_item.added`",
    clients: {
        OpenAiPython: "`async with client.responses.stream(...)`, then `(await stream.get_final_response()).output`",
        OpenAiNode: "`await stream.finalResponse()`, then its `output`",
        Meai: "keep every update and call `history.AddMessages(updates)`: the last one carries only the protected part",
        AiSdk: "take `response.messages` after the stream has ended",
        LangChain: "add up all chunks (`full = full + chunk`): the token comes in the last one, and an empty first one may not win",
    },
}

/// A streamed reasoning item without its full token, though one was issued.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    if head.origin != Origin::Stream || head.progress != Progress::Done || !head.has_full_token() {
        return None;
    }
    let (what, severity) = match sent.token {
        TokenSeen::Issued(item, Stage::Partial) if item == head.ix => {
            let severity = match seen.turn.world.profile.switches.partial_token {
                PartialToken::Refuse => Severity::Error,
                PartialToken::Accept => seen.loss().min(Severity::Warning),
            };
            ("with the short token of `output_item.added`", severity)
        }
        TokenSeen::Absent if head.persisted && sent.view.id().is_some() => (
            "without its token (the server keeps the item and finds it by its id)",
            Severity::Note,
        ),
        TokenSeen::Absent => {
            let refused = sent.view.id().is_some();
            (
                "without a token",
                if refused { Severity::Error } else { seen.loss() },
            )
        }
        _ => return None,
    };
    let message = format!(
        "{} was streamed in {} and came back {what}; the whole token came in `output_item.done`; {}",
        head.label(),
        seen.issued_in(),
        seen.consequence()
    );
    let draft = seen
        .draft(&RULE, message)
        .severity(severity)
        .at(sent.member("encrypted_content"));
    Some(
        draft
            .sent(what)
            .expected("the token of `output_item.done` or of the terminal object"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, msg, rs, token, user, with, without};

    fn summed(number: u64) -> Value {
        with(
            &rs(number),
            "summary",
            json!([{"type": "summary_text", "text": "**Plan**\n\nI plan."}]),
        )
    }

    #[test]
    fn the_summary_without_the_token_is_an_error() {
        let mut talk = Talk::stateless();
        talk.stream(&[user("plan")], &[summed(1), msg(1, "a plan")]);
        let kept = without(&summed(1), "encrypted_content");
        talk.stream(
            &[user("plan"), kept, msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["late-part-dropped:error"]);
    }

    #[test]
    fn a_rebuilt_item_is_known_by_its_summary() {
        let mut talk = Talk::stateless();
        talk.stream(&[user("plan")], &[summed(1), msg(1, "a plan")]);
        let kept = without(&without(&summed(1), "encrypted_content"), "id");
        let words = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a plan"}]});
        talk.stream(&[user("plan"), kept, words, user("go on")], &[msg(2, "done")]);
        assert_eq!(talk.found(), ["late-part-dropped:error+reasoning-id-lost"]);
    }

    #[test]
    fn the_token_of_the_first_event_is_an_error() {
        let mut talk = Talk::stateless();
        talk.stream(&[user("plan")], &[summed(1), msg(1, "a plan")]);
        let early = with(
            &summed(1),
            "encrypted_content",
            token(1, "done")[..100].to_owned(),
        );
        talk.stream(
            &[user("plan"), early, msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["late-part-dropped:error"]);
    }

    #[test]
    fn a_stored_item_is_found_by_its_id_and_it_is_a_note() {
        let mut talk = Talk::stored();
        let kept = with(&summed(1), "id", crate::testkit::id("rs", "00", 1));
        talk.stream(&[user("plan")], &[kept.clone(), msg(1, "a plan")]);
        let bare = without(&kept, "encrypted_content");
        talk.stream(
            &[user("plan"), bare, msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["late-part-dropped:note"]);
    }
}
