//! `concurrent-turn`: two writers on one conversation.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::lineage::Endpoint;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "concurrent-turn", class: State, severity: Error,
    summary: "a turn was refused because its conversation was in use, and never sent again",
    what: "The API answered `conversation_locked`: another request was working on the same conversation. The client went on without that turn (`error`), or nothing more came (`note`).",
    why: "The turn is lost, while the client and the conversation disagree on what was said (E19).",
    fix: "send one request at a time for each conversation: a queue or a lock; drain a stream before the next call; after `conversation_locked` wait and send the turn again",
    clients: {},
}

/// The code of the refusal (E19).
const LOCKED: &str = "conversation_locked";

/// The API said that somebody else was writing, now or to the turn before.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    locked(turn).or_else(|| lost(turn)).into_iter().collect()
}

/// Whose request held the lock cannot be seen from outside: it is a note until the turn is lost.
fn locked(turn: &Turn<'_>) -> Option<Draft> {
    let refusal = turn.refusal.as_ref()?;
    if refusal.code.as_deref() != Some(LOCKED) {
        return None;
    }
    let message = "the API says that another request was working on this conversation; the turn is lost unless it is sent again";
    let draft = Draft::of(&RULE, message)
        .severity(Severity::Note)
        .at("/conversation")
        .once(Once::Exchange(turn.number));
    Some(
        draft
            .sent("a request while another one was running")
            .expected("one request at a time"),
    )
}

/// The request goes on from where the refused one was to go on, and has nothing of it.
fn lost(turn: &Turn<'_>) -> Option<Draft> {
    let parent = turn.parent()?;
    let refused = parent.refused_after.last()?;
    let asked = parent.refused_user?;
    let is_locked = refused.code.as_deref() == Some(LOCKED);
    let is_sent_again = turn.input.iter().any(|sent| sent.content == asked);
    if !is_locked || is_sent_again || turn.endpoint != Endpoint::Create {
        return None;
    }
    let message = format!(
        "the turn before this one was refused, since the conversation was in use ({}), and was never sent again: it is lost",
        refused.message
    );
    let draft = Draft::of(&RULE, message)
        .at("/input")
        .once(Once::Exchange(turn.number));
    Some(
        draft
            .sent("the next turn alone")
            .expected("the refused turn again, after a wait"),
    )
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, msg, rs, user};

    /// Turn `b` was refused; then comes this.
    fn then(next: &[&str]) -> Vec<String> {
        let mut talk = Talk::stored();
        talk.set("conversation", "conv_1");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.refused(
            &[user("b")],
            400,
            "Another process is currently operating on this conversation.",
            Some("conversation_locked"),
        );
        if !next.is_empty() {
            let input: Vec<_> = next.iter().map(|text| user(text)).collect();
            talk.turn(&input, &[rs(2), msg(2, "two")]);
        }
        talk.found()
    }

    #[test]
    fn a_turn_that_is_never_sent_again_is_an_error() {
        assert_eq!(then(&["c"]), ["concurrent-turn:note", "concurrent-turn:error"]);
    }

    #[test]
    fn a_turn_that_is_sent_again_is_none() {
        assert_eq!(then(&["b"]), ["concurrent-turn:note"]);
        assert_eq!(then(&["b", "c"]), ["concurrent-turn:note"]);
    }

    #[test]
    fn whose_the_other_request_was_nobody_sees() {
        assert_eq!(then(&[]), ["concurrent-turn:note"]);
    }

    #[test]
    fn one_request_after_the_other_is_clean() {
        let mut talk = Talk::stored();
        talk.set("conversation", "conv_1");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("b")], &[rs(2), msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_rate_limit_is_another_matter() {
        let mut talk = Talk::stored();
        talk.set("conversation", "conv_1");
        talk.refused(
            &[user("a")],
            429,
            "Rate limit reached",
            Some("rate_limit_exceeded"),
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
