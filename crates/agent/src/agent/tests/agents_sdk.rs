//! The Agents SDK: the policy, the limit, sessions.

use holdover_wire::audit::IdPolicy;
use serde_json::{Value, json as value};

use crate::config::SessionStore;
use crate::testing::{call, drive, input, json, message, play, reasoning, stateless, talk_turns, tool_turns};

use super::super::*;
use super::{output, without_id};

#[test]
fn the_agents_sdk_keeps_ids_unless_the_policy_is_omit() {
    let bodies = |policy: IdPolicy| {
        let mut agent = stateless(|config| {
            config.preset = Preset::AgentsSdk;
            config.reasoning_item_id_policy = policy;
        });
        (play(&mut agent, &tool_turns()).0, agent.take_audit())
    };
    let (none, none_audit) = bodies(IdPolicy::None);
    let (preserve, preserve_audit) = bodies(IdPolicy::Preserve);
    let (omit, omit_audit) = bodies(IdPolicy::Omit);
    assert_eq!(none, preserve);
    let expected = value!({
        "include": ["reasoning.encrypted_content"],
        "input": [
            {"content": "Plan the migration.", "role": "user"}, reasoning("rs_1"), call("fc_1", "call_1"),
            output("call_1", "42"), reasoning("rs_2"), message("msg_2", "Done."),
            {"content": "And then?", "role": "user"},
        ],
        "model": "gpt-5.6", "store": false, "tools": [],
    });
    assert_eq!(Value::Object(none[2].clone()), expected);
    for (right, stripped) in none.iter().zip(&omit) {
        let strip = |item: Value| {
            if item["type"] == "reasoning" {
                without_id(item)
            } else {
                item
            }
        };
        let expected: Vec<Value> = input(right).into_iter().map(strip).collect();
        assert_eq!(input(stripped), expected);
    }
    assert_eq!(none_audit[1].frag_hash, preserve_audit[1].frag_hash);
    assert_ne!(none_audit[1].frag_hash, omit_audit[1].frag_hash);
    assert_eq!(
        (none_audit[1].ids_present, omit_audit[1].ids_present),
        (Some(true), Some(false))
    );
    assert_eq!(omit_audit[0].ids_present, None);
}

#[test]
fn under_omit_the_id_is_lost_from_the_store_and_a_later_preserve_has_none() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.reasoning_item_id_policy = IdPolicy::Omit;
        config.session_store = SessionStore::Sqlite;
        config.resume_before = Some(2);
        config.resume_policy = Some(IdPolicy::Preserve);
    });
    let (bodies, _) = play(&mut agent, &talk_turns());
    assert_eq!(input(&bodies[1])[1], without_id(reasoning("rs_1")));
    assert_eq!(
        agent.take_audit()[1].reasoning_item_id_policy,
        Some(IdPolicy::Preserve)
    );
}

#[test]
fn a_limit_of_the_agents_sdk_leaves_a_message_without_its_reasoning() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.history_limit = Some(1);
    });
    let (bodies, _) = play(&mut agent, &talk_turns());
    let expected = [
        message("msg_1", "One."),
        value!({"content": "Follow-up", "role": "user"}),
    ];
    assert_eq!(input(&bodies[1]), expected);
}

/// What the real SDK was seen to do, call by call: read, save the input, create, save what came once no call is open.
#[test]
fn a_conversations_session_is_read_and_saved_through_the_items_api() {
    let mut agent = stateless(|config| {
        config.preset = Preset::AgentsSdk;
        config.session_store = SessionStore::Conversations;
        config.reasoning_item_id_policy = IdPolicy::Omit;
    });
    let saved = json(&value!({"object": "list", "data": []}));
    let created = json(&value!({"id": "conv_1", "object": "conversation"}));
    let page = |data: Value, more: bool| json(&value!({"data": data, "last_id": "rs_1", "has_more": more}));
    let turns = tool_turns();
    let answers = [
        created,
        page(value!([]), false),
        saved.clone(),
        turns[0].1.clone(),
    ];
    let (calls, _) = drive(&mut agent, turns[0].0.clone(), &answers);
    let paths: Vec<_> = calls
        .iter()
        .map(|call| (call.method.as_str(), call.path.as_str()))
        .collect();
    let items_path = "/v1/conversations/conv_1/items";
    let expected = [
        ("POST", CONVERSATIONS),
        ("GET", items_path),
        ("POST", items_path),
        ("POST", RESPONSES),
    ];
    assert_eq!(paths, expected);
    let items = |call: &Call| call.body.object().expect("body")["items"].clone();
    assert_eq!(
        items(&calls[2]),
        value!([{"content": "Plan the migration.", "role": "user"}])
    );

    let answers = [saved.clone(), turns[1].1.clone(), saved.clone()];
    let (calls, _) = drive(&mut agent, turns[1].0.clone(), &answers);
    let expected = value!([
        reasoning("rs_1"),
        without_id(call("fc_1", "call_1")),
        output("call_1", "42")
    ]);
    assert_eq!(items(&calls[0]), expected);
    let stripped = input(calls[1].body.object().expect("body"));
    assert_eq!(stripped[1], without_id(reasoning("rs_1")));
    let expected = value!([reasoning("rs_2"), without_id(message("msg_2", "Done."))]);
    assert_eq!(items(&calls[2]), expected);

    let user_item = value!({"id": "msg_u", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]});
    let pages = [
        page(value!([user_item, reasoning("rs_1")]), true),
        page(value!([message("msg_1", "b")]), false),
    ];
    let answers = [
        pages[0].clone(),
        pages[1].clone(),
        saved.clone(),
        turns[2].1.clone(),
        saved,
    ];
    let (calls, _) = drive(&mut agent, turns[2].0.clone(), &answers);
    assert_eq!(calls[0].query, [("order".to_owned(), "asc".to_owned())]);
    assert_eq!(calls[1].query("after"), Some("rs_1"));
    // Exempt from the policy: the id of the reasoning stays; the assistant's message loses its own on read.
    let sent = input(calls[3].body.object().expect("body"));
    let new = value!({"content": "And then?", "role": "user"});
    assert_eq!(
        sent,
        [
            user_item,
            reasoning("rs_1"),
            without_id(message("msg_1", "b")),
            new
        ]
    );
}
