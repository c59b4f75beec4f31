//! The presets of the played client against the real clients that they imitate, program by program: what the real one
//! sent stands in `docs/clients.csv`, which CI writes from the wire.

use std::collections::BTreeMap;
use std::path::Path;

use holdover_agent::{Include, Preset};
use holdover_runner::conformance::{Program, carried, catalogue};
use holdover_runner::play;
use holdover_runner::settings::Settings;

/// Preset, and the clients that it stands for.
const PRESETS: [(Preset, [&str; 2]); 2] = [
    (Preset::Plain, ["openai-python", "openai-node"]),
    (Preset::AgentsSdk, ["openai-agents-0.23", "openai-agents-0.24"]),
];

/// Programs in which the real client does another thing, each with the reason.
const DIFFERENT: [(&str, &str); 3] = [
    (
        "store-false-alone",
        "the real client ends with the refusal, the played one goes on",
    ),
    ("new-conversation", "the played client has one conversation"),
    (
        "previous-response-id-tools",
        "without a first anchor the SDK replays within its run, and chains from run to run",
    ),
];

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

fn played(preset: Preset, program: &Program) -> String {
    let mut setup = program.case(&Settings::default()).setup;
    setup.agent.preset = preset;
    // The real client asks for encrypted content only where the program says so.
    if !program.text.contains("\ninclude ") {
        setup.agent.include_encrypted = Include::Nothing;
    }
    let played = play::play(&setup).expect("no pattern is configured");
    carried::carried(&played.recording).join(" / ")
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
                let is_same = played(preset, program) == *real;
                let is_excused = DIFFERENT.iter().any(|(id, _)| *id == program.id);
                if !is_same && !is_excused {
                    problems.push(format!(
                        "{client}, {}:\n  real   {real}\n  played {}",
                        program.id,
                        played(preset, program)
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
fn every_excuse_is_needed() {
    let sent = sent();
    for (id, reason) in DIFFERENT {
        let program = catalogue::find(id).unwrap();
        let differs = PRESETS.iter().any(|(preset, clients)| {
            clients.iter().any(|client| {
                sent.get(&((*client).to_owned(), id.to_owned()))
                    .is_some_and(|real| *real != played(*preset, program))
            })
        });
        assert!(differs, "{id}: {reason}");
    }
}
