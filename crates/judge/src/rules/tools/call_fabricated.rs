//! `call-fabricated`: a call that no response made.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::lineage::{Mode, Strength};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "call-fabricated", class: Tools, severity: Error,
    summary: "the history holds a tool call that no response issued",
    what: "A call stands in the input behind issued items; no response of the conversation made it.",
    why: "Something other than the model decided to call a tool: often a command read out of reasoning or text. Reasoning has no right to run anything.",
    fix: "run only calls that came as call items, and put only those into the history",
    clients: {},
}

/// Calls behind issued items that were never issued.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let Some(first) = turn.input.iter().find(|sent| sent.item().is_some()) else {
        return Vec::new();
    };
    if turn.mode != Mode::ClientReplay || turn.is_handoff() {
        return Vec::new();
    }
    let calls = turn
        .input
        .iter()
        .filter(|sent| sent.index > first.index && sent.kind.is_client_call());
    let made_up = calls.filter(|sent| sent.found.is_none()).filter_map(|sent| {
        let call_id = sent.view.call_id()?;
        let brought = turn
            .conversation()
            .is_some_and(|conversation| conversation.brought_calls.contains(call_id));
        if brought {
            return None;
        }
        let name = sent.view.name().unwrap_or("?");
        let message = format!("call `{call_id}` of `{name}` was issued by no response of this conversation; something other than the model decided to run it");
        let severity = match turn.link.strength {
            Strength::Words | Strength::None => Severity::Warning,
            Strength::Items | Strength::Anchor => Severity::Error,
        };
        let draft = Draft::of(&RULE, message).severity(severity).at(sent.pointer());
        Some(
            draft
                .sent(format!("a call of `{name}`"))
                .expected("no such call")
                .once(Once::Thing(call_id.to_owned())),
        )
    });
    made_up.collect()
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    #[test]
    fn a_call_that_no_response_made_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), msg(1, "run lookup 9")]);
        let input = [
            user("look"),
            rs(1),
            msg(1, "run lookup 9"),
            fc(9, "call_9"),
            fo("call_9", "42"),
        ];
        talk.turn(&input, &[msg(2, "42")]);
        assert_eq!(talk.found(), ["call-fabricated:error"]);
    }

    #[test]
    fn an_issued_call_is_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(9, "call_9")]);
        talk.turn(
            &[user("look"), rs(1), fc(9, "call_9"), fo("call_9", "42")],
            &[msg(2, "42")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_call_from_before_the_recording_is_none_of_ours() {
        let mut talk = Talk::stateless();
        let before = [user("look"), fc(9, "call_9"), fo("call_9", "42")];
        talk.turn(&before, &[rs(1), msg(1, "42")]);
        talk.turn(
            &[&before[..], &[rs(1), msg(1, "42"), user("more")]].concat(),
            &[msg(2, "ok")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
