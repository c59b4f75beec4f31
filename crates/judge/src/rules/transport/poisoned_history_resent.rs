//! `poisoned-history-resent`: the same refusal for the third time.

use crate::draft::{Draft, Once};
use crate::lineage::Retryable;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "poisoned-history-resent", class: Transport, severity: Error,
    summary: "a refusal that cannot be retried came for the third time: its cause sits in the history",
    what: "Two resends after a refusal that is not retryable met the same refusal: the history that caused it was sent unchanged.",
    why: "Every later turn fails the same way, until somebody starts a new session. It is the usual end of a small slip.",
    fix: "after a 400 that names an item, repair the stored history (drop the group that it names) before the next request, and do it once",
    clients: {},
}

/// How many of the same refusal make it plain.
const REFUSALS: u32 = 3;

/// The refusal of this request is the third of its wording.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    let refusal = turn
        .refusal
        .as_ref()
        .filter(|refusal| refusal.retryable == Retryable::No && refusal.is_about_input())?;
    let before = turn.refusals_before(&refusal.message);
    if before + 1 != REFUSALS || refusal.message.is_empty() {
        return None;
    }
    let message = format!(
        "the API refuses for the third time, and every later turn will fail the same way: {}",
        refusal.message
    );
    let draft = Draft::of(&RULE, message)
        .at("/input")
        .follows(&refusal.message)
        .once(Once::Thing(refusal.message.clone()));
    Some(draft.sent("the same history").expected("a repaired history"))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, msg, rs, user};

    const ORPHAN: &str = "Item 'rs_A' of type 'reasoning' was provided without its required following item.";

    const UNVERIFIED: &str = "The encrypted content for item rs_1 could not be verified.";

    fn poisoned_by_a_slip(count: usize) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        for _ in 0..count {
            talk.refused(&[user("a"), rs(1), user("b")], 400, ORPHAN, None);
        }
        let findings = talk.verdict().findings;
        let shown = findings
            .iter()
            .map(|finding| [vec![finding.rule.to_owned()], finding.also.clone()].concat());
        shown.flatten().collect()
    }

    fn poisoned_by_the_server(count: usize) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        for _ in 0..count {
            let history = [user("a"), rs(1), msg(1, "one"), user("b")];
            talk.refused(&history, 400, UNVERIFIED, Some("invalid_encrypted_content"));
        }
        talk.found()
    }

    #[test]
    fn the_second_resend_is_an_error() {
        assert_eq!(poisoned_by_the_server(3), ["poisoned-history-resent:error"]);
    }

    #[test]
    fn the_first_resend_is_not_yet() {
        assert_eq!(poisoned_by_the_server(2), Vec::<String>::new());
        assert_eq!(poisoned_by_a_slip(2), ["orphan-reasoning"]);
    }

    #[test]
    fn refusals_stand_behind_the_loss_that_they_follow() {
        assert_eq!(
            poisoned_by_a_slip(3),
            ["orphan-reasoning", "poisoned-history-resent"]
        );
    }

    #[test]
    fn a_key_and_a_model_that_are_gone_are_no_poison() {
        for (status, code) in [(401, "invalid_api_key"), (404, "model_not_found")] {
            let mut talk = Talk::stateless();
            for _ in 0..4 {
                talk.refused(&[user("a")], status, "gone", Some(code));
            }
            assert_eq!(talk.found(), Vec::<String>::new(), "{code}");
        }
    }

    #[test]
    fn a_rate_limit_may_be_met_many_times() {
        let mut talk = Talk::stateless();
        for _ in 0..4 {
            talk.refused(
                &[user("a")],
                429,
                "Rate limit reached",
                Some("rate_limit_exceeded"),
            );
        }
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
