//! `concurrent-turn`: two writers on one conversation.

use crate::draft::{Draft, Once};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "concurrent-turn", class: State, severity: Error,
    summary: "a second request was sent into a conversation while the first was running",
    what: "The API answered `conversation_locked`: another request was working on the same conversation.",
    why: "One of the two turns is lost or comes in the wrong order (E19).",
    fix: "send one request at a time for each conversation: a queue or a lock; drain a stream before the next call",
    clients: {},
}

/// The API said that somebody else was writing.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let locked = turn
        .refusal
        .as_ref()
        .filter(|refusal| refusal.code.as_deref() == Some("conversation_locked"));
    let found = locked.map(|_| {
        let message = "the conversation was locked by another request of this client: one of the two turns is lost or comes out of order";
        let draft = Draft::of(&RULE, message).at("/conversation").once(Once::Lineage);
        draft.sent("a second request").expected("one request at a time")
    });
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, msg, rs, user};

    #[test]
    fn a_locked_conversation_is_an_error() {
        let mut talk = Talk::stored();
        talk.set("conversation", "conv_1");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.refused(
            &[user("b")],
            400,
            "Another process is currently operating on this conversation.",
            Some("conversation_locked"),
        );
        assert_eq!(talk.found(), ["concurrent-turn:error"]);
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
