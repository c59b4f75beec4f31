//! `required-field-missing`: an item without a member that the API needs.

use holdover_wire::item::ItemKind;
use serde_json::Value;

use crate::draft::{Draft, Once};
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "required-field-missing", class: Shape, severity: Warning,
    summary: "a replayed item lacks a member that the API requires",
    what: "A reasoning item has no `summary`, a call no `call_id`, `name` or `arguments`, an output no `call_id` or `output`, a compaction item no `encrypted_content`.",
    why: "The API refuses reasoning without `summary` (E25, `missing_required_parameter`; an empty list is enough), and may refuse the others.",
    fix: "carry items as issued; write `summary: []` where there is none",
    clients: {},
}

/// Items that lack a required member (`tests/facts/items.md`).
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let found = turn.input.iter().flat_map(|sent| {
        let object = sent.view.object();
        let missing = required(sent.kind)
            .iter()
            .filter(move |name| object.get(**name).is_none_or(Value::is_null));
        missing.map(move |name| {
            let type_name = sent.view.type_name().unwrap_or("message");
            let verb = if *name == "summary" {
                "refuses"
            } else {
                "may refuse"
            };
            let message = format!("a {type_name} item has no `{name}`: the API {verb} it (E25)");
            let draft = Draft::of(&RULE, message)
                .at(sent.pointer())
                .sent(format!("no `{name}`"));
            draft
                .expected(format!("`{name}`"))
                .once(Once::Thing(format!("{type_name} {name}")))
        })
    });
    found.collect()
}

fn required(kind: ItemKind) -> &'static [&'static str] {
    match kind {
        ItemKind::Reasoning => &["summary"],
        ItemKind::FunctionCall => &["call_id", "name", "arguments"],
        ItemKind::CustomToolCall => &["call_id", "name", "input"],
        ItemKind::FunctionCallOutput | ItemKind::CustomToolCallOutput => &["call_id", "output"],
        ItemKind::Compaction => &["encrypted_content"],
        ItemKind::Message => &["role", "content"],
        ItemKind::ItemReference => &["id"],
        ItemKind::CompactionTrigger | ItemKind::OtherCall | ItemKind::OtherOutput | ItemKind::Unknown => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, msg, rs, user, with, without};

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
    fn reasoning_without_summary_is_a_warning() {
        assert_eq!(
            carried(without(&rs(1), "summary")),
            ["required-field-missing:warning"]
        );
    }

    #[test]
    fn an_empty_summary_is_enough() {
        assert_eq!(carried(rs(1)), Vec::<String>::new());
    }

    #[test]
    fn null_is_no_summary() {
        assert_eq!(
            carried(with(&rs(1), "summary", json!(null))),
            ["required-field-missing:warning"]
        );
    }
}
