//! `output-reassociated`: outputs changed their calls.

use crate::draft::{Draft, Once};
use crate::rules::rule;
use crate::sent::Sent;
use crate::turn::{Turn, output_hash};

rule! {
    name: "output-reassociated", class: Tools, severity: Error,
    summary: "the output of one call came back as the output of another",
    what: "An earlier request sent an output for a call; this one sends for that call what was the output of another call.",
    why: "The API cannot tell: the model believes that the wrong tool gave the answer.",
    fix: "key outputs by `call_id` where they are made, stored and read back; never by position",
    clients: {},
}

/// Outputs that were another call's before.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let Some(known) = turn.conversation().map(|conversation| &conversation.outputs) else {
        return Vec::new();
    };
    let outputs: Vec<(&Sent<'_>, &str)> = turn
        .input
        .iter()
        .filter(|sent| sent.kind.is_client_output())
        .filter_map(|sent| Some((sent, sent.view.call_id()?)))
        .collect();
    let changed = outputs.iter().filter(|(sent, call_id)| {
        known
            .get(*call_id)
            .is_some_and(|before| *before != output_hash(sent.view))
    });
    let swapped = changed.filter_map(|(sent, call_id)| {
        let now = output_hash(sent.view);
        let (_, owner) = outputs
            .iter()
            .find(|(_, other)| other != call_id && known.get(*other) == Some(&now))?;
        let message = format!("`{call_id}` is answered with what was the output of `{owner}` before; the model believes that the wrong tool answered");
        let draft = Draft::of(&RULE, message)
            .at(sent.pointer())
            .once(Once::Thing((*call_id).to_owned()));
        Some(
            draft
                .sent(format!("the output of `{owner}`"))
                .expected(format!("the output of `{call_id}`")),
        )
    });
    swapped.collect()
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, fc, fo, msg, rs, user};

    fn third_turn(first: &str, second: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("look")], &[rs(1), fc(1, "call_1"), fc(2, "call_2")]);
        let calls = [user("look"), rs(1), fc(1, "call_1"), fc(2, "call_2")];
        let second_turn = [calls.to_vec(), vec![fo("call_1", "one"), fo("call_2", "two")]].concat();
        talk.turn(&second_turn, &[msg(2, "ok")]);
        let third = [
            calls.to_vec(),
            vec![
                fo("call_1", first),
                fo("call_2", second),
                msg(2, "ok"),
                user("and?"),
            ],
        ]
        .concat();
        talk.turn(&third, &[msg(3, "ok")]);
        talk.found()
    }

    #[test]
    fn swapped_outputs_are_an_error_each() {
        assert_eq!(
            third_turn("two", "one"),
            ["output-reassociated:error", "output-reassociated:error"]
        );
    }

    #[test]
    fn the_same_outputs_are_clean() {
        assert_eq!(third_turn("one", "two"), Vec::<String>::new());
    }

    #[test]
    fn a_shortened_output_is_no_swap() {
        assert_eq!(third_turn("[cut]", "two"), Vec::<String>::new());
    }
}
