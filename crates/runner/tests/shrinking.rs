//! A slip among a hundred random exchanges is cut down to three at most, to nothing that can go, and to the same bytes.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use holdover_agent::Slip;
use holdover_capture::script::Script;
use holdover_runner::import::{self, Keeps};
use holdover_runner::play::Played;
use holdover_runner::settings::Settings;
use holdover_wire::Recording;
use serde_json::Value;

mod random;

/// Every slip that a scenario of pasted requests can show, and a case in which it does.
const HIDDEN: [(Slip, &str); 27] = [
    (Slip::TextOnlyAppend, "carry/01_l1_text_only_append.toml"),
    (Slip::StreamTextOnly, "carry/02_l2_stream_text_only.toml"),
    (Slip::RoleAndTextRecord, "carry/03_l3_store_role_and_text.toml"),
    (
        Slip::IdTypeChanged,
        "carry/13_id_lost_where_ids_are_required.toml",
    ),
    (Slip::FirstOutputOnly, "carry/20_first_output_only.toml"),
    (Slip::UnknownItemDropped, "carry/21_unknown_item_dropped.toml"),
    (
        Slip::StreamLastUpdateLost,
        "carry/22_stream_last_update_lost.toml",
    ),
    (Slip::TokenTruncated, "carry/23_token_truncated.toml"),
    (Slip::TokenReEncoded, "carry/24_token_re_encoded.toml"),
    (Slip::InstructionsOnce, "carry/25_instructions_once.toml"),
    (Slip::IncludeForgotten, "carry/26_include_forgotten.toml"),
    (Slip::MixedModes, "carry/28_double_send.toml"),
    (Slip::TrimSplitsPair, "carry/29_trim_splits_pair.toml"),
    (Slip::HalfStrip, "carry/30_half_strip.toml"),
    (Slip::RefusalNotRepaired, "faults/18_refusal_not_repaired.toml"),
    (Slip::RepairMisses, "faults/19_repair_misses.toml"),
    (Slip::AnchorKept, "faults/27_anchor_kept.toml"),
    (Slip::CutAnswerKept, "faults/38_cut_answer_kept.toml"),
    (Slip::BrokenReasoningKept, "faults/39_broken_reasoning_kept.toml"),
    (Slip::EventAppendedTwice, "faults/68_event_appended_twice.toml"),
    (Slip::IdOfAdded, "faults/69_id_of_added.toml"),
    (
        Slip::PolicyAsContentSwitch,
        "policy/34_p9_policy_as_content_switch.toml",
    ),
    (Slip::IdAsCacheKey, "policy/44_p9_id_as_cache_key.toml"),
    (
        Slip::RetrieveAfterStoreFalse,
        "modes/13_retrieve_after_store_false.toml",
    ),
    (Slip::CompactionItemParsed, "modes/15_compaction_item_parsed.toml"),
    (Slip::BlindTrim, "modes/16_blind_trim.toml"),
    (Slip::CompactEveryTurn, "modes/17_compact_every_turn.toml"),
];

/// The others, each with what such a scenario has not.
const NOT_HIDDEN: [(Slip, &str); 11] = [
    (Slip::LogWholeResponse, "an export"),
    (Slip::LogInputFragment, "an export"),
    (Slip::ResumeByReasoningId, "an audit record"),
    (Slip::PolicyNotRecorded, "an audit record"),
    (Slip::DedupeById, "an audit record"),
    (Slip::PolicyChangedAfterCompaction, "an audit record"),
    (Slip::ExportUnderOtherPolicy, "an audit record"),
    (Slip::RefusalRetried, "the header that marks a retry"),
    (Slip::RetryAtOnce, "a clock"),
    (Slip::LatestOverwritten, "a clock"),
    (Slip::ForeignReasoningSent, "two wires in one session"),
];

/// Shrinking takes so long at most, in the quickest of a few tries: other programs make the others slow.
const LIMIT: Duration = Duration::from_secs(10);
const TRIES: usize = 3;

#[test]
fn every_slip_is_hidden_or_cannot_be() {
    for slip in Slip::all() {
        let hidden = HIDDEN.iter().filter(|(known, _)| known == slip).count();
        let not = NOT_HIDDEN.iter().filter(|(known, _)| known == slip).count();
        assert_eq!(hidden + not, 1, "{}", slip.name());
    }
}

/// A hundred exchanges of clean random conversations, and the planted one among them.
fn among_a_hundred(planted: &Recording, seed: u64) -> Recording {
    let mut chance = random::chance::Chance::new(seed);
    let place = chance.below(100);
    let mut recording = Recording {
        header: planted.header.clone(),
        exchanges: Vec::new(),
    };
    let mut is_there = false;
    let mut next = seed * 1000;
    while recording.exchanges.len() < 100 || !is_there {
        if recording.exchanges.len() >= place && !is_there {
            is_there = true;
            recording.exchanges.extend(planted.exchanges.iter().cloned());
        }
        next += 1;
        recording
            .exchanges
            .extend(random::clean(next, &planted.header.profile));
    }
    for (number, exchange) in (1..).zip(&mut recording.exchanges) {
        exchange.exchange = number;
    }
    recording
}

/// What a play shows: rules above `note`, and refusals. What fails in a new way does not fail in the same way.
fn shown(played: &Played) -> BTreeSet<String> {
    let rules = import::found(&played.verdict).into_iter().map(|(rule, _)| rule);
    let refusals = played.recording.exchanges.iter().filter_map(|exchange| {
        let response = exchange
            .response
            .as_ref()
            .filter(|response| response.status >= 400)?;
        let number = response.headers.get("x-holdover-refusal").and_then(Value::as_str);
        Some(format!("{} {number:?}", response.status))
    });
    rules.chain(refusals).collect()
}

fn rule(keeps: &Keeps) -> Option<&str> {
    match keeps {
        Keeps::Finding(rule) => Some(rule),
        Keeps::Refusal(_) => None,
    }
}

/// The script without one of its elements, for each of them: a turn, an item of an input, a member of a body, a part of
/// a reply, a fault.
fn without_one(script: &Script) -> Vec<(String, Script)> {
    let mut smaller = Vec::new();
    let mut push = |what: String, change: &dyn Fn(&mut Script)| {
        let mut script = script.clone();
        change(&mut script);
        script.turns.iter_mut().for_each(|turn| turn.refusal = None);
        smaller.push((what, script));
    };
    for at in 0..script.faults.len() {
        push(format!("fault {at}"), &|script| drop(script.faults.remove(at)));
    }
    for (turn, whole) in script.turns.iter().enumerate() {
        if script.turns.len() > 1 && turn + 1 == script.turns.len() {
            push(format!("turn {turn}"), &|script| drop(script.turns.remove(turn)));
        }
        // Every request has a model and an input.
        let members = whole.body.as_object().into_iter().flatten();
        for (name, _) in members.filter(|(name, _)| !["model", "input"].contains(&name.as_str())) {
            push(format!("`{name}` of turn {turn}"), &|script| {
                script.turns[turn]
                    .body
                    .as_object_mut()
                    .map(|body| body.shift_remove(name));
            });
        }
        let items = whole
            .body
            .get("input")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        for item in 0..items {
            push(format!("item {item} of turn {turn}"), &|script| {
                let input = script.turns[turn]
                    .body
                    .get_mut("input")
                    .and_then(Value::as_array_mut);
                input.map(|input| input.remove(item));
            });
        }
    }
    smaller
}

/// What is wrong with how this slip is cut down; `None` where nothing is.
fn cut_down(path: &str, seed: u64) -> Option<String> {
    let settings = Settings::default();
    let planted = random::of_suite(path).recording;
    let alone = import::import(&planted, false, "alone", &settings).expect(path);
    let (wanted, _) = alone.reproduced.first().unwrap_or_else(|| panic!("{path}"));
    let hidden = import::import(&among_a_hundred(&planted, seed), false, "hidden", &settings).expect(path);
    let script = hidden.script;
    let played = import::play_script(&script, &settings).expect(path);
    let Some(keeps) = Keeps::of(&played, Some(wanted)) else {
        return Some(format!("`{wanted}` is not shown among the others"));
    };
    let tries = (0..TRIES).map(|_| {
        let began = Instant::now();
        (import::shrunk(&script, &keeps, &settings), began.elapsed())
    });
    let mut took = Duration::MAX;
    let Some((small, _)) = tries
        .inspect(|(_, time)| took = took.min(*time))
        .find(|(_, time)| *time <= LIMIT)
    else {
        return Some(format!("it took {took:?}"));
    };
    if small.turns.len() > 3 {
        return Some(format!(
            "{} turns are left\n{}",
            small.turns.len(),
            small.to_toml()
        ));
    }
    let whole = shown(&played);
    let shows = |script: &Script| {
        let played = import::play_script(script, &settings);
        played.is_ok_and(|played| {
            Keeps::of(&played, rule(&keeps)).is_some() && shown(&played).is_subset(&whole)
        })
    };
    if !shows(&small) {
        return Some(format!("the finding is lost\n{}", small.to_toml()));
    }
    if let Some((what, _)) = without_one(&small).iter().find(|(_, smaller)| shows(smaller)) {
        return Some(format!("{what} is not needed\n{}", small.to_toml()));
    }
    let again = import::shrunk(&small, &keeps, &settings);
    if again.to_toml() != small.to_toml() {
        return Some(format!("it can go on\n{}", again.to_toml()));
    }
    None
}

#[test]
fn any_slip_among_a_hundred_random_exchanges_is_cut_down_to_three_at_most() {
    let half = HIDDEN.len().div_ceil(2);
    let problems: Vec<String> = thread::scope(|scope| {
        let of = |part: &'static [(Slip, &str)]| {
            let problem = |(slip, path): &(Slip, &str)| {
                cut_down(path, *slip as u64 + 1).map(|problem| format!("{}: {problem}", slip.name()))
            };
            part.iter().filter_map(problem).collect::<Vec<_>>()
        };
        let threads: Vec<_> = HIDDEN
            .chunks(half)
            .map(|part| scope.spawn(move || of(part)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// The same capture gives the same bytes.
#[test]
fn the_same_is_cut_down_to_the_same_bytes() {
    let settings = Settings::default();
    let bytes = || {
        let planted = random::of_suite("carry/23_token_truncated.toml").recording;
        let imported =
            import::import(&among_a_hundred(&planted, 5), false, "same", &settings).expect("a scenario");
        let played = import::play_script(&imported.script, &settings).expect("a play");
        let keeps = Keeps::of(&played, None).expect("a finding");
        import::shrunk(&imported.script, &keeps, &settings).to_toml()
    };
    assert_eq!(bytes(), bytes());
}
