//! Answers that come in pieces: a background response that is polled, a stream that is resumed.

use holdover_wire::recording::Exchange;

use crate::ledger::{NodeIx, learn, learn_listed};
use crate::lineage::{Ending, ending_of};
use crate::tally::Tally;
use crate::world::World;

/// Takes what a `GET` of this response showed: its items where the answer to the request did not hold them yet, else
/// further sealings of their tokens.
pub(crate) fn learn_read(world: &mut World, tally: &mut Tally, response_id: &str, exchange: &Exchange) {
    let Some(record) = &exchange.response else { return };
    let ending = ending_of(Some(record));
    let waiting = world
        .lineages
        .by_response(response_id)
        .filter(|ix| is_waiting(world, *ix));
    match (waiting, &record.body) {
        (Some(ix), _) if matches!(ending, Ending::Completed | Ending::Incomplete) => {
            let stored = world.lineages.node(ix).stored;
            let learnt = learn(&mut world.ledger, ix, record, stored);
            tally.issued(&world.ledger, &learnt.groups);
            world.lineages.complete(ix, ending, &world.ledger, learnt);
        }
        (_, Some(body)) => learn_listed(&mut world.ledger, body),
        (_, None) => {}
    }
}

fn is_waiting(world: &World, ix: NodeIx) -> bool {
    let ending = world.lineages.node(ix).ending;
    matches!(ending, Ending::Running | Ending::Cut | Ending::Abandoned)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testkit::{Talk, easy, kept_rs, msg, user};

    fn second_turn(talk: &mut Talk) {
        talk.turn(&[user("a"), easy("one"), user("b")], &[msg(2, "two")]);
    }

    fn read(talk: &mut Talk, response: &Value) {
        talk.exchange(
            json!({"request": {"method": "GET", "path": "/v1/responses/resp_bg"}, "response": response}),
        );
    }

    fn whole() -> Value {
        json!({"id": "resp_bg", "status": "completed", "output": [kept_rs(1), msg(1, "one")]})
    }

    #[test]
    fn a_polled_background_response_is_what_its_request_issued() {
        let mut talk = Talk::stored();
        let body = json!({"model": "gpt-5.6", "background": true, "input": [user("a")]});
        let queued = json!({"id": "resp_bg", "status": "queued", "output": []});
        talk.exchange(json!({"request": {"body": body}, "response": {"body": queued}}));
        read(
            &mut talk,
            &json!({"body": {"id": "resp_bg", "status": "in_progress", "output": []}}),
        );
        read(&mut talk, &json!({"body": whole()}));
        second_turn(&mut talk);
        let verdict = talk.verdict();
        assert_eq!(verdict.findings[0].rule, "text-only-rebuild");
        assert_eq!(
            (verdict.coverage.reasoning_issued, verdict.coverage.judged),
            (1, 1)
        );
    }

    #[test]
    fn a_resumed_stream_completes_the_cut_one() {
        let mut talk = Talk::stored();
        let body = json!({"model": "gpt-5.6", "background": true, "stream": true, "input": [user("a")]});
        let created = json!({"type": "response.created", "response": {"id": "resp_bg", "status": "queued", "output": []}});
        talk.exchange(json!({"transport": "sse", "request": {"body": body}, "response": {"events": [created], "end": "cut"}}));
        read(
            &mut talk,
            &json!({"events": [{"type": "response.completed", "response": whole()}]}),
        );
        second_turn(&mut talk);
        assert_eq!(talk.found(), ["text-only-rebuild:error"]);
    }

    #[test]
    fn polling_again_changes_nothing() {
        let mut talk = Talk::stored();
        talk.turn(&[user("a")], &[kept_rs(1), msg(1, "one")]);
        let path = format!("/v1/responses/{}", talk.response_id(1));
        let answer =
            json!({"id": talk.response_id(1), "status": "completed", "output": [kept_rs(1), msg(1, "one")]});
        talk.exchange(json!({"request": {"method": "GET", "path": path}, "response": {"body": answer}}));
        talk.turn(
            &[user("a"), kept_rs(1), msg(1, "one"), user("b")],
            &[msg(2, "two")],
        );
        let verdict = talk.verdict();
        assert_eq!(verdict.findings, []);
        assert_eq!(verdict.coverage.reasoning_issued, 1);
    }
}
