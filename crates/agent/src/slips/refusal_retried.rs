//! Every error counts as one that passes.

use crate::slip::{Card, Stage};
use crate::stages::recover::{Attempts, Remedy};

pub(crate) const CARD: Card = Card {
    about: "retries every refusal, also one that the same request will always meet",
    stage: Stage::Recover,
    seen: "the same body comes again after a refusal that is not retryable, marked as a retry",
    needs: "any client",
    exists: |_| true,
};

/// One retry is enough to show it.
pub(crate) fn apply(right: Remedy, tried: Attempts) -> Remedy {
    match right {
        Remedy::Stop if tried.retries == 0 => Remedy::Again { wait_ms: 500 },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{drive, refusal, stateless};
    use crate::turn::{TurnInput, TurnStatus};

    #[test]
    fn the_same_body_comes_again_and_says_so() {
        let too_long = refusal(400, Some("context_length_exceeded"), "Too long.");
        let sent = |slips: Vec<Slip>| {
            let answers = vec![too_long.clone(); slips.len() + 1];
            let mut agent = stateless(|config| config.slips = slips);
            let (calls, result) = drive(&mut agent, TurnInput::user("a"), &answers);
            assert_eq!(result.status, TurnStatus::Refused);
            calls
        };
        assert_eq!(sent(vec![]).len(), 1);
        let [first, again] = sent(vec![Slip::RefusalRetried]).try_into().expect("two");
        assert_eq!(first.body, again.body);
        assert_eq!(again.header("x-stainless-retry-count"), Some("1"));
    }
}
