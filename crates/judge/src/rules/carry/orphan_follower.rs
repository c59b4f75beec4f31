//! `orphan-follower`: history was cut between a reasoning item and what it led to.

use crate::draft::Draft;
use crate::finding::Severity;
use crate::rules::rule;
use crate::sighting::{Cut, Sighting};

rule! {
    name: "orphan-follower", class: Carry, severity: Error,
    summary: "history was cut between a reasoning item and the message or call it led to",
    what: "The oldest item left of a trimmed history is a message or call with its server id; the reasoning item directly before it fell to the cut.",
    why: "The model sees the result without the thought. Where the server knows the ids it refuses (E02, E03).",
    fix: "cut history at the start of a user turn, never inside a group",
    clients: {
        AgentsPython: "`SessionSettings(limit=N)` cuts by item count and can cut here; trim in a `session_input_callback` at user messages instead",
        LangChain: "`trim_messages(..., start_on=\"human\")`",
    },
}

/// The reasoning is gone, a replayed follower is left, and the cut runs between them.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let head = seen
        .lost_head()
        .filter(|_| !seen.is_rebuilt() && seen.cut == Cut::Here)?;
    let kept = seen
        .kept()
        .map(|(issued, _)| issued.label())
        .collect::<Vec<_>>()
        .join(", ");
    let message = format!(
        "the history was cut between {} and what it led to, {kept}; {}",
        head.label(),
        seen.consequence()
    );
    let severity = if seen.ids_are_enforced() {
        Severity::Error
    } else {
        seen.loss()
    };
    let draft = seen.draft(&RULE, message).severity(severity).sent(kept.clone());
    Some(draft.expected(format!("{}, {kept}, or neither", head.label())))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    #[test]
    fn a_cut_through_a_group_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(&[fc(1, "call_1"), fo("call_1", "42")], &[msg(2, "42")]);
        assert_eq!(talk.found(), ["orphan-follower:error"]);
    }

    #[test]
    fn a_cut_at_a_user_message_is_a_note() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), rs(1), msg(1, "one"), user("b")],
            &[rs(2), msg(2, "two")],
        );
        talk.turn(&[user("b"), rs(2), msg(2, "two"), user("c")], &[msg(3, "three")]);
        assert_eq!(talk.found(), ["history-absent:note"]);
    }

    #[test]
    fn a_filter_that_drops_all_reasoning_is_another_rule() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("a"), msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), ["reasoning-dropped:error"]);
    }
}
