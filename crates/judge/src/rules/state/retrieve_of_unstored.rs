//! `retrieve-of-unstored`: a response is read that the server never kept.

use holdover_wire::recording::Exchange;

use crate::draft::{Draft, Once};
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
    if node.stored {
        return None;
    }
    let method = &exchange.request.method;
    let message = format!(
        "`{method} …/{id}` asks for a response that exchange {} made under `store: false` and that is gone",
        node.exchange
    );
    let draft = Draft::of(&RULE, message).once(Once::Thing(id.to_owned()));
    Some(
        draft
            .sent(format!("{method} of an unstored response"))
            .expected("a stored response"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
