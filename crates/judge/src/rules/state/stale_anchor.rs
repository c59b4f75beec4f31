//! `stale-anchor`: an anchor that stands for nothing.

use holdover_wire::recording::Transport;

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::rules::rule;
use crate::turn::Turn;

rule! {
    name: "stale-anchor", class: State, severity: Error,
    summary: "`previous_response_id` or `conversation` names something that the server does not have",
    what: "The anchor is a response made under `store: false`, a deleted one, one that the API did not find, or one that may not be used (Zero Data Retention).",
    why: "The API refuses (E15, E16, E18). Where a client drops the anchor and goes on without history, the conversation starts from nothing.",
    fix: "under `store: false` replay the output items; after \"not found\" go on without that anchor and with the full context",
    clients: {
        AgentsPython: "`previous_response_id` needs `store=True`; under `store=False` use a session or `to_input_list()`",
    },
}

/// The anchor cannot be, or was not, resolved.
pub(crate) fn check(turn: &Turn<'_>) -> Vec<Draft> {
    found(turn).into_iter().collect()
}

fn found(turn: &Turn<'_>) -> Option<Draft> {
    let id = turn.body.previous_response_id();
    let known = id
        .and_then(|id| turn.world.lineages.by_response(id))
        .map(|ix| turn.world.lineages.node(ix));
    let is_deleted = id.is_some_and(|id| turn.world.lineages.is_deleted(id));
    let is_refused = turn
        .refusal
        .as_ref()
        .is_some_and(crate::lineage::Refusal::is_about_anchor);
    let anchor = id.or_else(|| turn.body.conversation()).unwrap_or_default();
    let evicted = turn.refusal.iter().flat_map(|refusal| &refusal.evicted);
    let is_evicted = evicted.into_iter().any(|evicted| evicted == anchor);
    let was_said = turn
        .refusal
        .as_ref()
        .is_some_and(|refusal| turn.refusals_before(&refusal.message) > 0);
    let on_socket = turn.exchange.transport == Transport::Ws;
    let (why, severity) = match known {
        _ if is_deleted => ("the client deleted that response", Severity::Error),
        Some(node) if !node.stored && !on_socket => ("it was made under `store: false`", Severity::Error),
        _ if is_evicted => (
            "Holdover's own store had let it go to stay within its bound of bytes, so this is no mistake of the client",
            Severity::Warning,
        ),
        Some(_) if is_refused && was_said => (
            "the API had said before that it does not resolve it",
            Severity::Error,
        ),
        // Once, the client could not know.
        Some(_) if is_refused => (
            "the API did not resolve it, though it was there before",
            Severity::Note,
        ),
        None if is_refused => ("the API did not resolve it", Severity::Error),
        _ => return None,
    };
    let member = if id.is_some() {
        "/previous_response_id"
    } else {
        "/conversation"
    };
    let message = format!(
        "the anchor `{anchor}` stands for nothing: {why}; the request is refused, or goes on without history"
    );
    let draft = Draft::of(&RULE, message).severity(severity).at(member);
    let draft = draft.once(Once::Thing(format!("{anchor}, {why}")));
    Some(
        draft
            .sent(format!("`{anchor}`"))
            .expected("a stored response, or the full context"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Severity;
    use crate::testkit::{Talk, msg, rs, user};

    #[test]
    fn a_response_under_store_false_is_no_anchor() {
        let mut talk = Talk::stateless();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor.clone());
        let message = format!("Previous response with id '{anchor}' not found.");
        talk.refused(&[user("b")], 400, &message, Some("previous_response_not_found"));
        assert_eq!(talk.found(), ["stale-anchor:error"]);
    }

    #[test]
    fn what_holdover_itself_let_go_is_a_warning_that_says_so() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor.clone());
        let message = format!("Previous response with id '{anchor}' not found.");
        let body = talk.body(&[user("b")]);
        let error = json!({"error": {"message": message, "type": "invalid_request_error", "param": null, "code": "previous_response_not_found"}});
        talk.exchange(json!({"request": {"body": body},
            "response": {"status": 400, "headers": {"x-holdover-evicted": format!("resp_other,{anchor}")}, "body": error}}));
        let verdict = talk.verdict();
        let [finding] = verdict.findings.as_slice() else {
            panic!("{:?}", verdict.findings)
        };
        assert_eq!(
            (finding.rule, finding.severity),
            ("stale-anchor", Severity::Warning)
        );
        assert!(
            finding.message.contains("Holdover's own store"),
            "{}",
            finding.message
        );
    }

    #[test]
    fn a_stored_response_is_one() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        talk.set("previous_response_id", anchor);
        talk.turn(&[user("b")], &[msg(2, "two")]);
        assert_eq!(talk.found(), Vec::<String>::new());
    }

    fn gone(times: usize) -> Vec<String> {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let anchor = talk.response_id(1);
        let message = format!("Previous response with id '{anchor}' not found.");
        talk.set("previous_response_id", anchor);
        for _ in 0..times {
            talk.refused(&[user("b")], 400, &message, Some("previous_response_not_found"));
        }
        talk.found()
    }

    #[test]
    fn what_the_server_lost_is_a_note_and_an_error_when_it_comes_again() {
        assert_eq!(gone(1), ["stale-anchor:note"]);
        assert_eq!(gone(2), ["stale-anchor:note", "stale-anchor:error"]);
    }

    #[test]
    fn the_memory_of_a_socket_holds_unstored_ones() {
        let mut talk = Talk::stateless();
        let create = |id: &str, previous: Option<&str>, number: u64| {
            json!({"transport": "ws", "request": {"body": {"type": "response.create", "model": "gpt-5.6", "store": false,
                "previous_response_id": previous, "input": [user("a")]}},
                "response": {"events": [{"type": "response.completed", "response": {"id": id, "status": "completed", "output": [rs(number), msg(number, "one")]}}]}})
        };
        talk.exchange(create("resp_a", None, 1))
            .exchange(create("resp_b", Some("resp_a"), 2));
        assert_eq!(talk.found(), Vec::<String>::new());
    }
}
