//! Reasoning of one provider is sent to another one.

use crate::config::{Moves, Preset, StateMode};
use crate::slip::{Card, Stage};
use crate::wires::talk::Foreign;

pub(crate) const CARD: Card = Card {
    about: "sends the reasoning of one provider to another one, which cannot read it",
    stage: Stage::Build,
    seen: "a request holds a payload that another provider issued, in the field that its own would have",
    needs: "preset plain under client-replay, in a session that moves to another provider",
    exists: |config| {
        config.preset == Preset::Plain
            && config.state == StateMode::ClientReplay
            && config.moves == Moves::Moves
    },
};

pub(crate) fn apply() -> Foreign {
    Foreign::Sent
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::config::Moves;
    use crate::slip::Slip;
    use crate::testing::{call, drive, json as answer, message, reasoning, response, stateless, token};
    use crate::turn::TurnInput;

    #[test]
    fn the_payload_of_one_stands_where_the_other_has_its_own() {
        let first = answer(&response(
            "resp_1",
            &json!([reasoning("rs_1"), call("fc_1", "call_1")]),
        ));
        let second = answer(&response("resp_2", &json!([message("msg_2", "Done.")])));
        let claude = answer(
            &json!({"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "Hello."}]}),
        );
        let sent = |slips: Vec<Slip>| {
            let mut agent = stateless(|config| {
                config.moves = Moves::Moves;
                config.slips = slips;
            });
            drive(&mut agent, TurnInput::user("a"), std::slice::from_ref(&first));
            let output = TurnInput::tool_output("lookup", "42");
            drive(&mut agent, output, std::slice::from_ref(&second));
            let moved = TurnInput {
                profile: Some("claude-5".to_owned()),
                ..TurnInput::user("b")
            };
            let (calls, _) = drive(&mut agent, moved, std::slice::from_ref(&claude));
            assert_eq!(calls[0].path, "/v1/messages");
            calls[0].body.object().expect("a body")["messages"][1].clone()
        };
        let tool_use = json!({"type": "tool_use", "id": "call_1", "name": "lookup", "input": {"key": "a"}});
        assert_eq!(sent(vec![]), json!({"role": "assistant", "content": [tool_use]}));
        let summary = "**Plan**\n\nLook it up first, then answer the question.";
        let thinking = json!({"type": "thinking", "thinking": summary, "signature": token("rs_1")});
        assert_eq!(
            sent(vec![Slip::ForeignReasoningSent]),
            json!({"role": "assistant", "content": [thinking, tool_use]})
        );
    }
}
