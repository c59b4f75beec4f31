//! `reasoning-dropped`: followers were replayed with their ids, their reasoning was not.

use crate::draft::{Draft, UnderOmit};
use crate::rules::{audit, rule};
use crate::sighting::{Cut, Excuse, Sighting};

rule! {
    name: "reasoning-dropped", class: Carry, severity: Error,
    summary: "a message or call was replayed with its id, the reasoning item before it was not",
    what: "The followers of a reasoning item came back as issued; the reasoning item itself is not in the input.",
    why: "The model continues without what it had worked out. Where the server knows the ids it refuses: \"… was provided without its required 'reasoning' item\" (E02, E03).",
    fix: "keep `reasoning` items when history is filtered; drop a group as a whole or not at all",
    clients: {
        AgentsPython: "look for a `session_input_callback`, `call_model_input_filter` or handoff filter that drops `reasoning` items; nothing repairs that afterwards",
        AiSdk: "keep the `reasoning` parts of the assistant message when messages are pruned",
        LangChain: "keep the `reasoning` blocks of the `AIMessage` when messages are filtered or converted",
    },
}

/// The reasoning is gone, its followers were replayed, and no cut explains it.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let head = seen
        .lost_head()
        .filter(|_| !seen.is_rebuilt() && seen.cut == Cut::Elsewhere)?;
    let kept = seen
        .kept()
        .map(|(issued, _)| issued.label())
        .collect::<Vec<_>>()
        .join(", ");
    let message = format!(
        "{} of {} is not in the input, what it led to is: {kept}; {}",
        head.label(),
        seen.issued_in(),
        seen.consequence()
    );
    let draft = seen
        .draft(&RULE, message)
        .severity(seen.loss())
        .sent(kept.clone());
    let draft = draft.expected(format!("{}, {kept}", head.label()));
    // What a refusal asked for was not the policy's doing.
    Some(match seen.excuse {
        Excuse::Refusal => draft,
        _ => draft.under_omit(UnderOmit::Becomes(&audit::policy_used_as_content_switch::RULE)),
    })
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    #[test]
    fn a_call_without_its_reasoning_in_a_tool_loop_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(
            &[user("look"), fc(1, "call_1"), fo("call_1", "42")],
            &[msg(2, "42")],
        );
        assert_eq!(talk.found(), ["reasoning-dropped:error"]);
    }

    #[test]
    fn the_pair_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(
            &[user("look"), rs(1), fc(1, "call_1"), fo("call_1", "42")],
            &[msg(2, "42")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn an_earlier_turn_is_a_note_where_the_model_is_not_shown_it() {
        let mut talk = Talk::stateless();
        talk.set("model", "gpt-5.5");
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["reasoning-dropped:note"]);
    }

    #[test]
    fn one_loss_is_told_once() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), msg(1, "a plan"), user("go on")],
            &[rs(2), msg(2, "done")],
        );
        let third = [
            user("plan"),
            msg(1, "a plan"),
            user("go on"),
            rs(2),
            msg(2, "done"),
            user("more"),
        ];
        talk.turn(&third, &[msg(3, "ok")]);
        assert_eq!(talk.found(), ["reasoning-dropped:error"]);
    }
}
