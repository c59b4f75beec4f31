//! Refusals that no finding explains: the API said no, and the judge cannot say why (law 8 of `docs/architecture.md`).
//!
//! One stays open until a later request of the client puts the same question and is answered: that was the recovery.

use crate::explain;
use crate::finding::Severity;
use crate::hash::Hash;
use crate::lineage::{Endpoint, Refusal, Retryable};
use crate::turn::Turn;
use crate::verdict::Inconclusive;

/// What puts the same question again: the last user message, or the whole input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Question {
    user: Option<Hash>,
    input: Hash,
}

impl Question {
    fn of(turn: &Turn<'_>) -> Self {
        Self {
            user: turn.user_hash(),
            input: turn.whole_chain,
        }
    }

    fn is_again(self, other: Self) -> bool {
        self.input == other.input || (self.user.is_some() && self.user == other.user)
    }
}

/// One refusal without a finding.
#[derive(Debug)]
struct Open {
    exchange: u64,
    question: Question,
    missing: String,
}

/// Refusals of a session that nothing explains so far.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    open: Vec<Open>,
}

/// Whether the findings of an exchange say why it was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Explained {
    Yes,
    No,
}

impl Refused {
    /// Takes the next request: an answer closes what it asks again, a refusal opens.
    pub(crate) fn take(&mut self, turn: &Turn<'_>, explained: Explained) {
        let question = Question::of(turn);
        if turn.ending.counts() {
            self.open.retain(|open| !open.question.is_again(question));
        }
        let Some(refusal) = turn.refusal.as_ref().filter(|refusal| asks_why(refusal)) else {
            return;
        };
        let is_open = self.open.iter().any(|open| open.question.is_again(question));
        if explained == Explained::No && turn.endpoint == Endpoint::Create && !is_open {
            self.open.push(Open {
                exchange: turn.number,
                question,
                missing: said(refusal),
            });
        }
    }

    /// What is still open at the end.
    pub(crate) fn close(self) -> impl Iterator<Item = Inconclusive> {
        self.open.into_iter().map(|open| Inconclusive {
            what: format!("why exchange {} was refused", open.exchange),
            missing: open.missing,
            exchange: Some(open.exchange),
        })
    }
}

/// Whether a refusal is about what was sent and does not say all of it itself: who asks and for which model, how often,
/// the server's own trouble, and a size that is too large need no finding.
fn asks_why(refusal: &Refusal) -> bool {
    let is_about_input = (400..500).contains(&refusal.status) && refusal.is_about_input();
    is_about_input && refusal.retryable == Retryable::No && !refusal.is_about_size()
}

/// The refusal's own words, with the page that explains them.
fn said(refusal: &Refusal) -> String {
    let words = match (refusal.message.as_str(), &refusal.code) {
        ("", Some(code)) => format!("{} {code}", refusal.status),
        ("", None) => refusal.status.to_string(),
        (message, _) => message.to_owned(),
    };
    if !refusal.evicted.is_empty() {
        return format!(
            "what Holdover's own store had let go to stay within its bound of bytes ({}); the API said: {words}",
            refusal.evicted.join(", ")
        );
    }
    match explain::refusal(&words) {
        Some(page) => format!(
            "a finding that explains it; the API said: {words} ({}: {})",
            page.code, page.title
        ),
        None => format!("a finding that explains it; the API said: {words}"),
    }
}

/// Whether something that was found in an exchange says why it was refused: a finding above `note`, or one that the
/// page of the refusal names.
pub(crate) fn explains<'d>(
    found: impl IntoIterator<Item = (&'d str, Severity)>,
    refusal: Option<&Refusal>,
) -> Explained {
    let page = refusal.and_then(|refusal| explain::refusal(&refusal.message));
    let tells = |(rule, severity): (&str, Severity)| {
        severity > Severity::Note || page.is_some_and(|page| page.rules.contains(&rule))
    };
    if found.into_iter().any(tells) {
        Explained::Yes
    } else {
        Explained::No
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::testkit::{Talk, fc, fo, msg, rs, user};
    use crate::{Outcome, Verdict};

    const WHY: &str = "Unsupported parameter: 'temperature' is not supported with this model.";

    fn history() -> Vec<Value> {
        vec![user("a"), rs(1), msg(1, "one"), user("b")]
    }

    fn refused(status: u16, message: &str, then: impl FnOnce(&mut Talk)) -> Verdict {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.refused(&history(), status, message, None);
        then(&mut talk);
        talk.verdict()
    }

    #[test]
    fn a_refusal_without_a_finding_is_inconclusive_with_its_own_words() {
        let verdict = refused(400, WHY, |_| {});
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert_eq!(verdict.inconclusive.len(), 1);
        let gap = &verdict.inconclusive[0];
        assert_eq!(gap.what, "why exchange 2 was refused");
        assert!(
            gap.missing.contains(WHY) && gap.missing.contains("(E31: "),
            "{}",
            gap.missing
        );
    }

    #[test]
    fn the_same_refusal_again_is_told_once() {
        let again = |talk: &mut Talk| {
            talk.refused(&history(), 400, WHY, None);
        };
        assert_eq!(refused(400, WHY, again).inconclusive.len(), 1);
    }

    #[test]
    fn an_answer_to_the_same_question_closes_it_and_another_question_does_not() {
        let repaired = |talk: &mut Talk| {
            talk.turn(&history(), &[msg(2, "two")]);
        };
        assert_eq!(refused(400, WHY, repaired).outcome, Outcome::Clean);
        let elsewhere = |talk: &mut Talk| {
            talk.turn(&[user("something else")], &[msg(2, "two")]);
        };
        assert_eq!(refused(400, WHY, elsewhere).outcome, Outcome::Inconclusive);
    }

    #[test]
    fn limits_keys_and_the_servers_own_trouble_ask_nothing() {
        for status in [401, 403, 408, 409, 429, 500, 503] {
            assert_eq!(refused(status, "no", |_| {}).outcome, Outcome::Clean, "{status}");
        }
    }

    #[test]
    fn a_size_or_a_model_that_is_not_there_says_all_of_it_itself() {
        for (status, code) in [
            (413, None),
            (400, Some("context_length_exceeded")),
            (404, Some("model_not_found")),
        ] {
            let mut talk = Talk::stateless();
            talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
            talk.refused(&history(), status, "no", code);
            assert_eq!(talk.verdict().inconclusive, [], "{status}");
        }
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.refused(&history(), 404, "no", None);
        assert_eq!(talk.verdict().inconclusive.len(), 1);
    }

    #[test]
    fn a_finding_of_that_exchange_is_the_answer_to_why() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        let message = "No tool call found for function call output with call_id call_9.";
        let input = [
            user("look"),
            rs(1),
            fc(1, "call_1"),
            fo("call_1", "42"),
            fo("call_9", "x"),
        ];
        talk.refused(&input, 400, message, None);
        assert_eq!(talk.verdict().inconclusive, []);
    }
}
