//! A retry does not wait.

use crate::slip::{Card, Stage};
use crate::stages::recover::Remedy;

pub(crate) const CARD: Card = Card {
    about: "retries at once, whatever wait the answer names",
    stage: Stage::Recover,
    seen: "the same body comes again before the time that `retry-after` named",
    needs: "any client",
    exists: |_| true,
};

pub(crate) fn apply(right: Remedy) -> Remedy {
    match right {
        Remedy::Again { .. } => Remedy::Again { wait_ms: 0 },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::slip::Slip;
    use crate::testing::{refusal, stateless};
    use crate::turn::{Next, TurnInput};

    #[test]
    fn only_the_wait_is_missing() {
        let mut limited = refusal(429, Some("rate_limit_exceeded"), "Slow down.");
        limited.headers.push(("retry-after".to_owned(), "20".to_owned()));
        let second = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| config.slips = slips);
            agent.start(TurnInput::user("a"));
            match agent.receive(&limited) {
                Next::SendAfter { wait_ms, call } => (wait_ms, call),
                other => panic!("{other:?}"),
            }
        };
        let (wait_ms, right) = second(vec![]);
        assert_eq!(wait_ms, 20_000);
        assert_eq!(second(vec![Slip::RetryAtOnce]), (0, right));
    }
}
