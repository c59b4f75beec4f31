//! A recording in the form of another tool is judged as the recording is, and so is a redacted one.

use holdover_capture::{Captured, Kind, Redacting, Text, export};
use holdover_judge::Verdict;
use holdover_runner::capture;
use holdover_runner::lower::{Case, lower};
use holdover_runner::play;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{expand, parse, suites};
use holdover_wire::recording::{End, Transport};
use holdover_wire::{Recording, Wire};

mod random;

/// The cases of every suite, twins among them.
fn cases() -> Vec<Case> {
    let settings = Settings::default();
    let vocabulary = vocabulary(&settings);
    let mut cases = Vec::new();
    for file in suites::all() {
        let scenario = parse(file.path, file.text, &vocabulary).expect(file.path);
        for case in expand(&scenario) {
            cases.extend(lower(&case, &settings).expect("known names"));
        }
    }
    cases
}

fn recordings() -> Vec<(String, Recording)> {
    let played = cases().into_iter().map(|case| {
        let played = play::play(&case.setup).expect("patterns");
        let name = if case.twin {
            format!("{}.twin", case.name)
        } else {
            case.name
        };
        (name, played.recording)
    });
    played.collect()
}

fn judge(recording: &Recording, lossy: bool) -> Verdict {
    capture::verdict(recording, lossy, &Settings::default()).expect("no patterns")
}

/// What a verdict says, without the ids that a redacted recording has others of.
fn said(verdict: &Verdict) -> Vec<String> {
    let mut said: Vec<String> = verdict
        .findings
        .iter()
        .map(|finding| {
            format!(
                "{} {:?} {:?} {:?} {:?} {:?}",
                finding.rule,
                finding.severity,
                finding.exchange,
                finding.lineage,
                finding.pointer,
                finding.also
            )
        })
        .collect();
    said.extend(
        verdict
            .inconclusive
            .iter()
            .map(|open| format!("open: {} {:?}", open.what, open.exchange)),
    );
    said.push(format!("{:?} {:?}", verdict.outcome, verdict.coverage));
    said
}

/// The only session of a capture.
fn read(kind: Kind, recording: &Recording, text: Option<Text>) -> (Recording, bool) {
    let mut captured = Captured::default();
    {
        let mut redacting;
        let sink: &mut dyn holdover_capture::Sink = match text {
            Some(text) => {
                redacting = Redacting::new(&mut captured, text);
                &mut redacting
            }
            None => &mut captured,
        };
        if let Some(bytes) = export::file(kind, recording) {
            holdover_capture::file(bytes.as_slice(), sink).expect("a capture");
        } else {
            let mut folder = holdover_capture::folder(sink);
            for (name, bytes) in export::folder(recording) {
                folder.take(&name, &bytes);
            }
            assert!(folder.finish());
        }
    }
    let session = &recording.header.session;
    assert_eq!(
        captured.sessions.len(),
        1,
        "{session} as {kind:?}: {:?}",
        captured.other
    );
    assert_eq!(captured.unread, vec![], "{session} as {kind:?}");
    let mut session = captured.sessions.remove(0);
    // Whoever judges a capture says which profile its server has.
    session
        .recording
        .header
        .profile
        .clone_from(&recording.header.profile);
    (session.recording, !session.lossy.is_empty())
}

/// Whether a recording came over a WebSocket, whose memory holds responses that are not stored. Only our own form says so.
fn is_of_a_socket(recording: &Recording) -> bool {
    let mut calls = recording.exchanges.iter();
    calls.any(|exchange| exchange.transport == Transport::Ws)
}

/// Whether a recording holds calls of another wire than the Responses API: readers of foreign files say of them what they
/// are, and do not take them.
fn is_of_another_wire(recording: &Recording) -> bool {
    let mut calls = recording.exchanges.iter();
    calls.any(|exchange| {
        Wire::of_path(exchange.request.path_only()).is_some_and(|wire| wire != Wire::Responses)
    })
}

/// Whether a kind has a place for everything that the judge looks at in this recording.
fn can_hold(kind: Kind, recording: &Recording) -> bool {
    let calls = recording.exchanges.iter();
    match kind {
        Kind::Pairs | Kind::Har | Kind::Flows | Kind::Folder
            if is_of_a_socket(recording) || is_of_another_wire(recording) =>
        {
            false
        }
        Kind::Recording | Kind::Pairs => true,
        // How a connection ended is not in the file, nor what was no JSON.
        Kind::Har | Kind::Flows => calls.clone().all(|exchange| {
            exchange.response.as_ref().is_some_and(|response| {
                let is_read = response.body.is_some() || response.events.is_some() || response.status >= 400;
                response.status > 0 && is_read && (response.end == End::Complete || response.events.is_some())
            })
        }),
        // A folder holds bodies: no paths, no status, no headers.
        Kind::Folder => calls.clone().all(|exchange| {
            let response = exchange.response.as_ref();
            exchange.request.path == "/v1/responses"
                && exchange.request.method == "POST"
                // Without its mark a retry reads as one more turn.
                && exchange.request.header("x-stainless-retry-count").is_none()
                && response.is_some_and(|response| {
                    (response.status == 200 || response.status == 400)
                        && response.end == End::Complete
                        && response
                            .terminal()
                            .is_some_and(|terminal| terminal.object().contains_key("output"))
                })
        }),
        Kind::Sse | Kind::Rollout | Kind::PythonLog | Kind::NodeLog | Kind::Otlp => false,
    }
}

#[test]
fn a_capture_in_any_form_that_can_hold_it_is_judged_as_the_recording_is() {
    let mut judged = std::collections::BTreeMap::new();
    for (name, recording) in recordings() {
        let raw = said(&judge(&recording, false));
        for kind in Kind::ALL.into_iter().filter(|kind| can_hold(*kind, &recording)) {
            let (again, lossy) = read(kind, &recording, None);
            assert_eq!(said(&judge(&again, lossy)), raw, "{name} as {kind:?}");
            *judged.entry(kind.as_str()).or_insert(0) += 1;
        }
    }
    assert!(
        judged.len() == 5 && judged.values().all(|count| *count > 50),
        "{judged:?}"
    );
}

#[test]
fn a_redacted_recording_is_judged_as_the_raw_one_is() {
    for (name, recording) in recordings() {
        let raw = said(&judge(&recording, false));
        for text in [Text::Replaced, Text::Kept] {
            let (redacted, lossy) = read(Kind::Recording, &recording, Some(text));
            assert_eq!(said(&judge(&redacted, lossy)), raw, "{name}, {text:?}");
        }
    }
}

/// Absence proves nothing in a form that leaves things out, so nothing that rests on it may be found there.
#[test]
fn a_form_that_leaves_things_out_finds_nothing_that_is_not_there() {
    let told = recordings()
        .into_iter()
        .filter(|(_, recording)| !is_of_a_socket(recording));
    for (name, recording) in told {
        let raw = judge(&recording, false);
        for kind in [Kind::Sse, Kind::PythonLog, Kind::NodeLog, Kind::Otlp] {
            let mut captured = Captured::default();
            let bytes = export::file(kind, &recording).expect("a file");
            if holdover_capture::file(bytes.as_slice(), &mut captured).is_err() {
                continue;
            }
            for session in &captured.sessions {
                let found = judge(&session.recording, !session.lossy.is_empty()).findings;
                for finding in found
                    .iter()
                    .filter(|finding| finding.severity > holdover_judge::Severity::Note)
                {
                    let known = raw.findings.iter().any(|known| {
                        known.rule == finding.rule || known.also.iter().any(|also| also == finding.rule)
                    });
                    assert!(
                        known,
                        "{name} as {kind:?}: {} in exchange {:?}",
                        finding.rule, finding.exchange
                    );
                }
            }
        }
    }
}

/// How many random sessions are played; some seeds contradict themselves.
const SESSIONS: u64 = 250;

/// A session of chance, cut by chance: it may begin late, end early, or lack a response.
fn cut(recording: &Recording, chance: &mut random::chance::Chance) -> Recording {
    let mut cut = recording.clone();
    let exchanges = &mut cut.exchanges;
    for _ in 0..=chance.below(2) {
        match chance.below(4) {
            0 => drop(exchanges.drain(..chance.below(exchanges.len()))),
            1 => exchanges.truncate(1 + chance.below(exchanges.len())),
            2 => {
                let at = chance.below(exchanges.len());
                exchanges[at].response = None;
            }
            _ if exchanges.len() > 1 => drop(exchanges.remove(chance.below(exchanges.len()))),
            _ => {}
        }
    }
    for (number, exchange) in (1..).zip(exchanges.iter_mut()) {
        exchange.exchange = number;
    }
    cut
}

#[test]
fn a_random_session_whole_or_cut_is_judged_alike_in_every_form_and_redacted() {
    let (mut played, mut found, mut compared) = (0, 0, 0);
    for seed in 0..SESSIONS {
        let Some((scenario, session)) = random::session(seed) else {
            continue;
        };
        played += 1;
        let whole = session.recording;
        let cut = cut(&whole, &mut random::chance::Chance::new(seed));
        for recording in [&whole, &cut] {
            // What began before, or lacks a response, is open in every form: our own says so as well.
            let (own, lossy) = read(Kind::Recording, recording, None);
            let raw = said(&judge(&own, lossy));
            found += usize::from(raw.len() > 1);
            for text in [Text::Replaced, Text::Kept] {
                let (redacted, lossy) = read(Kind::Recording, recording, Some(text));
                assert_eq!(
                    said(&judge(&redacted, lossy)),
                    raw,
                    "seed {seed}, {text:?}\n{scenario}"
                );
            }
            for kind in Kind::ALL.into_iter().filter(|kind| can_hold(*kind, recording)) {
                let (again, lossy) = read(kind, recording, None);
                assert_eq!(
                    said(&judge(&again, lossy)),
                    raw,
                    "seed {seed} as {kind:?}\n{scenario}"
                );
                compared += 1;
            }
        }
    }
    assert!(
        played > 100 && found > 100 && compared > 500,
        "{played} played, {found} with a finding, {compared} compared"
    );
}
