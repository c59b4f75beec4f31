//! Compaction before a turn.

use holdover_wire::audit::IdPolicy;
use serde_json::{Value, json as value};

use crate::testing::{drive, input, json, stateless, talk_turns, token, tool_turns};

use super::super::*;

fn compaction() -> Received {
    json(
        &value!({"id": "resp_c", "object": "response.compaction", "output": [
            {"id": "msg_u", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "First"}]},
            {"id": "cmp_1", "type": "compaction", "encrypted_content": token("cmp_1")},
        ]}),
    )
}

#[test]
fn a_compaction_replaces_the_history_and_goes_back_unchanged() {
    for preset in Preset::ALL {
        let mut agent = stateless(|config| {
            config.preset = *preset;
            config.compact_before = Some(2);
        });
        let [(first, one), (second, two)]: [_; 2] = talk_turns().try_into().expect("two turns");
        drive(&mut agent, first, &[one]);
        let (calls, result) = drive(&mut agent, second, &[compaction(), two]);
        assert_eq!(
            (calls[0].path.as_str(), calls[1].path.as_str()),
            (COMPACT, RESPONSES)
        );
        assert_eq!(
            input(calls[0].body.object().expect("body")).len(),
            3,
            "{preset:?}"
        );
        let sent = input(calls[1].body.object().expect("body"));
        let output: Value = serde_json::from_slice(&compaction().body).expect("JSON");
        assert_eq!(Value::Array(sent[..2].to_vec()), output["output"], "{preset:?}");
        assert_eq!((sent.len(), result.refusal), (3, None));
        assert_eq!(agent.take_audit()[1].compaction_policy, Some(IdPolicy::None));
    }
}

#[test]
fn a_stored_chain_is_compacted_by_its_last_response_and_begins_anew() {
    let mut agent = stateless(|config| {
        config.store = None;
        config.state = StateMode::ServerChain;
        config.compact_before = Some(2);
    });
    let [(first, one), (second, two)]: [_; 2] = talk_turns().try_into().expect("two turns");
    drive(&mut agent, first, &[one]);
    let (calls, _) = drive(&mut agent, second, &[compaction(), two]);
    let body = calls[0].body.object().expect("body");
    assert_eq!(
        Value::Object(body.clone()),
        value!({"model": "gpt-5.6", "previous_response_id": "resp_1"})
    );
    let body = calls[1].body.object().expect("body");
    assert_eq!((body.get("previous_response_id"), input(body).len()), (None, 3));
}

#[test]
fn a_compaction_waits_for_open_calls_and_is_made_again_under_a_new_policy() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.compact_before = Some(2);
        config.resume_before = Some(4);
        config.resume_policy = Some(IdPolicy::Omit);
    });
    let turns = tool_turns();
    let paths = |agent: &mut Agent, index: usize, answers: &[Received]| {
        let (calls, _) = drive(agent, turns[index].0.clone(), answers);
        calls.into_iter().map(|call| call.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(&mut agent, 0, &[turns[0].1.clone()]), [RESPONSES]);
    assert_eq!(paths(&mut agent, 1, &[turns[1].1.clone()]), [RESPONSES]);
    assert_eq!(
        paths(&mut agent, 2, &[compaction(), turns[2].1.clone()]),
        [COMPACT, RESPONSES]
    );
    assert_eq!(
        paths(&mut agent, 2, &[compaction(), turns[2].1.clone()]),
        [COMPACT, RESPONSES]
    );
    let last = agent.take_audit().remove(3);
    assert_eq!(last.compaction_policy, Some(IdPolicy::Omit));
    assert_eq!(last.reasoning_item_id_policy, Some(IdPolicy::Omit));
}
