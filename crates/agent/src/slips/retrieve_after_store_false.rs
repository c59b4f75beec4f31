//! A response is read again that was never stored.

use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "reads each response again by its id, although it was made under `store: false`",
    stage: Stage::Send,
    seen: "a GET of a response that was made under `store: false`",
    needs: "`store: false`",
    exists: |config| !config.stores(),
};

/// Where the client reads its last response again.
pub(crate) fn path(response: &str) -> String {
    format!("/v1/responses/{response}")
}

#[cfg(test)]
mod tests {
    use holdover_wire::Method;

    use crate::slip::Slip;
    use crate::testing::{drive, json, stateless, talk_turns};

    #[test]
    fn each_answer_is_asked_for_once_more() {
        let calls = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| config.slips = slips);
            let (turn, answer) = talk_turns().remove(0);
            let gone = json(&serde_json::json!({"error": {"message": "not found"}}));
            let answers = [answer, gone];
            let asked = if agent.config().slips.is_empty() { 1 } else { 2 };
            let calls = drive(&mut agent, turn, &answers[..asked]).0;
            calls
                .into_iter()
                .map(|call| (call.method, call.path))
                .collect::<Vec<_>>()
        };
        let create = (Method::Post, "/v1/responses".to_owned());
        assert_eq!(calls(vec![]), std::slice::from_ref(&create));
        let again = (Method::Get, "/v1/responses/resp_1".to_owned());
        assert_eq!(calls(vec![Slip::RetrieveAfterStoreFalse]), [create, again]);
    }
}
