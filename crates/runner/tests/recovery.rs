//! What the right client makes of every fault of the suite: its final history is that of the run without the fault, but
//! for ids and tokens, or it says clearly why not. What must come of each fault is declared here, by hand.

use std::collections::BTreeMap;

use holdover_agent::TurnStatus;
use holdover_runner::lower::{self, Setup};
use holdover_runner::play::{self, Played};
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{expand, parse, suites};
use holdover_wire::recording::ResponseRecord;
use holdover_wire::response::ResponseView;
use holdover_wire::{CreateRequest, Exchange, Object, Recording};
use serde_json::Value;

/// What the right client makes of a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    /// The final history is that of the run without the fault.
    Same,
    /// The refused history was repaired: these lines of the run without the fault are missing, and nothing else.
    Without(&'static [usize]),
    /// The second turn ended with this status and a message; its answer is missing, and nothing else.
    Stopped(u16),
    /// From the second turn on every one ended with this status and a message; nothing after the first answer came.
    StoppedForGood(u16),
    /// The history is that of a client that never compacted.
    Uncompacted,
    /// The service said these lines otherwise; the client has them as they came.
    Otherwise(&'static [usize]),
    /// The service said this line besides.
    Besides(usize),
}

/// By the names of the faults of a scenario.
fn declared(case: &Case) -> Ending {
    match case.faults.as_str() {
        // It strikes a turn later, so that two tokens cannot be read.
        "key-changed" if case.file.ends_with("19_repair_misses.toml") => Ending::Without(&[1, 4]),
        "quota" => Ending::Stopped(429),
        "should-retry" => Ending::Stopped(500),
        "too-large" => Ending::Stopped(413),
        "context-length" => Ending::Stopped(400),
        "key-rotated" => Ending::StoppedForGood(401),
        "model-gone" => Ending::StoppedForGood(404),
        // The reasoning of the first turn cannot be read any more.
        "verify-fail"
        | "verify-fail+error-renamed"
        | "key-changed"
        | "account-changed"
        | "region-changed"
        | "model-changed" => Ending::Without(&[1]),
        // That of the second turn never had a token, and nothing is stored.
        "token-absent" | "token-empty" | "token-null" => Ending::Without(&[4]),
        // Reasoning that led to nothing is kept by nobody.
        "reasoning-only" | "reasoning-only-incomplete" => Ending::Without(&[4, 5]),
        "summary-empty" | "summary-two-parts" => Ending::Otherwise(&[4]),
        "item-unknown" => Ending::Besides(5),
        "compaction-undecodable" => Ending::Uncompacted,
        _ => Ending::Same,
    }
}

/// A scenario of the suite that a right client plays.
struct Case {
    file: &'static str,
    faults: String,
    setup: Setup,
}

fn cases() -> Vec<Case> {
    let settings = Settings::default();
    let mut cases = Vec::new();
    for file in suites::find("faults").expect("the suite") {
        let scenario = parse(file.path, file.text, &vocabulary(&settings)).expect("a scenario");
        for case in expand(&scenario) {
            for case in lower::lower(&case, &settings).expect("a profile") {
                let faults: Vec<&str> = case.setup.faults.iter().map(|fault| fault.card().name).collect();
                cases.push(Case {
                    file: file.path,
                    faults: faults.join("+"),
                    setup: case.setup,
                });
            }
        }
    }
    cases.retain(|case| case.setup.agent.slips.is_empty());
    cases
}

fn played(setup: &Setup) -> Played {
    play::play(setup).expect("no pattern is configured")
}

/// What the model would have before it in the next turn: the input of the last request, what the server adds by its
/// anchor, and the last answer. A line an item, without ids and tokens.
fn history(recording: &Recording) -> Vec<String> {
    let mut by_anchor: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut last = Vec::new();
    for exchange in &recording.exchanges {
        let Some(body) = create(exchange) else { continue };
        let request = CreateRequest::new(body);
        let anchors = [request.previous_response_id(), request.conversation()];
        let anchor = anchors.into_iter().flatten().next();
        let mut lines = anchor
            .and_then(|id| by_anchor.get(id).cloned())
            .unwrap_or_default();
        lines.extend(request.items().map(|(_, item)| line(item.object())));
        if let Some(answer) = exchange.response.as_ref().and_then(good_answer) {
            lines.extend(answer.output().map(|(_, item)| line(item.object())));
            let kept = [answer.id(), request.conversation()];
            for id in kept.into_iter().flatten() {
                by_anchor.insert(id.to_owned(), lines.clone());
            }
        }
        last = lines;
    }
    last
}

fn create(exchange: &Exchange) -> Option<&Object> {
    let is_create = exchange.request.path == "/v1/responses" && exchange.request.method == "POST";
    exchange.request.body.as_object().filter(|_| is_create)
}

fn good_answer(response: &ResponseRecord) -> Option<ResponseView<'_>> {
    response
        .terminal()
        .filter(|answer| matches!(answer.status(), Some("completed" | "incomplete")))
}

/// An item without what differs from attempt to attempt. That a token is there counts.
fn line(item: &Object) -> String {
    let mut item = item.clone();
    item.shift_remove("id");
    item.shift_remove("status");
    if let Some(token) = item.get_mut("encrypted_content") {
        *token = Value::from(token.as_str().is_some_and(|token| !token.is_empty()));
    }
    let sorted: BTreeMap<_, _> = item.into_iter().collect();
    serde_json::to_string(&sorted).expect("JSON")
}

/// Text and summary say how much reasoning arrived; after a repair that is less.
fn uncounted(lines: &[String]) -> Vec<String> {
    let mask = |line: &String| {
        ["priorProtected=", "I carry "]
            .iter()
            .fold(line.clone(), masked_after)
    };
    lines.iter().map(mask).collect()
}

fn masked_after(line: String, mark: &&str) -> String {
    match line.split_once(mark) {
        Some((before, after)) => {
            format!(
                "{before}{mark}{}",
                after.trim_start_matches(|c: char| c.is_ascii_digit())
            )
        }
        None => line,
    }
}

fn without(lines: &[String], missing: &[usize]) -> Vec<String> {
    let kept = lines
        .iter()
        .enumerate()
        .filter(|(index, _)| !missing.contains(index));
    kept.map(|(_, line)| line.clone()).collect()
}

/// Status and message of each turn that did not end well.
fn errors(played: &Played) -> Vec<(usize, u16, TurnStatus)> {
    let mut errors = Vec::new();
    for (number, turn) in (1..).zip(&played.turns) {
        let is_good = matches!(turn.result.status, TurnStatus::Completed | TurnStatus::Incomplete);
        if let Some(refusal) = turn.result.refusal.as_ref().filter(|_| !is_good) {
            assert!(
                !refusal.message.is_empty(),
                "turn {number} ended without a message"
            );
            errors.push((number, refusal.status, turn.result.status));
        }
        assert!(
            is_good || turn.result.refusal.is_some(),
            "turn {number} ended without an error"
        );
    }
    errors
}

fn refused(turns: impl IntoIterator<Item = usize>, status: u16) -> Vec<(usize, u16, TurnStatus)> {
    let turns = turns.into_iter();
    turns.map(|turn| (turn, status, TurnStatus::Refused)).collect()
}

/// What is wrong with the way in which a case ended; `None` when it is as declared.
fn complaint(case: &Case) -> Option<String> {
    let faulty = played(&case.setup);
    let mut free = Setup {
        faults: Vec::new(),
        ..case.setup.clone()
    };
    let declared = declared(case);
    if declared == Ending::Uncompacted {
        free.agent.compact_before = None;
    }
    let (carried, free) = (history(&faulty.recording), history(&played(&free).recording));
    let (expected, errors_expected) = match declared {
        Ending::Same | Ending::Uncompacted => (free, Vec::new()),
        Ending::Without(missing) => (without(&free, missing), Vec::new()),
        // The user's message stays: it was said.
        Ending::Stopped(status) => (without(&free, &[4, 5]), refused([2], status)),
        Ending::StoppedForGood(status) => (without(&free, &[4, 5, 7, 8, 10, 11]), refused(2..=4, status)),
        Ending::Otherwise(lines) => {
            let changed = lines.iter().all(|line| carried.get(*line) != free.get(*line));
            assert!(changed, "{} changed nothing", case.file);
            return differs(&without(&carried, lines), &without(&free, lines), case);
        }
        Ending::Besides(line) => {
            assert!(!free.contains(&carried[line]), "{} added nothing", case.file);
            return differs(&without(&carried, &[line]), &free, case);
        }
    };
    let errors = errors(&faulty);
    if errors != errors_expected {
        return Some(format!("{}: the turns ended with {errors:?}", case.file));
    }
    if matches!(declared, Ending::Same) {
        return (carried != expected).then(|| format!("{}:\n{carried:#?}\nis not\n{expected:#?}", case.file));
    }
    differs(&carried, &expected, case)
}

fn differs(carried: &[String], expected: &[String], case: &Case) -> Option<String> {
    let (carried, expected) = (uncounted(carried), uncounted(expected));
    (carried != expected).then(|| format!("{}:\n{carried:#?}\nis not\n{expected:#?}", case.file))
}

#[test]
fn the_right_client_recovers_or_says_why_not() {
    let cases = cases();
    // A scenario for each fault of the catalogue, and the twins of those with a slip.
    assert!(
        cases.len() > holdover_fault::catalogue::all().len(),
        "{} cases",
        cases.len()
    );
    let complaints: Vec<String> = cases.iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn two_turns_come_after_every_fault() {
    for case in cases() {
        let recording = played(&case.setup).recording;
        let faults = |exchange: &Exchange| {
            let headers = exchange.response.as_ref().map(|response| &response.headers);
            headers.is_some_and(|headers| headers.contains_key("x-holdover-fault"))
        };
        let first = recording.exchanges.iter().position(faults);
        let after = first.map(|first| recording.exchanges.len() - first - 1);
        // A close of a WebSocket never reaches the client that is played.
        let is_reached = case.faults != "ws-close";
        assert_eq!(first.is_some(), is_reached, "{}", case.file);
        assert!(after.is_none_or(|after| after >= 2), "{}: {after:?}", case.file);
    }
}
