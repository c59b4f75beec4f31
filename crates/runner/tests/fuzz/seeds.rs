//! Whole captures to begin with: recordings of the suites in the form of every tool.

use holdover_capture::{Kind, export};
use holdover_runner::lower::lower;
use holdover_runner::play;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{expand, parse, suites};
use holdover_wire::Recording;

use super::Input;

/// Documents and streams, tools, refusals, cuts, sockets, stored state: what the readers have branches for.
const SCENARIOS: [&str; 10] = [
    "carry/01_l1_text_only_append.toml",
    "carry/21_unknown_item_dropped.toml",
    "carry/23_token_truncated.toml",
    "carry/28_double_send.toml",
    "carry/51_right_tool_loop.toml",
    "carry/53_right_parallel_calls.toml",
    "faults/02_rate_limit.toml",
    "faults/32_cut.toml",
    "faults/55_incomplete.toml",
    "faults/67_ws_close.toml",
];

/// The captures of a kind.
pub(crate) fn of(kind: Kind) -> Vec<Input> {
    SCENARIOS
        .iter()
        .map(|path| of_recording(kind, &recording(path)))
        .filter(|input| !input.is_empty())
        .collect()
}

fn of_recording(kind: Kind, recording: &Recording) -> Input {
    match export::file(kind, recording) {
        Some(bytes) if bytes.is_empty() => Vec::new(),
        Some(bytes) => vec![(String::new(), bytes)],
        None => export::folder(recording),
    }
}

fn recording(path: &str) -> Recording {
    let settings = Settings::default();
    let file = suites::all()
        .into_iter()
        .find(|file| file.path == path)
        .expect(path);
    let scenario = parse(file.path, file.text, &vocabulary(&settings)).expect(path);
    let case = lower(&expand(&scenario).remove(0), &settings)
        .expect("names")
        .remove(0);
    play::play(&case.setup).expect("patterns").recording
}
