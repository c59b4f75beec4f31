//! `id-grammar`: an id that the API does not take.

use holdover_wire::item::id_prefix;

use crate::draft::{Draft, Once};
use crate::rules::rule;
use crate::sent::Sent;
use crate::turn::Turn;

rule! {
    name: "id-grammar", class: Shape, severity: Warning,
    summary: "an item id or call id breaks the grammar of ids",
    what: "An `id` does not begin with the prefix of its item type, is longer than 64 characters, or has a character outside `[A-Za-z0-9_-]`; or a `call_id` is longer than 64 characters.",
    why: "The API refuses it (E09): `invalid_id_prefix`, `string_above_max_length`.",
    fix: "carry ids as issued; map ids of other providers to short ones by a hash, the same way on call and output",
    clients: {},
}

/// Longest id and call id (E09).
const LENGTH_MAX: usize = 64;

/// Ids that break the grammar.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let faults = turn.input.iter().filter_map(|sent| {
        let (member, id, what) = id_fault(sent).or_else(|| call_id_fault(sent))?;
        let message = format!(
            "`{}` of a {} item {what}: the API refuses it (E09)",
            member,
            sent.view.type_name().unwrap_or("message")
        );
        let shown: String = id.chars().take(LENGTH_MAX).collect();
        let draft = Draft::of(&RULE, message)
            .at(sent.member(member))
            .sent(format!("`{shown}`"));
        Some(draft.expected("the id as issued").once(Once::Thing(shown)))
    });
    faults.collect()
}

fn id_fault<'a>(sent: &Sent<'a>) -> Option<(&'static str, &'a str, String)> {
    let id = sent.view.id().filter(|id| !id.is_empty())?;
    // What the server issued itself is right, whatever it looks like.
    if sent.found.is_some_and(|found| found.how == crate::sent::How::Id) {
        return None;
    }
    let prefix = sent
        .view
        .type_name()
        .and_then(id_prefix)
        .filter(|prefix| !id.starts_with(&format!("{prefix}_")));
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let what = if let Some(prefix) = prefix {
        format!("does not begin with `{prefix}`")
    } else if id.len() > LENGTH_MAX {
        format!("has {} characters, at most {LENGTH_MAX} are allowed", id.len())
    } else if !id.bytes().all(legal) {
        "has a character outside `[A-Za-z0-9_-]`".to_owned()
    } else {
        return None;
    };
    Some(("id", id, what))
}

fn call_id_fault<'a>(sent: &Sent<'a>) -> Option<(&'static str, &'a str, String)> {
    let call_id = sent
        .view
        .call_id()
        .filter(|call_id| call_id.len() > LENGTH_MAX && sent.answers.is_none())?;
    let is_issued = sent.found.is_some();
    (!is_issued).then(|| {
        (
            "call_id",
            call_id,
            format!(
                "has {} characters, at most {LENGTH_MAX} are allowed",
                call_id.len()
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::testkit::{Talk, id, msg, rs, user, with};

    fn carried(message_id: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[msg(1, "one")]);
        talk.turn(
            &[user("a"), with(&msg(1, "one"), "id", message_id), user("b")],
            &[msg(2, "two")],
        );
        talk.found()
    }

    #[test]
    fn the_id_of_another_type_is_a_warning() {
        assert_eq!(carried("3c1f8a52-uuid"), ["id-grammar:warning"]);
    }

    #[test]
    fn a_signature_as_id_is_a_warning() {
        assert_eq!(
            carried(&format!("msg_{}", "x".repeat(380))),
            ["id-grammar:warning"]
        );
        assert_eq!(carried("msg_a+b/c"), ["id-grammar:warning"]);
    }

    #[test]
    fn issued_and_client_made_ids_of_the_grammar_are_clean() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let own = with(&user("a"), "id", "msg_5e6f-uuid");
        talk.turn(&[own, rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
        assert!(id("msg", "01", 1).len() <= super::LENGTH_MAX);
    }
}
