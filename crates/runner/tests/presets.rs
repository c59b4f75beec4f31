//! The presets of the played client against the real clients that they imitate, program by program: what the real one
//! sent stands in `docs/clients.csv`, which CI writes from the wire.

use std::collections::BTreeMap;
use std::path::Path;

use holdover_agent::{Include, Preset};
use holdover_runner::conformance::{Program, Special, carried, catalogue};
use holdover_runner::play;
use holdover_runner::settings::Settings;

/// Preset, and the clients that it stands for.
const PRESETS: [(Preset, [&str; 2]); 2] = [
    (Preset::Plain, ["openai-python", "openai-node"]),
    (Preset::AgentsSdk, ["openai-agents-0.23", "openai-agents-0.24"]),
];

/// The program in which the real client does what the played one cannot, with the reason.
const DIFFERENT: (Preset, &str, &str) = (
    Preset::AgentsSdk,
    "previous-response-id-tools",
    "without a first anchor the SDK replays within its run, and chains from run to run",
);

/// The program whose second request is refused: the real client ends there, and the played one tells how it goes on.
const ENDS_REFUSED: &str = "store-false-alone";

/// What each client sent in each program, request by request.
fn sent() -> BTreeMap<(String, String), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients.csv");
    let mut reader = csv::Reader::from_path(path).expect("docs/clients.csv");
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        ((row[0].to_owned(), row[2].to_owned()), row[4].to_owned())
    });
    rows.collect()
}

/// What the played client sends: each conversation of the program in a session of its own.
fn played(preset: Preset, program: &Program) -> Vec<String> {
    let case = program.case(&Settings::default());
    let first = match program.special {
        Special::ResetBefore(turn) => turn as usize - 1,
        Special::None | Special::Schema | Special::DebugLog | Special::Handoff => usize::MAX,
    };
    let mut setup = case.setup;
    setup.agent.preset = preset;
    // The real client asks for encrypted content only where the program says so.
    if !program.text.contains("\ninclude ") {
        setup.agent.include_encrypted = Include::Nothing;
    }
    let (turns, script) = (setup.turns.clone(), setup.script.clone());
    let (turns, script) = (
        turns.split_at(first.min(turns.len())),
        script.split_at(first.min(script.len())),
    );
    let mut sent = Vec::new();
    for (turns, script) in [(turns.0, script.0), (turns.1, script.1)] {
        setup.turns = turns.to_vec();
        setup.script = script.to_vec();
        let played = play::play(&setup).expect("no pattern is configured");
        sent.extend(carried::carried(&played.recording));
    }
    sent
}

/// Whether the played client sends what the real one sent.
fn is_same(preset: Preset, program: &Program, real: &str) -> bool {
    let real: Vec<&str> = real.split(" / ").collect();
    let mut played = played(preset, program);
    if program.id == ENDS_REFUSED {
        assert!(real.len() > 1, "the real client was not refused");
        played.truncate(real.len());
    }
    played == real
}

#[test]
fn every_preset_sends_what_its_real_client_sends() {
    let sent = sent();
    let mut compared = 0;
    let mut problems = Vec::new();
    for (preset, clients) in PRESETS {
        for program in catalogue::PROGRAMS {
            for client in clients {
                let Some(real) = sent.get(&(client.to_owned(), program.id.to_owned())) else {
                    continue;
                };
                compared += 1;
                let is_excused = (preset, program.id) == (DIFFERENT.0, DIFFERENT.1);
                if !is_same(preset, program, real) && !is_excused {
                    problems.push(format!(
                        "{client}, {}:\n  real   {real}\n  played {}",
                        program.id,
                        played(preset, program).join(" / ")
                    ));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(compared >= 80, "only {compared} programs were compared");
}

/// An excuse that no client needs is a mistake.
#[test]
fn the_excuse_is_needed() {
    let sent = sent();
    let (preset, id, reason) = DIFFERENT;
    let program = catalogue::find(id).unwrap();
    let differs = |client: &&str| {
        let real = sent.get(&((*client).to_owned(), id.to_owned()));
        real.is_some_and(|real| !is_same(preset, program, real))
    };
    let (_, clients) = PRESETS.iter().find(|(known, _)| *known == preset).unwrap();
    assert!(clients.iter().all(differs), "{id}: {reason}");
}
