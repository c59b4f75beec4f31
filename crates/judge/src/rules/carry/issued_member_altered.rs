//! `issued-member-altered`: a message or call came back under its id with other words.

use holdover_wire::Members as _;
use serde_json::Value;

use crate::draft::Draft;
use crate::ledger::{IssuedItem, Progress};
use crate::rules::rule;
use crate::sent::{How, Sent};
use crate::sighting::Sighting;

rule! {
    name: "issued-member-altered", class: Carry, severity: Warning,
    summary: "a message or call came back under its id with another text, name or arguments",
    what: "A carried message or call has the id it was issued with, and its text, its name or its arguments are not those that were issued. Arguments that mean the same in JSON are the same.",
    why: "The model takes it for its own words and goes on from something it never said; the API does not notice. Some clients edit history on purpose, so it is a warning.",
    fix: "carry items as issued; a history that is edited on purpose (shortened, redacted) loses the `id` of what was edited",
    clients: {},
}

/// A kept follower says something else than what was issued under its id.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (issued, sent, member) = seen.kept().find_map(|(issued, sent)| {
        let member = altered(issued, sent)?;
        Some((issued, sent, member))
    })?;
    let message = format!(
        "{} of {} came back with another `{member}` than it was issued with; the model takes it for its own words",
        issued.label(),
        seen.issued_in()
    );
    let draft = seen
        .draft(&RULE, message)
        .severity(RULE.severity)
        .item(issued.id.as_deref())
        .at(sent.member(member));
    Some(
        draft
            .sent(format!("another `{member}`"))
            .expected(format!("`{member}` as issued, or an item without the id")),
    )
}

/// The member that differs. An id that names no single item of the server proves nothing.
fn altered(issued: &IssuedItem, sent: &Sent<'_>) -> Option<&'static str> {
    let is_under_its_id = sent.found.is_some_and(|found| found.how == How::Id)
        && sent.view.id().and_then(holdover_wire::id::tail).is_some();
    if !is_under_its_id || sent.is_reference() || issued.progress != Progress::Done {
        return None;
    }
    let object = sent.view.object();
    if sent.view.is_assistant_message() {
        let is_other = object.member("content").is_some() && crate::words::key(sent.view) != issued.words;
        return is_other.then_some("content");
    }
    if !sent.kind.is_client_call() {
        return None;
    }
    let is_renamed = sent.view.name().is_some() && sent.view.name() != issued.name.as_deref();
    let member = ["arguments", "input"]
        .into_iter()
        .find(|member| object.contains_key(*member));
    let carried = member.and_then(|member| object.get(member)?.as_str());
    let is_other = || match (carried, issued.arguments.as_deref()) {
        (Some(carried), Some(issued)) => carried != issued && !means_the_same(carried, issued),
        _ => false,
    };
    match member {
        _ if is_renamed => Some("name"),
        Some(member) if is_other() => Some(member),
        _ => None,
    }
}

/// Whether two texts are one JSON value: clients parse arguments and write them again.
fn means_the_same(left: &str, right: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(left).is_some_and(|left| Some(left) == read(right))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, fc, fo, msg, rs, user, with, without};

    fn message_as(carried: Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("a"), rs(1), carried, user("b")], &[msg(2, "two")]);
        talk.found()
    }

    fn call_as(carried: Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), fc(1, "call_1")]);
        talk.turn(&[user("a"), rs(1), carried, fo("call_1", "42")], &[msg(2, "two")]);
        talk.found()
    }

    #[test]
    fn other_words_under_an_issued_id_are_a_warning() {
        assert_eq!(
            message_as(msg(1, "something else")),
            ["issued-member-altered:warning"]
        );
        let other = with(&fc(1, "call_1"), "arguments", "{\"key\":999}");
        assert_eq!(call_as(other), ["issued-member-altered:warning"]);
        let renamed = with(&fc(1, "call_1"), "name", "delete_all");
        assert_eq!(call_as(renamed), ["issued-member-altered:warning"]);
    }

    #[test]
    fn the_same_words_in_another_form_are_clean() {
        assert_eq!(message_as(msg(1, "one")), Vec::<String>::new());
        assert_eq!(
            message_as(with(&msg(1, "one"), "content", " one\n")),
            Vec::<String>::new()
        );
        let spaced = with(&fc(1, "call_1"), "arguments", "{ \"key\": 1 }");
        assert_eq!(call_as(spaced), Vec::<String>::new());
    }

    #[test]
    fn an_edited_message_without_the_id_is_not_this_rule() {
        let edited = without(&msg(1, "one, in short"), "id");
        assert!(
            !message_as(edited)
                .iter()
                .any(|found| found.contains("issued-member-altered"))
        );
    }

    #[test]
    fn one_id_for_all_messages_proves_nothing() {
        let shared = |text: &str| with(&msg(1, text), "id", "__fake_id__");
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), shared("one")]);
        talk.turn(
            &[user("a"), rs(1), shared("one"), user("b")],
            &[rs(2), shared("two")],
        );
        let third = [
            user("a"),
            rs(1),
            shared("one"),
            user("b"),
            rs(2),
            shared("two"),
            user("c"),
        ];
        talk.turn(
            &third,
            &[json!({"type": "message", "role": "assistant", "content": []})],
        );
        assert!(
            !talk
                .found()
                .iter()
                .any(|found| found.contains("issued-member-altered"))
        );
    }
}
