//! `concurrent-turn`: two writers on one conversation.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::hash::Hash;
use crate::lineage::{Endpoint, Refusal};
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

/// Turns that are remembered at once; a client with more of them loses more than turns.
const WAITING_MAX: usize = 64;

/// The API said that somebody else was writing. Whose request held the lock cannot be seen from outside: it is a note
/// until the turn is lost.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    locked(turn).into_iter().collect()
}

fn locked(turn: &Turn<'_>) -> Option<Draft> {
    refused(turn)?;
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

fn refused<'t>(turn: &'t Turn<'_>) -> Option<&'t Refusal> {
    let refusal = turn.refusal.as_ref()?;
    (refusal.code.as_deref() == Some(LOCKED)).then_some(refusal)
}

/// Turns that were refused, until they are sent again. Whether one is lost shows at the end of the session only: a client
/// that waits may send another turn before it.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Vec<LockedOut>);

/// One of them.
#[derive(Debug)]
struct LockedOut {
    conversation: String,
    /// What it said, item by item.
    said: Vec<Hash>,
    message: String,
    went_on: Option<WentOn>,
}

/// The first request that went on without it.
#[derive(Clone, Copy, Debug)]
struct WentOn {
    exchange: u64,
    lineage: Option<u32>,
}

impl Waiting {
    /// Takes the next request: one that says it again closes it, another one in the same conversation goes on without it.
    pub(crate) fn take(&mut self, turn: &Turn<'_>) {
        let Some(conversation) = turn.body.conversation() else {
            return;
        };
        if turn.ending.counts() && turn.endpoint == Endpoint::Create {
            self.0
                .retain(|waiting| waiting.conversation != conversation || !waiting.is_in(turn));
            let here = self
                .0
                .iter_mut()
                .filter(|waiting| waiting.conversation == conversation);
            for waiting in here {
                waiting.went_on.get_or_insert(WentOn {
                    exchange: turn.number,
                    lineage: turn.parent().map(|parent| parent.lineage),
                });
            }
        }
        let is_known = self.0.iter().any(|waiting| waiting.is_in(turn));
        if let Some(refusal) = refused(turn).filter(|_| !is_known && self.0.len() < WAITING_MAX) {
            self.0.push(LockedOut {
                conversation: conversation.to_owned(),
                said: turn.input.iter().map(|sent| sent.content).collect(),
                message: refusal.message.clone(),
                went_on: None,
            });
        }
    }

    /// What was lost, with the exchange and the lineage that went on.
    pub(crate) fn lost(&self) -> impl Iterator<Item = (u64, Option<u32>, Draft)> {
        self.0.iter().filter_map(|waiting| {
            let WentOn { exchange, lineage } = waiting.went_on?;
            let message = format!(
                "a turn was refused, since the conversation was in use ({}), and was never sent again: it is lost",
                waiting.message
            );
            let draft = Draft::of(&RULE, message).at("/input");
            let draft = draft
                .sent("the next turn alone")
                .expected("the refused turn again, after a wait");
            Some((exchange, lineage, draft))
        })
    }
}

impl LockedOut {
    fn is_in(&self, turn: &Turn<'_>) -> bool {
        let has = |said: &Hash| turn.input.iter().any(|sent| sent.content == *said);
        self.said.iter().all(has)
    }
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

    const BUSY: &str = "Another process is currently operating on this conversation.";

    fn busy(talk: &mut Talk, text: &str) {
        talk.refused(&[user(text)], 400, BUSY, Some("conversation_locked"));
    }

    #[test]
    fn each_turn_that_is_lost_counts_also_the_first_of_a_conversation() {
        let mut talk = Talk::stored();
        talk.set("conversation", "conv_1");
        // Whoever holds the lock is not in the recording.
        busy(&mut talk, "a");
        busy(&mut talk, "b");
        talk.turn(&[user("b")], &[rs(1), msg(1, "one")]);
        let errors = talk.found();
        let errors = errors.iter().filter(|found| *found == "concurrent-turn:error");
        assert_eq!(errors.count(), 1);
    }

    #[test]
    fn a_turn_that_waits_longer_than_another_is_not_lost() {
        let mut talk = Talk::stored();
        talk.set("conversation", "conv_1");
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        busy(&mut talk, "b");
        busy(&mut talk, "b");
        talk.turn(&[user("c")], &[rs(2), msg(2, "two")]);
        talk.turn(&[user("b")], &[rs(3), msg(3, "three")]);
        assert!(talk.found().iter().all(|found| found == "concurrent-turn:note"));
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
