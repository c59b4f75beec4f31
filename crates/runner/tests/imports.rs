//! Captures become scenarios that show the same, and smaller ones; histories are repaired; nothing panics.

use std::time::{Duration, Instant};

use holdover_capture::script::{Script, script_of};
use holdover_capture::{Captured, Kind, Redacting, Text, export};
use holdover_fake::{FakeConfig, Session};
use holdover_profile::Profile;
use holdover_runner::import::{self, Keeps};
use holdover_runner::lower::lower;
use holdover_runner::play;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{expand, parse, suites};
use holdover_wire::{Call, Exchange, Recording};
use proptest::prelude::*;
use serde_json::{Value, json};

fn recording_of(path: &str) -> Recording {
    let settings = Settings::default();
    let file = suites::all()
        .into_iter()
        .find(|file| file.path == path)
        .expect(path);
    let scenario = parse(file.path, file.text, &vocabulary(&settings)).expect(path);
    let case = expand(&scenario).remove(0);
    let case = lower(&case, &settings).expect("names").remove(0);
    play::play(&case.setup).expect("patterns").recording
}

const PLANTED: [&str; 8] = [
    "carry/01_l1_text_only_append.toml",
    "carry/20_first_output_only.toml",
    "carry/23_token_truncated.toml",
    "carry/24_token_re_encoded.toml",
    "carry/25_instructions_once.toml",
    "carry/26_include_forgotten.toml",
    "carry/28_double_send.toml",
    "carry/29_trim_splits_pair.toml",
];

/// Each of them shows a finding at an exchange, and the imported scenario shows it at the same one.
#[test]
fn an_imported_capture_shows_what_the_capture_showed() {
    for path in PLANTED {
        for text in [Text::Replaced, Text::Kept] {
            let mut captured = Captured::default();
            let bytes = export::file(Kind::Har, &recording_of(path)).expect("a file");
            holdover_capture::file(bytes.as_slice(), &mut Redacting::new(&mut captured, text))
                .expect("a capture");
            let session = &captured.sessions[0];
            let imported =
                import::import(&session.recording, false, "incident", &Settings::default()).expect(path);
            assert!(!imported.reproduced.is_empty(), "{path}");
            assert_eq!(imported.missing, vec![], "{path}");
            assert_eq!(imported.notes, Vec::<String>::new(), "{path}");
            // The written file asks for what it shows, and gets it.
            let played = import::play_script(&imported.script, &Settings::default()).expect(path);
            let found: Vec<_> = import::found(&played.verdict).into_iter().collect();
            assert_eq!(found, imported.reproduced, "{path}");
        }
    }
}

#[test]
fn a_capture_that_begins_in_the_middle_is_open_and_plays_all_the_same() {
    let mut recording = recording_of("carry/51_right_tool_loop.toml");
    recording.exchanges.remove(0);
    let mut captured = Captured::default();
    let bytes = export::file(Kind::Har, &recording).expect("a file");
    holdover_capture::file(bytes.as_slice(), &mut captured).expect("a capture");
    let session = &captured.sessions[0];
    assert!(!session.lossy.is_empty());
    let imported =
        import::import(&session.recording, true, "middle", &Settings::default()).expect("a scenario");
    assert_eq!(imported.notes, Vec::<String>::new());
    assert_eq!(imported.script.turns.len(), recording.exchanges.len() + 1);
}

/// A hundred exchanges of clean conversations with a slip somewhere among them.
fn hidden(path: &str, place: usize) -> Script {
    let planted = recording_of(path);
    let mut recording = Recording::default();
    let mut session = Session::new(FakeConfig {
        world: "noise".to_owned(),
        ..FakeConfig::default()
    });
    let mut number = 0;
    while recording.exchanges.len() < 100 {
        if number == place {
            recording.exchanges.extend(planted.exchanges.iter().cloned());
        }
        number += 1;
        let first = json!([{"role": "user", "content": format!("Question {number} of the noise?")}]);
        let answer = ask(&mut session, &first);
        let mut second = first.as_array().cloned().unwrap_or_default();
        second.extend(
            answer
                .response
                .as_ref()
                .and_then(|response| response.body.as_ref()?["output"].as_array().cloned())
                .unwrap_or_default(),
        );
        second.push(json!({"role": "user", "content": format!("And {number} again?")}));
        recording.exchanges.push(answer);
        let answer = ask(&mut session, &Value::from(second));
        recording.exchanges.push(answer);
    }
    script_of(&recording, "hidden", &|_| true).0
}

fn ask(session: &mut Session, input: &Value) -> Exchange {
    let body = json!({"model": "gpt-5.6", "store": false, "instructions": "Be brief.", "include": ["reasoning.encrypted_content"], "input": input});
    let answer = session.handle(&Call::post("/v1/responses", body.clone()));
    let response: Value = serde_json::from_slice(&answer.plan.body.bytes()).expect("json");
    serde_json::from_value(
        json!({"request": {"body": body}, "response": {"status": answer.plan.status, "body": response}}),
    )
    .expect("an exchange")
}

#[test]
fn a_slip_among_a_hundred_exchanges_is_cut_down_to_three_at_most() {
    let settings = Settings::default();
    for (path, place) in PLANTED.into_iter().zip([3, 40, 17, 0, 29, 8, 45, 22]) {
        let script = hidden(path, place);
        assert!(script.turns.len() >= 100);
        let played = import::play_script(&script, &settings).expect(path);
        let keeps = Keeps::of(&played, None).expect("a finding");
        let began = Instant::now();
        let small = import::shrunk(&script, &keeps, &settings);
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{path}: {:?}",
            began.elapsed()
        );
        assert!(small.turns.len() <= 3, "{path}: {}", small.to_toml());
        let refused = |played: &play::Played| {
            let of = |exchange: &Exchange| {
                exchange
                    .response
                    .as_ref()
                    .is_some_and(|response| response.status >= 400)
            };
            played
                .recording
                .exchanges
                .iter()
                .filter(|exchange| of(exchange))
                .count()
        };
        let most = refused(&import::play_script(&small, &settings).expect(path));
        // What fails in a new way does not fail in the same way.
        let shows = |script: &Script| {
            let played = import::play_script(script, &settings);
            played.is_ok_and(|played| Keeps::of(&played, rule(&keeps)).is_some() && refused(&played) <= most)
        };
        assert!(shows(&small), "{path}");
        assert_eq!(
            small.to_toml(),
            import::shrunk(&small, &keeps, &settings).to_toml(),
            "{path}: it can go on"
        );
        for (turn, at) in small.turns.iter().zip(0..) {
            let items = turn
                .body
                .get("input")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            for item in 0..items {
                let mut without = small.clone();
                if let Some(input) = without.turns[at]
                    .body
                    .get_mut("input")
                    .and_then(Value::as_array_mut)
                {
                    input.remove(item);
                }
                without.turns.iter_mut().for_each(|turn| turn.refusal = None);
                assert!(
                    !shows(&without),
                    "{path}: item {item} of turn {at} is not needed\n{}",
                    small.to_toml()
                );
            }
        }
    }
}

fn rule(keeps: &Keeps) -> Option<&str> {
    match keeps {
        Keeps::Finding(rule) => Some(rule),
        Keeps::Refusal(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens to the bytes of a capture, reading it ends and says something.
    #[test]
    fn no_damage_makes_a_reader_panic(
        kind in 0..Kind::ALL.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        cuts in any::<bool>(),
    ) {
        static RECORDING: std::sync::LazyLock<Recording> = std::sync::LazyLock::new(|| recording_of("carry/23_token_truncated.toml"));
        let Some(mut bytes) = export::file(Kind::ALL[kind], &RECORDING) else { return Ok(()) };
        if bytes.is_empty() {
            return Ok(());
        }
        for (place, byte) in edits {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if cuts {
            bytes.truncate(cut.index(bytes.len()));
        }
        let mut captured = Captured::default();
        // What is no capture any more is refused; that is an answer too.
        let _ = holdover_capture::file(bytes.as_slice(), &mut Redacting::new(&mut captured, Text::Replaced));
        for session in &captured.sessions {
            let _ = holdover_runner::capture::verdict(&session.recording, !session.lossy.is_empty(), &Settings::default());
        }
    }

    /// A history that was poisoned in any way is accepted once it is repaired, under each profile, and keeps the
    /// reasoning whose token is whole.
    #[test]
    fn a_repaired_history_is_accepted(poisons in prop::collection::vec((0..8_usize, any::<prop::sample::Index>()), 1..5), profile in 0..6_usize) {
        let profile = ["openai", "openai-strict", "azure", "foundry-project", "codex-backend", "compat"][profile];
        let mut session = Session::new(FakeConfig {
            world: "repair".to_owned(),
            profile: Profile::builtin(profile).expect(profile),
            ..FakeConfig::default()
        });
        let mut items = json!([{"role": "user", "content": "One?"}]).as_array().cloned().unwrap_or_default();
        for question in ["Two?", "Three?", "Four?"] {
            let answer = ask(&mut session, &Value::from(items.clone()));
            items.extend(answer.response.as_ref().and_then(|response| response.body.as_ref()?["output"].as_array().cloned()).unwrap_or_default());
            items.push(json!({"role": "user", "content": question}));
        }
        for (poison, place) in poisons {
            let place = place.index(items.len());
            spoil(&mut items, poison, place);
        }
        let ids = if profile == "foundry-project" { holdover_capture::repair::Ids::Required } else { holdover_capture::repair::Ids::Optional };
        let repaired = holdover_capture::repair::repair(&items, ids);
        let answer = ask(&mut session, &Value::from(repaired.items.clone()));
        let response = answer.response.expect("a response");
        prop_assert_eq!(response.status, 200, "{:?}\n{:#}\n{:#}", response.body, Value::from(items), Value::from(repaired.items));
        let whole = items.iter().filter(|item| item["type"] == "reasoning" && item["encrypted_content"].as_str().is_some_and(|token| token.len() > 60) && (ids == holdover_capture::repair::Ids::Optional || item.get("id").is_some()));
        let distinct: std::collections::BTreeSet<&str> = whole.filter_map(|item| item["encrypted_content"].as_str()).collect();
        if ids == holdover_capture::repair::Ids::Optional {
            prop_assert_eq!(repaired.kept, distinct.len());
        }
    }
}

/// One way in which histories get poisoned.
fn spoil(items: &mut Vec<Value>, poison: usize, place: usize) {
    let is = |item: &Value, kind: &str| item["type"] == kind;
    match poison {
        0 if is(&items[place], "reasoning") => items[place]["encrypted_content"] = Value::Null,
        1 if is(&items[place], "message") && items[place].get("id").is_some() => {
            items.remove(place);
        }
        2 if is(&items[place], "reasoning") => {
            items.remove(place);
        }
        3 => items.insert(
            place,
            json!({"type": "function_call", "call_id": "call_open", "name": "f", "arguments": "{}"}),
        ),
        4 => items.insert(
            place,
            json!({"type": "function_call_output", "call_id": "call_lost", "output": "1"}),
        ),
        5 => {
            let again = items[place].clone();
            items.insert(place, again);
        }
        6 => items.insert(place, json!({"type": "item_reference", "id": "rs_gone"})),
        7 => items.insert(place, json!({"type": "context_compaction"})),
        _ => {}
    }
}
