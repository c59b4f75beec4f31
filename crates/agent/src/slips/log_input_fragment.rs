//! The next turn's input items go into the log, tokens cut out, ids left in.

use holdover_wire::{Item, Object};
use serde_json::{Value, json};

use crate::slip::{Card, Stage};

pub(crate) const CARD: Card = Card {
    about: "logs the next turn's input items with their ids, tokens and texts cut out",
    stage: Stage::Export,
    seen: "a log holds ids of items, and no token",
    needs: "any client",
    exists: |_| true,
};

/// Members that are left of an item: enough to see the sequence, and one too many.
const LEFT: [&str; 3] = ["id", "type", "role"];

pub(crate) fn apply(next_input: &[Item]) -> Value {
    let fragment: Vec<Value> = next_input.iter().map(left).collect();
    json!({"next_input": fragment})
}

fn left(item: &Item) -> Value {
    let members = item
        .object()
        .iter()
        .filter(|(name, _)| LEFT.contains(&name.as_str()));
    Value::Object(
        members
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Object>(),
    )
}

#[cfg(test)]
mod tests {
    use holdover_wire::audit::Exported;

    use crate::slip::Slip;
    use crate::testing::{play, stateless, talk_turns};

    use super::*;

    #[test]
    fn the_log_holds_ids_and_no_token() {
        let mut agent = stateless(|config| config.slips = vec![Slip::LogInputFragment]);
        play(&mut agent, &talk_turns()[..1]);
        let line: Value = serde_json::from_str(&agent.take_exports()[0].text).expect("JSON");
        let expected = json!({"next_input": [
            {"role": "user"},
            {"id": "rs_1", "type": "reasoning"},
            {"id": "msg_1", "type": "message", "role": "assistant"},
        ]});
        assert_eq!(line, expected);
        assert_eq!(agent.take_audit()[0].exported, Some(Exported::Raw));
    }
}
