//! `retrieve-of-unstored`: a response is read that the server never kept.

use holdover_wire::recording::{EVICTED_HEADER, Exchange};

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::rules::rule;
use crate::world::World;

rule! {
    name: "retrieve-of-unstored", class: State, severity: Error,
    summary: "a response made under `store: false` is retrieved, listed, cancelled or deleted",
    what: "The client reads or deletes a response that was made under `store: false`.",
    why: "It is gone once it was answered: 404 (E21). Where a development account still answers, a Zero Data Retention one will not.",
    fix: "keep what you need of the answer when it comes, or make the response with `store: true`",
    clients: {},
}

/// The response that is read was not kept.
pub(crate) fn check(world: &World, exchange: &Exchange, id: &str) -> Option<Draft> {
    let node = world.lineages.node(world.lineages.by_response(id)?);
    let (why, severity) = match (node.stored, is_evicted(exchange, id)) {
        (false, _) => ("made under `store: false` and that is gone", RULE.severity),
        (true, Evicted::Yes) => (
            "stored and that Holdover's own store had let go to stay within its bound of bytes, so this is no mistake \
             of the client",
            Severity::Warning,
        ),
        (true, Evicted::No) => return None,
    };
    let method = &exchange.request.method;
    let message = format!(
        "`{method} …/{id}` asks for a response that exchange {} {why}",
        node.exchange
    );
    let draft = Draft::of(&RULE, message)
        .severity(severity)
        .once(Once::Thing(id.to_owned()));
    Some(
        draft
            .sent(format!("{method} of an unstored response"))
            .expected("a stored response"),
    )
}

/// Whether the fake says that it had let go of a response.
#[derive(Clone, Copy)]
enum Evicted {
    Yes,
    No,
}

fn is_evicted(exchange: &Exchange, id: &str) -> Evicted {
    let headers = exchange.response.as_ref().map(|response| &response.headers);
    let ids = headers.and_then(|headers| headers.get(EVICTED_HEADER)?.as_str());
    if ids.is_some_and(|ids| ids.split(',').any(|evicted| evicted == id)) {
        Evicted::Yes
    } else {
        Evicted::No
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Severity;
    use crate::testkit::{Talk, msg, rs, user};

    fn read(mut talk: Talk) -> Vec<String> {
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let path = format!("/v1/responses/{}", talk.response_id(1));
        talk.exchange(json!({"request": {"method": "GET", "path": path}, "response": {"status": 404, "body": {"error": {}}}}));
        talk.found()
    }

    #[test]
    fn an_unstored_response_is_an_error() {
        assert_eq!(read(Talk::stateless()), ["retrieve-of-unstored:error"]);
    }

    #[test]
    fn what_holdover_itself_let_go_is_a_warning_that_says_so() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[rs(1), msg(1, "one")]);
        let id = talk.response_id(1);
        let request = json!({"method": "GET", "path": format!("/v1/responses/{id}")});
        let response = json!({"status": 404, "headers": {"x-holdover-evicted": id}, "body": {"error": {}}});
        talk.exchange(json!({"request": request, "response": response}));
        let verdict = talk.verdict();
        assert_eq!(verdict.findings.len(), 1);
        let message = &verdict.findings[0].message;
        assert!(message.contains("Holdover's own store"), "{message}");
        assert_eq!(verdict.findings[0].severity, Severity::Warning);
    }

    #[test]
    fn a_stored_one_is_clean() {
        assert_eq!(read(Talk::stored()), Vec::<String>::new());
    }

    #[test]
    fn what_the_server_says_of_storing_counts() {
        let mut talk = Talk::stored();
        let body = json!({"model": "gpt-5.6", "input": "a"});
        let answer = json!({"id": "resp_z", "status": "completed", "store": false, "output": []});
        talk.exchange(json!({"request": {"body": body}, "response": {"body": answer}}));
        talk.exchange(json!({"request": {"method": "GET", "path": "/v1/responses/resp_z"}}));
        assert_eq!(talk.found(), ["retrieve-of-unstored:error"]);
    }
}
