//! Two turns go on from one response, and the one that ends last is remembered.

use crate::config::StateMode;
use crate::slip::{Card, Stage};
use crate::state::State;

pub(crate) const CARD: Card = Card {
    about: "reads its one \"latest response\" when a message comes in, while the turn before is still running",
    stage: Stage::Send,
    seen: "two requests continue one response at the same time, and the one before the last is never continued",
    needs: "server-chain, stored responses, three turns of the user",
    exists: |config| config.state == StateMode::ServerChain && config.stores(),
};

/// A turn of the user begins: its anchor is what was the latest response when the turn before it began.
pub(crate) fn apply(state: &mut State) {
    let latest = state.response.clone();
    let seen = std::mem::replace(&mut state.latest_seen, latest);
    state.response = seen.or(state.response.take());
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::config::StateMode;
    use crate::slip::Slip;
    use crate::testing::{self, message, play, response, stateless};
    use crate::turn::TurnInput;

    #[test]
    fn the_third_turn_forgets_the_second() {
        let turns: Vec<_> = (1..5)
            .map(|number| {
                let output = json!([message(&format!("msg_{number}"), "x")]);
                let answer = testing::json(&response(&format!("resp_{number}"), &output));
                (TurnInput::user("x"), answer)
            })
            .collect();
        let anchors = |slips: Vec<Slip>| -> Vec<Value> {
            let mut agent = stateless(|config| {
                config.state = StateMode::ServerChain;
                config.store = Some(true);
                config.slips = slips;
            });
            let bodies = play(&mut agent, &turns).0;
            bodies
                .iter()
                .map(|body| body.get("previous_response_id").cloned().unwrap_or_default())
                .collect()
        };
        assert_eq!(
            anchors(vec![]),
            [Value::Null, json!("resp_1"), json!("resp_2"), json!("resp_3")]
        );
        assert_eq!(
            anchors(vec![Slip::LatestOverwritten]),
            [Value::Null, json!("resp_1"), json!("resp_1"), json!("resp_2")]
        );
    }
}
