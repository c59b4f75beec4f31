//! Captures become scenarios that show the same, and reading them never panics.

use holdover_capture::{Captured, Kind, Redacting, Text, export};
use holdover_runner::import;
use holdover_runner::lower::lower;
use holdover_runner::play;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{expand, parse, suites};
use holdover_wire::Recording;
use proptest::prelude::*;

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
}
