//! The whole response body goes into the log.

use serde_json::Value;

use crate::slip::{Card, Stage};
use crate::stages::receive::Answer;

pub(crate) const CARD: Card = Card {
    about: "logs the whole response body",
    stage: Stage::Export,
    seen: "a log holds ids and tokens of reasoning items",
    needs: "any client",
    exists: |_| true,
};

pub(crate) fn apply(answer: &Answer) -> Value {
    answer.response.clone().into_value()
}

#[cfg(test)]
mod tests {
    use holdover_wire::audit::Exported;

    use crate::slip::Slip;
    use crate::testing::{play, stateless, talk_turns, token};

    #[test]
    fn the_log_holds_the_token_and_the_request_is_the_right_one() {
        let mut agent = stateless(|config| config.slips = vec![Slip::LogWholeResponse]);
        let (bodies, _) = play(&mut agent, &talk_turns());
        let (right, _) = play(&mut stateless(|_| {}), &talk_turns());
        assert_eq!(bodies, right);
        let exports = agent.take_exports();
        assert_eq!(exports[0].file, "log/turn-1.jsonl");
        assert!(exports[0].text.contains(&token("rs_1")));
        assert_eq!(agent.take_audit()[0].exported, Some(Exported::Raw));
    }
}
