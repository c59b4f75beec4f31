//! `encrypted-content-missing`: stateless reasoning without anything in it.

use crate::draft::Draft;
use crate::finding::Severity;
use crate::ledger::{Origin, Progress};
use crate::rules::rule;
use crate::sent::TokenSeen;
use crate::sighting::Sighting;

rule! {
    name: "encrypted-content-missing", class: Carry, severity: Error,
    summary: "stateless reasoning has no `encrypted_content`: it was not asked for, or was left out",
    what: "Under `store: false` the server keeps nothing. The request carries a reasoning item by its id or summary only, because no token was ever issued (`include` did not ask for it) or because the client left the member out.",
    why: "The server cannot look the id up: it refuses (E06, \"Items are not persisted when `store` is set to false\"), or, without an id, the item is empty and the reasoning is lost without a word.",
    fix: "send `include: [\"reasoning.encrypted_content\"]` with every request under `store: false`, and carry the member back",
    clients: {
        OpenAiPython: "`client.responses.create(..., store=False, include=[\"reasoning.encrypted_content\"])`",
        OpenAiNode: "`client.responses.create({ ..., store: false, include: ['reasoning.encrypted_content'] })`",
        AgentsPython: "`ModelSettings(store=False, response_include=[\"reasoning.encrypted_content\"])`: `store=False` alone does not add it",
        AgentsJs: "`modelSettings: { store: false, providerData: { include: ['reasoning.encrypted_content'] } }`",
        Meai: "set `StoredOutputEnabled = false` and the included property in `CreateResponseOptions` through `ChatOptions.RawRepresentationFactory`",
        AiSdk: "`providerOptions: { openai: { store: false, include: ['reasoning.encrypted_content'] } }`",
        LangChain: "`ChatOpenAI(store=False, include=[\"reasoning.encrypted_content\"])`",
    },
}

/// The reasoning is carried without content, or gone without ever having had any.
pub(crate) fn check(seen: &Sighting<'_>) -> Option<Draft> {
    let head = seen.head.filter(|head| head.progress == Progress::Done)?;
    match seen.carried {
        Some(sent) if sent.token == TokenSeen::Absent => {
            let resolves = head.persisted && sent.view.id().is_some();
            let is_late = head.origin == Origin::Stream && head.has_full_token();
            if resolves || is_late || (head.persisted && !head.has_full_token()) {
                return None;
            }
            let by_id = sent.view.id().is_some();
            let severity = if by_id { Severity::Error } else { seen.loss() };
            let sent = if by_id {
                "its id without content"
            } else {
                "neither id nor content"
            };
            Some(draft(seen, severity).sent(sent))
        }
        Some(_) => None,
        None if head.persisted || head.has_full_token() => None,
        None => {
            seen.lost_head()?;
            Some(draft(seen, seen.loss()).sent("nothing"))
        }
    }
}

fn draft(seen: &Sighting<'_>, severity: Severity) -> Draft {
    let head = seen
        .head
        .map(crate::ledger::IssuedItem::label)
        .unwrap_or_default();
    let asked = seen.turn.world.lineages.node(seen.group.node).asked_for_tokens;
    let has_token = seen.head.is_some_and(crate::ledger::IssuedItem::has_full_token);
    let why = match (has_token, asked) {
        (true, _) => "its token was issued and left out",
        (false, true) => "`include` asked for its token and the server sent none",
        (false, false) => "no token was ever issued, because `include` did not ask for it",
    };
    let message = format!(
        "{head} of {} cannot be continued without `encrypted_content`: {why}; {}",
        seen.issued_in(),
        seen.consequence()
    );
    let severity = if !has_token && asked {
        Severity::Note
    } else {
        severity
    };
    seen.draft(&RULE, message)
        .severity(severity)
        .expected("the reasoning item with `encrypted_content`")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::{Talk, easy, kept_rs, msg, rs, user, without};

    fn forgetful() -> Talk {
        Talk::with_base(json!({"model": "gpt-5.6", "store": false}))
    }

    #[test]
    fn a_bare_id_under_store_false_is_an_error_though_the_api_refused_it() {
        let bare = without(&rs(1), "encrypted_content");
        let mut talk = forgetful();
        talk.turn(&[user("plan")], &[bare.clone(), msg(1, "a plan")]);
        talk.refused(
            &[user("plan"), bare, msg(1, "a plan"), user("go on")],
            404,
            "Item with id 'rs_A' not found.",
            None,
        );
        assert_eq!(talk.found(), ["encrypted-content-missing:error"]);
    }

    #[test]
    fn followers_alone_show_the_same_cause() {
        let bare = without(&rs(1), "encrypted_content");
        let mut talk = forgetful();
        talk.turn(&[user("plan")], &[bare, msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(
            talk.found(),
            ["encrypted-content-missing:error+reasoning-dropped"]
        );
    }

    #[test]
    fn the_text_alone_is_told_behind_it_because_there_was_nothing_to_carry() {
        let bare = without(&rs(1), "encrypted_content");
        let mut talk = forgetful();
        talk.turn(&[user("plan")], &[bare, msg(1, "a plan")]);
        talk.turn(&[user("plan"), easy("a plan"), user("go on")], &[msg(2, "done")]);
        assert_eq!(
            talk.found(),
            ["encrypted-content-missing:error+text-only-rebuild"]
        );
    }

    #[test]
    fn a_store_that_leaves_the_member_out_is_an_error() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        let bare = without(&rs(1), "encrypted_content");
        talk.turn(
            &[user("plan"), bare, msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), ["encrypted-content-missing:error"]);
    }

    #[test]
    fn a_kept_item_needs_no_token() {
        let mut talk = Talk::stored();
        talk.turn(&[user("plan")], &[kept_rs(1), msg(1, "a plan")]);
        talk.turn(
            &[user("plan"), kept_rs(1), msg(1, "a plan"), user("go on")],
            &[msg(2, "done")],
        );
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
