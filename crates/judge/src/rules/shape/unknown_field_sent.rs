//! `unknown-field-sent`: a member that the API does not take in that place.

use holdover_wire::Members as _;
use holdover_wire::item::ItemKind;
use serde_json::Value;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::ledger::IssuedItem;
use crate::rules::rule;
use crate::sent::Sent;
use crate::turn::Turn;

rule! {
    name: "unknown-field-sent", class: Shape, severity: Warning,
    summary: "a replayed item has a member that was not issued and that the API does not know there",
    what: "An item carries a member that its type does not have, `status: null` on a reasoning item, `phase` on anything but an assistant message, or reasoning text in `content`.",
    why: "The API may refuse it: reported for members that are output only (E26, `unknown_parameter`), certain for reasoning text (E27, \"array too long\").",
    fix: "carry items as issued, and leave out members of your own before sending",
    clients: {
        OpenAiPython: "`model_dump(exclude_unset=True)`: a plain dump writes `status: null`",
    },
}

/// Members that newer SDKs document and the table below does not hold by type.
const NEWER: [&str; 6] = [
    "caller",
    "namespace",
    "async",
    "created_by",
    "prompt_cache_breakpoint",
    "agent",
];

/// Members of the items of the input that do not belong there.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let found = turn.input.iter().flat_map(|sent| {
        let faults = sent
            .view
            .object()
            .iter()
            .filter_map(|(name, value)| fault(turn, sent, name, value));
        faults.map(|(name, what, severity)| {
            let type_name = sent.view.type_name().unwrap_or("message");
            let message = format!("a {type_name} item has {what}");
            let draft = Draft::of(&RULE, message)
                .severity(severity)
                .at(sent.member(&name));
            let draft = draft.sent(format!("`{name}`")).expected("the members as issued");
            draft.once(Once::Thing(format!("{type_name} {name}")))
        })
    });
    found.collect()
}

fn fault(turn: &Turn<'_>, sent: &Sent<'_>, name: &str, value: &Value) -> Option<(String, String, Severity)> {
    let fault = |what: String, severity: Severity| Some((name.to_owned(), what, severity));
    let issued = sent.item().map(|item| turn.world.ledger.item(item));
    let was_issued = issued.is_some_and(|item| item.members.iter().any(|member| member == name));
    match (sent.kind, name) {
        (ItemKind::Reasoning, "status") if value.is_null() => {
            fault("`status: null`".to_owned(), Severity::Warning)
        }
        (ItemKind::Reasoning, "content")
            if value.as_array().is_some_and(|parts| !parts.is_empty())
                && !issued.is_some_and(|item| was_thought(item, value)) =>
        {
            fault(
                "reasoning text in `content`, which must be empty here (E27)".to_owned(),
                Severity::Warning,
            )
        }
        (_, "phase") if !sent.view.is_assistant_message() => fault(
            "`phase`, which only assistant messages have".to_owned(),
            Severity::Warning,
        ),
        _ if was_issued || known(sent.kind).is_none_or(|known| known.contains(&name)) => None,
        _ if NEWER.contains(&name) => fault(format!("the newer member `{name}`"), Severity::Note),
        _ => fault(
            format!("a member `{name}` that was not issued and that its type does not have"),
            Severity::Warning,
        ),
    }
}

/// Whether exactly these thoughts were issued; most endpoints issue `content: []`.
fn was_thought(issued: &IssuedItem, content: &Value) -> bool {
    let parts = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = parts.filter_map(|part| part.member("text")?.as_str()).collect();
    !issued.thoughts.is_empty() && issued.thoughts == texts
}

/// Members of an item type (`tests/facts/items.md`); `None` where any may stand.
fn known(kind: ItemKind) -> Option<&'static [&'static str]> {
    Some(match kind {
        ItemKind::Reasoning => &["id", "type", "summary", "content", "encrypted_content", "status"],
        ItemKind::FunctionCall => &["id", "type", "status", "call_id", "name", "arguments"],
        ItemKind::FunctionCallOutput | ItemKind::CustomToolCallOutput => {
            &["id", "type", "status", "call_id", "output", "name"]
        }
        ItemKind::CustomToolCall => &["id", "type", "status", "call_id", "name", "input"],
        ItemKind::Message => &["id", "type", "status", "role", "content", "phase"],
        ItemKind::Compaction => &["id", "type", "encrypted_content"],
        ItemKind::ItemReference => &["id", "type"],
        ItemKind::CompactionTrigger | ItemKind::OtherCall | ItemKind::OtherOutput | ItemKind::Unknown => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, msg, rs, user, with};

    fn carried(reasoning: Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[user("a"), reasoning, msg(1, "one"), user("b")],
            &[msg(2, "two")],
        );
        talk.found()
    }

    #[test]
    fn a_dumped_null_status_is_a_warning() {
        assert_eq!(
            carried(with(&rs(1), "status", json!(null))),
            ["unknown-field-sent:warning"]
        );
    }

    #[test]
    fn a_member_of_the_clients_own_is_a_warning() {
        assert_eq!(
            carried(with(&rs(1), "provider_data", json!({"a": 1}))),
            ["unknown-field-sent:warning"]
        );
    }

    #[test]
    fn an_issued_member_goes_back_whatever_it_is() {
        let novel = with(&rs(1), "novel", 1);
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[novel.clone(), msg(1, "one")]);
        talk.turn(&[user("a"), novel, msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_member_of_a_newer_sdk_is_a_note() {
        assert_eq!(
            carried(with(&rs(1), "created_by", "x")),
            ["unknown-field-sent:note"]
        );
    }

    fn thought(text: &str) -> Value {
        json!([{"type": "reasoning_text", "text": text}])
    }

    #[test]
    fn thoughts_in_a_content_that_was_issued_empty_are_a_warning() {
        let issued = with(&rs(1), "content", json!([]));
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[issued.clone(), msg(1, "one")]);
        let filled = with(&issued, "content", thought("I compare."));
        let message = "Invalid 'input[1].content': array too long. Expected an array with maximum length 0";
        talk.refused(&[user("a"), filled, msg(1, "one"), user("b")], 400, message, None);
        assert_eq!(talk.found(), ["unknown-field-sent:warning"]);
    }

    #[test]
    fn an_empty_content_and_thoughts_as_issued_go_back() {
        assert_eq!(carried(with(&rs(1), "content", json!([]))), Vec::<String>::new());
        let open = with(&rs(1), "content", thought("I compare."));
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[open.clone(), msg(1, "one")]);
        talk.turn(&[user("a"), open, msg(1, "one"), user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
