//! `partial-reasoning-kept`: reasoning of a stream that never finished it.

use crate::draft::Draft;
use crate::ledger::Progress;
use crate::rules::rule;
use crate::sighting::Sighting;

rule! {
    name: "partial-reasoning-kept", class: Carry, severity: Error,
    summary: "an unfinished reasoning item of a cut stream was put into the history",
    what: "The stream ended before `output_item.done` of a reasoning item; a later request carries that item all the same.",
    why: "It has a short token or none: the API refuses it on every turn from now on, because it sits in the stored history.",
    fix: "put only items of `output_item.done` or of a terminal object into the history; drop what a cut stream left",
    clients: {},
}

/// The carried reasoning was never finished.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    if head.progress != Progress::Begun {
        return None;
    }
    let message = format!(
        "{} of {} was announced and never finished, and is in the history now; the API refuses it on every later turn",
        head.label(),
        seen.issued_in()
    );
    Some(
        seen.draft(&RULE, message)
            .at(sent.pointer())
            .sent("an unfinished reasoning item")
            .expected("nothing of it"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, rs, token, user, with};

    fn cut(talk: &mut Talk) {
        let added = with(&rs(1), "encrypted_content", token(1, "done")[..100].to_owned());
        let events = json!([{"type": "response.output_item.added", "output_index": 0, "item": added}]);
        let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": [user("a")]});
        talk.exchange(json!({"transport": "sse", "request": {"body": body}, "response": {"events": events, "end": "cut"}}));
    }

    #[test]
    fn the_item_of_a_cut_stream_is_an_error() {
        let mut talk = Talk::stateless();
        cut(&mut talk);
        let partial = with(&rs(1), "encrypted_content", token(1, "done")[..100].to_owned());
        talk.turn(&[user("a"), partial, user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["partial-reasoning-kept:error"]);
    }

    #[test]
    fn dropping_it_is_clean() {
        let mut talk = Talk::stateless();
        cut(&mut talk);
        talk.turn(&[user("a")], &[rs(2), msg(2, "two")]);
        talk.turn(&[user("a"), rs(2), msg(2, "two"), user("b")], &[msg(3, "three")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_finished_item_before_the_cut_is_not_this_rule() {
        let mut talk = Talk::stateless();
        let events = json!([{"type": "response.output_item.done", "output_index": 0, "item": rs(1)}]);
        let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": [user("a")]});
        talk.exchange(json!({"transport": "sse", "request": {"body": body}, "response": {"events": events, "end": "cut"}}));
        talk.turn(&[user("a"), rs(1), user("b")], &[msg(2, "two")]);
        assert!(
            !talk
                .found()
                .iter()
                .any(|found| found.starts_with("partial-reasoning-kept"))
        );
    }
}
