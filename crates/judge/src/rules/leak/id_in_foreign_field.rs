//! `id-in-foreign-field`: an issued id in a member of the request that is no place for it.

use holdover_wire::Members as _;
use holdover_wire::item::ItemKind;
use serde_json::Value;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::ids;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "id-in-foreign-field", class: Leak, severity: Error,
    summary: "the id of an issued item stands in a cache key, metadata, user or safety identifier, or tool arguments",
    what: "The request puts an item id into `prompt_cache_key`, `metadata`, `user`, `safety_identifier` or the arguments of a call.",
    why: "These members are kept, shown in dashboards and handed to tools. They tie an internal id to a person or a tenant, and a changing id in the cache key loses the cache as well.",
    fix: "use a key of your own: conversation and turn, or a hash of it",
    clients: {},
}

const MEMBERS: [&str; 4] = ["prompt_cache_key", "metadata", "user", "safety_identifier"];

/// Ids in members that are no place for them.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let members = MEMBERS
        .iter()
        .filter_map(|name| Some((format!("/{name}"), turn.body.member(name)?)));
    let in_members = members
        .flat_map(|(pointer, value)| texts(value).into_iter().map(move |text| (pointer.clone(), text)));
    let calls = turn.input.iter().filter(|sent| sent.kind.is_client_call());
    let in_arguments = calls.filter_map(|sent| {
        let arguments = sent
            .view
            .object()
            .member("arguments")
            .or_else(|| sent.view.object().member("input"))?
            .as_str()?;
        let is_issued = sent
            .item()
            .is_some_and(|item| turn.world.ledger.item(item).arguments.as_deref() == Some(arguments));
        (!is_issued).then(|| (sent.member("arguments"), arguments.to_owned()))
    });
    in_members
        .chain(in_arguments)
        .filter_map(|(pointer, text)| one(turn, pointer, &text))
        .collect()
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| [vec![key.clone()], texts(value)].concat())
            .collect(),
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn one(turn: &Turn<'_>, pointer: String, text: &str) -> Option<Draft> {
    let hit = ids::find(text, &turn.world.ledger).into_iter().next()?;
    let issued = turn.world.ledger.item(hit.item);
    let is_protected = matches!(issued.kind, ItemKind::Reasoning | ItemKind::Compaction);
    let severity = if is_protected {
        Severity::Error
    } else {
        Severity::Note
    };
    let message = format!(
        "the id {} stands in `{pointer}`, which is kept and shown outside the conversation",
        issued.label()
    );
    let draft = Draft::of(&RULE, message)
        .severity(severity)
        .item(issued.id.as_deref());
    let once = Once::Thing(format!("{pointer} {}", issued.label()));
    Some(
        draft
            .at(pointer)
            .sent("an item id")
            .expected("a key of your own")
            .once(once),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, id, msg, rs, user};

    fn second_turn(member: &str, value: serde_json::Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.set(member, value);
        talk.turn(
            &[user("plan"), rs(1), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        talk.found()
    }

    #[test]
    fn a_reasoning_id_in_a_cache_key_or_metadata_is_an_error() {
        let key = format!("chat-{}", id("rs", "01", 1));
        assert_eq!(
            second_turn("prompt_cache_key", json!(key)),
            ["id-in-foreign-field:error"]
        );
        assert_eq!(
            second_turn("metadata", json!({"last": id("rs", "01", 1)})),
            ["id-in-foreign-field:error"]
        );
    }

    #[test]
    fn the_id_of_a_response_is_fine() {
        assert_eq!(
            second_turn("metadata", json!({"last": id("resp", "01", 1)})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_id_of_a_message_is_a_note() {
        assert_eq!(
            second_turn("user", json!(id("msg", "01", 1))),
            ["id-in-foreign-field:note"]
        );
    }
}
