//! `policy-snapshot-wrong`: the audit record says something else than the wire.

use holdover_wire::AuditRecord;

use crate::audit::{HistoryFrom, Records, draft};
use crate::draft::Draft;
use crate::rules::rule;

rule! {
    name: "policy-snapshot-wrong", class: Audit, severity: Error,
    summary: "an audit record contradicts the request it is about",
    what: "The record's `frag_hash` is that of no request; or the request it names had ids where the record says none (or the other way round); or ids were sent under `omit`, and not out of a Conversations session, which is exempt.",
    why: "A wrong record is worse than none: an audit of who saw which id comes out wrong.",
    fix: "read policy, `ids_present` and `frag_hash` off the input that was really sent, after every filter and callback",
    clients: {
        AgentsPython: "take the snapshot in a `call_model_input_filter`: ids in the caller's own input are never stripped, and a filter may put ids back",
    },
}

/// The first record that the wire contradicts.
pub(crate) fn check(records: &Records<'_>) -> Option<Draft> {
    records
        .all()
        .iter()
        .find_map(|record| contradiction(records, record))
}

fn contradiction(records: &Records<'_>, record: &AuditRecord) -> Option<Draft> {
    let first = records.first(|other| std::ptr::eq(other, record))?;
    let hash = record.frag_hash.as_deref()?;
    let Some(fragment) = records.fragment(hash) else {
        if !records.sees_all_requests() {
            return None;
        }
        let message = format!(
            "{} has a `frag_hash` that is the hash of no request's reasoning: an audit of who saw which id comes out wrong",
            first.label()
        );
        return Some(
            draft(&RULE, first, message)
                .sent(hash)
                .expected("the hash of what was sent"),
        );
    };
    let strips = record
        .reasoning_item_id_policy
        .is_some_and(holdover_wire::audit::IdPolicy::strips_ids);
    let says = record.ids_present;
    // An honest record is no excuse for a strip that does not strip; a session that is exempt is one.
    let is_exempt = says == Some(true) && records.history() == HistoryFrom::Conversation;
    let what = if strips && fragment.ids_present && !is_exempt {
        "says `omit`, and the request had reasoning ids"
    } else if says.is_some_and(|says| says != fragment.ids_present) {
        "has another `ids_present` than the request"
    } else {
        return None;
    };
    let message = format!(
        "{} {what} (exchange {}): an audit of who saw which id comes out wrong",
        first.label(),
        fragment.exchange
    );
    let found = draft(&RULE, first, message).sent(format!("`ids_present`: {}", fragment.ids_present));
    Some(found.expected("a record that says so"))
}

#[cfg(test)]
mod tests {
    use holdover_wire::CreateRequest;
    use holdover_wire::fragment::frag_hash;
    use serde_json::{Value, json};

    use crate::testkit::{Talk, msg, rs, user};

    fn hash() -> String {
        let body = json!({"input": [rs(1)]});
        frag_hash(CreateRequest::new(body.as_object().expect("an object"))).expect("reasoning")
    }

    fn audited(record: Value) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
        talk.audit(record);
        talk.found()
    }

    #[test]
    fn ids_under_omit_are_an_error() {
        let record = json!({"reasoning_item_id_policy": "omit", "ids_present": false, "frag_hash": hash()});
        assert_eq!(audited(record), ["policy-snapshot-wrong:error"]);
    }

    #[test]
    fn a_hash_of_nothing_is_an_error() {
        let record = json!({"reasoning_item_id_policy": "none", "ids_present": true, "frag_hash": "00ff"});
        assert_eq!(audited(record), ["policy-snapshot-wrong:error"]);
    }

    #[test]
    fn a_record_that_fits_is_clean() {
        let record =
            json!({"reasoning_item_id_policy": "preserve", "ids_present": true, "frag_hash": hash()});
        assert_eq!(audited(record), Vec::<String>::new());
    }

    #[test]
    fn ids_under_omit_are_clean_where_a_conversations_session_is_exempt() {
        let record = json!({"reasoning_item_id_policy": "omit", "ids_present": true, "frag_hash": hash()});
        assert_eq!(audited(record.clone()), ["policy-snapshot-wrong:error"]);
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        talk.exchange(json!({
            "request": {"method": "GET", "path": "/v1/conversations/conv_1/items?order=asc"},
            "response": {"body": {"object": "list", "data": [user("a"), rs(1), msg(1, "one")]}},
        }));
        talk.turn(&[user("a"), rs(1), msg(1, "one"), user("b")], &[msg(2, "two")]);
        talk.audit(record);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    #[test]
    fn a_record_without_hash_cannot_be_held_against_a_request() {
        let record = json!({"reasoning_item_id_policy": "preserve", "ids_present": false});
        assert_eq!(audited(record), Vec::<String>::new());
    }
}
