//! `call-id-altered`: a call came back under another call id.

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::rules::rule;
use crate::sent::Sent;
use crate::turn::Turn;

rule! {
    name: "call-id-altered", class: Tools, severity: Error,
    summary: "a call came back under another `call_id` than it was issued with",
    what: "The call is the issued one by its id, or by name and arguments, and its `call_id` is another one.",
    why: "The `call_id` pairs a call with its output on both sides. A changed one breaks the pair (E11) or joins the wrong two.",
    fix: "carry `call_id` as issued; where a peer allows fewer characters, map call and output the same way and map back",
    clients: {},
}

/// Longest call id that the API takes (E09).
const CALL_ID_MAX: usize = 64;

/// Calls of the input with another call id than the issued one.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let calls = turn.input.iter().filter(|sent| sent.kind.is_client_call());
    calls.filter_map(|sent| one(turn, sent)).collect()
}

fn one(turn: &Turn<'_>, sent: &Sent<'_>) -> Option<Draft> {
    let issued = turn.world.ledger.item(sent.item()?);
    let (was, is) = (issued.call_id.as_deref()?, sent.view.call_id()?);
    if was == is {
        return None;
    }
    let severity = if was.len() > CALL_ID_MAX {
        Severity::Note
    } else {
        RULE.severity
    };
    let message = format!("call `{was}` came back as `{is}`: its output cannot be paired with it any more");
    let draft = Draft::of(&RULE, message)
        .severity(severity)
        .item(issued.id.as_deref())
        .at(sent.member("call_id"));
    let draft = draft.group(issued.group).once(Once::Thing(was.to_owned()));
    Some(draft.sent(format!("`{is}`")).expected(format!("`{was}`")))
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, user, with, without};

    fn answered(call: serde_json::Value, call_id: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1")]);
        talk.turn(&[user("look"), rs(1), call, fo(call_id, "42")], &[msg(2, "42")]);
        talk.found()
    }

    #[test]
    fn another_call_id_under_the_issued_id_is_an_error() {
        assert_eq!(
            answered(with(&fc(1, "call_1"), "call_id", "call_x"), "call_x"),
            ["call-id-altered:error"]
        );
    }

    #[test]
    fn a_rebuilt_call_is_known_by_name_and_arguments() {
        let call = with(&without(&fc(1, "call_1"), "id"), "call_id", "call_x");
        assert_eq!(
            answered(call, "call_x"),
            ["call-id-altered:error+half-stripped-group"]
        );
    }

    #[test]
    fn the_issued_call_id_is_clean() {
        assert_eq!(answered(fc(1, "call_1"), "call_1"), Vec::<String>::new());
    }
}
