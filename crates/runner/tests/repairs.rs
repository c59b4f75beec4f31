//! A history that was poisoned in any way is accepted once it is repaired, under each profile, and keeps all reasoning
//! that can be kept.

use std::collections::BTreeSet;

use holdover_capture::repair::{Ids, repair};
use holdover_fake::{FakeConfig, Session};
use holdover_profile::Profile;
use holdover_wire::{Call, Reply, ReplyPart};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a profile needs of ids; every built-in profile is here.
const PROFILES: [(&str, Ids); 6] = [
    ("openai", Ids::Optional),
    ("openai-strict", Ids::Optional),
    ("azure", Ids::Optional),
    ("foundry-project", Ids::Required),
    ("codex-backend", Ids::Optional),
    ("compat", Ids::Optional),
];

/// Kinds of poison, of which [`spoil`] plants one. None changes the order, and one item at most vanishes without a trace:
/// where more happens, the halves of two groups may stand together like one, and nobody can tell.
const POISONS: usize = 16;
/// Those by which an item vanishes.
const VANISHES: [usize; 2] = [5, 6];
/// Shorter texts are no token.
const TOKEN_CHARS_MIN: usize = 60;

fn session(profile: &str, script: &[usize]) -> Session {
    let mut session = Session::new(FakeConfig {
        world: "repair".to_owned(),
        profile: Profile::builtin(profile).expect(profile),
        ..FakeConfig::default()
    });
    session.script(
        script
            .iter()
            .zip(0..)
            .map(|(kind, turn)| reply(*kind, turn))
            .collect(),
    );
    session
}

/// An answer, two answers in one, a call, or two calls at once.
fn reply(kind: usize, turn: usize) -> Reply {
    let reasoning = || ReplyPart::Reasoning { summary: None };
    let message = |text: &str| ReplyPart::Message {
        text: Some(format!("{text} {turn}")),
        phase: None,
    };
    let call = |number: usize| ReplyPart::Call {
        id: Some(format!("call_{turn}_{number}")),
        name: "lookup".to_owned(),
        arguments: Some("{}".to_owned()),
    };
    let parts = match kind {
        0 => vec![reasoning(), message("Answer")],
        1 => vec![reasoning(), message("First"), reasoning(), message("Then")],
        2 => vec![reasoning(), call(0)],
        _ => vec![reasoning(), call(0), call(1)],
    };
    Reply { parts }
}

/// The answer's status and body.
fn ask(session: &mut Session, input: &[Value]) -> (u16, Value) {
    let body = json!({"model": "gpt-5.6", "store": false, "instructions": "Be brief.", "include": ["reasoning.encrypted_content"], "input": input});
    let answer = session.handle(&Call::post("/v1/responses", body));
    let body = serde_json::from_slice(&answer.plan.body.bytes()).expect("json");
    (answer.plan.status, body)
}

/// The next question on a stored history.
fn go_on(session: &mut Session, history: &[Value]) -> (u16, Value) {
    let question = json!({"role": "user", "content": "Go on."});
    ask(session, &[history, &[question]].concat())
}

/// The history of a client that does everything right.
fn history(session: &mut Session, turns: usize) -> Vec<Value> {
    let mut items = vec![json!({"role": "user", "content": "Begin."})];
    for turn in 0..turns {
        let (status, body) = ask(session, &items);
        assert_eq!(status, 200, "{body}");
        let output = body["output"].as_array().cloned().unwrap_or_default();
        let calls: Vec<Value> = output
            .iter()
            .filter(|item| item["type"] == "function_call")
            .cloned()
            .collect();
        items.extend(output);
        if calls.is_empty() {
            items.push(json!({"role": "user", "content": format!("Go on {turn}.")}));
        }
        items.extend(
            calls.iter().map(
                |call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "42"}),
            ),
        );
    }
    items
}

/// Plants one way in which histories get poisoned (`tests/facts/cases/classes.md`).
fn spoil(items: &mut Vec<Value>, poison: usize, place: usize) {
    let kind = items[place]["type"].as_str().unwrap_or("message").to_owned();
    let is_reasoning = kind == "reasoning";
    match poison {
        0 if is_reasoning => items[place]["encrypted_content"] = Value::Null,
        1 if is_reasoning => items[place]["encrypted_content"] = "".into(),
        2 if is_reasoning => {
            items[place]
                .as_object_mut()
                .map(|item| item.shift_remove("encrypted_content"));
        }
        3 if is_reasoning => {
            items[place]
                .as_object_mut()
                .map(|item| item.shift_remove("summary"));
        }
        4 if is_reasoning => items[place]["content"] = json!([{"type": "reasoning_text", "text": "hidden"}]),
        5 | 6 if items.len() > 1 => drop(items.remove(place)),
        7 => items.insert(
            place,
            json!({"type": "function_call", "call_id": "call_open", "name": "lookup", "arguments": "{}"}),
        ),
        8 => items.insert(
            place,
            json!({"type": "function_call_output", "call_id": "call_lost", "output": "1"}),
        ),
        9 => {
            let again = items[place].clone();
            items.insert(place, again);
        }
        10 => {
            let again = items[place].clone();
            items.push(again);
        }
        11 => items.insert(place, json!({"type": "item_reference", "id": "rs_gone"})),
        12 => items.insert(place, json!({"type": "context_compaction"})),
        13 if items[place].get("id").is_some() => items[place]["id"] = "3c1f8a52-0b7e-4a51-9d0e-uuid".into(),
        14 if items[place].get("id").is_some() => {
            items[place].as_object_mut().map(|item| item.shift_remove("id"));
        }
        15 if items[place].get("status").is_some() => items[place]["status"] = Value::Null,
        _ => {}
    }
}

/// The token of a reasoning item, where it is whole.
fn token(item: &Value) -> Option<&str> {
    let token = item["encrypted_content"]
        .as_str()
        .filter(|token| token.len() > TOKEN_CHARS_MIN)?;
    (item["type"] == "reasoning").then_some(token)
}

/// Where each item of the repaired list stood; `None` for an added one.
fn origins(count: usize, patch: &[Value]) -> Vec<Option<usize>> {
    let mut origins: Vec<Option<usize>> = (0..count).map(Some).collect();
    for operation in patch {
        let pointer = operation["path"].as_str().unwrap_or_default();
        // A deeper path changes an item where it stands.
        let Ok(place) = pointer.trim_start_matches('/').parse::<usize>() else {
            continue;
        };
        match operation["op"].as_str() {
            Some("remove") => drop(origins.remove(place)),
            Some("add") => origins.insert(place, None),
            _ => {}
        }
    }
    origins
}

#[test]
fn every_built_in_profile_is_tried() {
    // Histories of other providers have no items to repair.
    let own = |name: &String| Profile::builtin(name).is_ok_and(|profile| profile.endpoint.is_none());
    let known: BTreeSet<String> = Profile::names().into_iter().filter(own).collect();
    let tried: BTreeSet<String> = PROFILES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(known, tried);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_repaired_history_is_accepted_and_keeps_what_can_be_kept(
        script in prop::collection::vec(0..4_usize, 1..5),
        poisons in prop::collection::vec((0..POISONS, any::<prop::sample::Index>()), 1..6),
        profile in 0..PROFILES.len(),
    ) {
        let (profile, ids) = PROFILES[profile];
        let mut session = session(profile, &script);
        let mut items = history(&mut session, script.len());
        let mut vanished = false;
        for (poison, place) in poisons {
            if VANISHES.contains(&poison) && std::mem::replace(&mut vanished, true) {
                continue;
            }
            let place = place.index(items.len());
            spoil(&mut items, poison, place);
        }
        let repaired = repair(&items, ids);
        let (status, body) = go_on(&mut session, &repaired.items);
        prop_assert_eq!(origins(items.len(), &repaired.patch).len(), repaired.items.len());
        prop_assert_eq!(status, 200, "{}: {}\n{:#}\n{:#}", profile, body, Value::from(items), Value::from(repaired.items));
        // What is given up cannot be put back where it stood.
        let kept: BTreeSet<&str> = repaired.items.iter().filter_map(token).collect();
        let origins = origins(items.len(), &repaired.patch);
        for (at, given_up) in items.iter().enumerate() {
            if token(given_up).is_none_or(|token| kept.contains(token)) {
                continue;
            }
            let fits = |place: &usize| {
                origins[..*place].iter().flatten().all(|before| *before < at)
                    && origins[*place..].iter().flatten().all(|behind| *behind > at)
            };
            for place in (0..=origins.len()).filter(fits) {
                let mut more = repaired.items.clone();
                more.insert(place, given_up.clone());
                let (status, _) = go_on(&mut session, &more);
                prop_assert!(status != 200, "{}: at {} stands {}\n{:#}\n{:#}", profile, place, given_up, Value::from(items.clone()), Value::from(repaired.items.clone()));
            }
        }
    }
}
