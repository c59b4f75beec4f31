//! `retry-after-ignored`: a retry before the time that the answer named.

use crate::config::Clock;
use crate::draft::{Draft, Once};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "retry-after-ignored", class: Transport, severity: Error,
    summary: "a retry came before the time that `retry-after` named",
    what: "The answer before named a wait in `retry-after` or `retry-after-ms`, and the same body came again earlier. Judged only where times are real (`--clock wall`).",
    why: "The retry meets the same limit, and clients in step keep the limit up.",
    fix: "wait for what the header says, with some jitter on top",
    clients: {},
}

/// This request repeats a refused one too early.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    if turn.world.clock != Clock::Wall {
        return None;
    }
    let before = turn.world.lineages.node(turn.repeats?);
    let wait_ms = before.refusal.as_ref()?.wait_ms?;
    let waited_ms = turn.exchange.at_ms.saturating_sub(before.at_ms);
    if waited_ms >= wait_ms {
        return None;
    }
    let message = format!(
        "exchange {} asked for a wait of {wait_ms} ms, the retry came after {waited_ms} ms and meets the same limit",
        before.exchange
    );
    let draft = Draft::of(&RULE, message).once(Once::Exchange(turn.number));
    Some(
        draft
            .sent(format!("{waited_ms} ms"))
            .expected(format!("at least {wait_ms} ms")),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, msg, user};
    use crate::{Clock, JudgeConfig};

    fn retried_after(clock: Clock, waited_ms: u64) -> Vec<String> {
        let mut talk = Talk::stateless().judged_by(JudgeConfig {
            clock,
            ..JudgeConfig::default()
        });
        let body = json!({"model": "gpt-5.6", "store": false, "include": ["reasoning.encrypted_content"], "input": [user("a")]});
        let limited = json!({"status": 429, "headers": {"retry-after": "2"}, "body": {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}});
        talk.exchange(json!({"request": {"body": body}, "response": limited}));
        talk.wait_ms(waited_ms);
        talk.turn(&[user("a")], &[msg(1, "one")]);
        talk.found()
    }

    #[test]
    fn a_retry_after_half_the_time_is_an_error() {
        assert_eq!(retried_after(Clock::Wall, 1000), ["retry-after-ignored:error"]);
    }

    #[test]
    fn a_retry_after_the_time_is_clean() {
        assert_eq!(retried_after(Clock::Wall, 2000), Vec::<String>::new());
    }

    #[test]
    fn virtual_time_shows_nothing() {
        assert_eq!(retried_after(Clock::Virtual, 0), Vec::<String>::new());
    }
}
