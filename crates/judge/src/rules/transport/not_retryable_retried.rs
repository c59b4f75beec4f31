//! `not-retryable-retried`: a retry of what cannot succeed.

use crate::draft::{Draft, Once};
use crate::lineage::Retryable;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "not-retryable-retried", class: Transport, severity: Error,
    summary: "a request was retried automatically after a refusal that is not retryable",
    what: "The same body was sent again, marked as a retry (`x-stainless-retry-count`), after a 4xx that is no rate limit or time-out.",
    why: "It fails again, costs time, and hides the real fault behind \"retries exhausted\".",
    fix: "retry 408, 409, 429, 5xx and `conversation_locked` only; treat every other 4xx as a fault of the request",
    clients: {},
}

/// This request is a marked retry of a refused one.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    let count = turn
        .exchange
        .request
        .header("x-stainless-retry-count")
        .filter(|count| *count != "0")?;
    let before = turn.world.lineages.node(turn.repeats?);
    let refusal = before
        .refusal
        .as_ref()
        .filter(|refusal| refusal.retryable == Retryable::No)
        // A capture without the refusal's own words does not tell a lock (E19) from a fault of the request.
        .filter(|refusal| !refusal.message.is_empty() || refusal.code.is_some())?;
    let message = format!(
        "exchange {} was refused with {} ({}), and the same body was retried (retry {count}); it fails again and hides the fault",
        before.exchange, refusal.status, refusal.message
    );
    let draft = Draft::of(&RULE, message)
        .at("/input")
        .once(Once::Thing(refusal.message.clone()));
    Some(draft.sent("the same body").expected("no retry"))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, msg, user};

    fn retried(status: u16) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.refused(&[user("a")], status, "no", None);
        talk.header("x-stainless-retry-count", "1");
        talk.turn(&[user("a")], &[msg(1, "one")]);
        talk.found()
    }

    #[test]
    fn a_retry_after_400_is_an_error() {
        assert_eq!(retried(400), ["not-retryable-retried:error"]);
    }

    #[test]
    fn a_retry_after_503_is_clean() {
        assert_eq!(retried(503), Vec::<String>::new());
    }

    #[test]
    fn a_resend_that_is_marked_as_none_is_the_users() {
        let mut talk = Talk::stateless();
        talk.refused(&[user("a")], 400, "no", None);
        talk.turn(&[user("a")], &[msg(1, "one")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
