//! `null-id`: an item whose id is null or empty.

use holdover_wire::Members as _;
use serde_json::Value;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "null-id", class: Shape, severity: Warning,
    summary: "an item was sent with an empty `id`, or with `id: null`",
    what: "The member `id` of an item is an empty string or null.",
    why: "An empty id is refused (E09). `null` is taken as absent by some endpoints and refused by others.",
    fix: "leave the member out when there is no id",
    clients: {
        OpenAiPython: "`model_dump(exclude_none=True)` before an item is stored",
    },
}

/// Items with an id that is none; `null` on a message is common and harmless.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let found = turn.input.iter().filter_map(|sent| {
        let (form, severity) = match sent.view.object().member("id")? {
            Value::String(id) if id.is_empty() => ("an empty string", Severity::Warning),
            Value::Null if sent.kind.is_protected() => ("null", Severity::Warning),
            Value::Null => ("null", Severity::Note),
            _ => return None,
        };
        let type_name = sent.view.type_name().unwrap_or("message");
        let message = format!("the `id` of a {type_name} item is {form}");
        let draft = Draft::of(&RULE, message).severity(severity).at(sent.member("id"));
        Some(
            draft
                .sent(form)
                .expected("no `id`, or the issued one")
                .once(Once::Thing(format!("{type_name} {form}"))),
        )
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, msg, rs, user, with};

    fn carried(message: Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("a"), rs(1), message, user("b")], &[msg(2, "two")]);
        talk.found()
    }

    #[test]
    fn an_empty_id_is_a_warning() {
        assert!(carried(with(&msg(1, "one"), "id", "")).contains(&"null-id:warning".to_owned()));
    }

    #[test]
    fn null_on_a_message_is_a_note() {
        assert!(carried(with(&msg(1, "one"), "id", json!(null))).contains(&"null-id:note".to_owned()));
    }

    #[test]
    fn an_absent_id_is_not_this_rule() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[msg(1, "one")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
