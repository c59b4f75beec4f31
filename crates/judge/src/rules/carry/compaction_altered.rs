//! `compaction-altered`: a compaction item did not come back as issued.

use holdover_wire::item::ItemKind;

use crate::draft::{Draft, Once};
use crate::ledger::Stage;
use crate::rules::rule;
use crate::sent::{Sent, TokenSeen};
use crate::turn::Turn;

rule! {
    name: "compaction-altered", class: Carry, severity: Error,
    summary: "a compaction item came back with another token or another id",
    what: "The compaction item in the input is not the one that was issued: its token was changed or left out, or its id is another one.",
    why: "It stands for everything before it, and it is opaque: \"Could not decode the compaction blob. Ensure it is unmodified from the compact response.\" (E12)",
    fix: "carry the output of `/responses/compact` unchanged; never summarise, cut or re-encode a compaction item",
    clients: {},
}

/// Every compaction item of the input against the issued ones.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    let compactions = turn.input.iter().filter(|sent| sent.kind == ItemKind::Compaction);
    compactions.filter_map(|sent| one(turn, sent)).collect()
}

fn one(turn: &Turn<'_>, sent: &Sent<'_>) -> Option<Draft> {
    let issued = turn.world.ledger.item(sent.item()?);
    let what = match sent.token {
        TokenSeen::Unknown => "its token is none that was issued",
        TokenSeen::Absent => "its token was left out",
        TokenSeen::Issued(owner, _) if owner != issued.ix => "its token belongs to another item",
        TokenSeen::Issued(_, Stage::Partial) => "its token is the short one of `output_item.added`",
        TokenSeen::Issued(_, Stage::Full)
            if sent.view.id().is_some() && sent.view.id() != issued.id.as_deref() =>
        {
            "its id is another one"
        }
        TokenSeen::Issued(_, Stage::Full) => return None,
    };
    let message = format!(
        "the compaction item {} did not come back as issued: {what}; everything before it is lost with it",
        issued.label()
    );
    let draft = Draft::of(&RULE, message)
        .item(issued.id.as_deref())
        .at(sent.pointer());
    Some(
        draft
            .sent(what)
            .expected("the compaction item, byte for byte")
            .once(Once::Thing(issued.label())),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, id, msg, token, user, with, without};

    fn compaction() -> Value {
        json!({"id": id("cmp", "01", 7), "type": "compaction", "encrypted_content": token(7, "done")})
    }

    fn carried_as(carried: Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        let kept = json!({"id": id("msg", "01", 8), "type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]});
        let body = json!({"model": "gpt-5.6", "input": [user("a")]});
        let answer = json!({"id": "resp_c", "object": "response.compaction", "output": [kept, compaction()]});
        talk.exchange(
            json!({"request": {"path": "/v1/responses/compact", "body": body}, "response": {"body": answer}}),
        );
        talk.turn(&[kept, carried, user("b")], &[msg(2, "two")]);
        talk.found()
    }

    #[test]
    fn a_changed_token_or_id_is_an_error() {
        let cut = with(
            &compaction(),
            "encrypted_content",
            token(7, "done")[..200].to_owned(),
        );
        assert_eq!(carried_as(cut), ["compaction-altered:error"]);
        let renamed = with(&compaction(), "id", id("cmp", "01", 9));
        assert_eq!(carried_as(renamed), ["compaction-altered:error"]);
    }

    #[test]
    fn the_issued_item_is_clean() {
        assert_eq!(carried_as(compaction()), Vec::<String>::new());
    }

    #[test]
    fn the_issued_item_without_its_id_is_clean() {
        assert_eq!(carried_as(without(&compaction(), "id")), Vec::<String>::new());
    }
}
