//! `reasoning-id-lost`: a reasoning item was issued with an id and came back without it.

use holdover_wire::Members as _;
use serde_json::Value;

use crate::draft::{Draft, UnderOmit};
use crate::finding::Severity;
use crate::rules::rule;
use crate::sent::TokenSeen;
use crate::sighting::Sighting;

rule! {
    name: "reasoning-id-lost", class: Carry, severity: Note,
    summary: "a reasoning item came back without the id it was issued with",
    what: "The reasoning item is there, its `id` is not, or is no string any more.",
    why: "Where the token is there, most endpoints take the item as plain context. Some require the id (Foundry project routes answer 400 `invalid_payload`), and where the server keeps the item the id may be all there is of it.",
    fix: "store the id as text and read it back as text; set the id policy on purpose and record it",
    clients: {
        Meai: "the id is in `AdditionalProperties`; after a JSON round trip it is a `JsonElement`: accept a string or a JSON string element (10.9.0 and later keep it)",
        AgentsPython: "`reasoning_item_id_policy=\"omit\"` strips it on purpose; record the policy with every run",
    },
}

/// The reasoning is carried without its id.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let (head, sent) = seen.carried_head()?;
    let id = head.id.as_deref()?;
    if sent.view.id().is_some_and(|carried| !carried.is_empty()) {
        return None;
    }
    let only_handle = head.persisted && sent.token == TokenSeen::Absent && !head.has_full_token();
    let (severity, under_omit, why) = if seen.turn.world.requires_ids() {
        (
            Severity::Error,
            UnderOmit::Same,
            "this endpoint requires it (400 `invalid_payload`)",
        )
    } else if only_handle {
        let missing = &super::encrypted_content_missing::RULE;
        (
            Severity::Error,
            UnderOmit::Becomes(missing),
            "it was all that the server knows the reasoning by",
        )
    } else {
        (
            Severity::Note,
            UnderOmit::Silent,
            "the token alone is taken as plain context here",
        )
    };
    let form = match sent.view.object().member("id") {
        None | Some(Value::Null) => "no `id`".to_owned(),
        Some(Value::String(_)) => "an empty `id`".to_owned(),
        Some(other) => format!("an `id` that is no string ({})", kind(other)),
    };
    let message = format!("{} came back with {form}: {why}", head.label());
    let draft = seen
        .draft(&RULE, message)
        .severity(severity)
        .at(sent.member("id"));
    Some(
        draft
            .sent(form)
            .expected(format!("`{id}`"))
            .under_omit(under_omit),
    )
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use holdover_profile::Profile;
    use serde_json::json;

    use crate::JudgeConfig;
    use crate::testkit::{Talk, kept_rs, msg, rs, user, with, without};

    fn both_ids_gone(mut talk: Talk) -> Vec<String> {
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(
            &[
                user("a"),
                without(&rs(1), "id"),
                without(&msg(1, "one"), "id"),
                user("b"),
            ],
            &[msg(2, "two")],
        );
        talk.found()
    }

    #[test]
    fn it_is_a_note_where_the_token_is_enough() {
        assert_eq!(both_ids_gone(Talk::stateless()), ["reasoning-id-lost:note"]);
    }

    #[test]
    fn it_is_an_error_where_the_endpoint_requires_ids() {
        let config = JudgeConfig {
            profile: Profile::builtin("foundry-project").expect("a profile"),
            ..JudgeConfig::default()
        };
        assert_eq!(
            both_ids_gone(Talk::stateless().judged_by(config)),
            ["reasoning-id-lost:error"]
        );
    }

    #[test]
    fn it_is_an_error_where_the_server_knows_nothing_else() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[kept_rs(1), msg(1, "one")]);
        talk.turn(
            &[
                user("a"),
                without(&kept_rs(1), "id"),
                without(&msg(1, "one"), "id"),
                user("b"),
            ],
            &[msg(2, "two")],
        );
        assert_eq!(talk.found(), ["reasoning-id-lost:error"]);
    }

    #[test]
    fn it_is_silent_where_the_audit_record_says_omit() {
        let mut talk = Talk::stateless();
        talk.audit(json!({"reasoning_item_id_policy": "omit", "ids_present": false}));
        assert_eq!(both_ids_gone(talk), Vec::<String>::new());
    }

    #[test]
    fn an_id_of_another_json_type_is_no_id() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let odd = with(&rs(1), "id", json!({"ValueKind": 3}));
        talk.turn(
            &[user("a"), odd, without(&msg(1, "one"), "id"), user("b")],
            &[msg(2, "two")],
        );
        let verdict = talk.verdict();
        let finding = verdict
            .findings
            .iter()
            .find(|finding| finding.rule == "reasoning-id-lost");
        assert!(finding.is_some_and(|finding| finding.message.contains("no string (object)")));
    }
}
