//! All programs. Their ids are promises: they are never reused.

use crate::conformance::program::{Level, Program, Special};

use Level::{Must, Should};

macro_rules! program {
    ($id:literal, $level:expr) => {
        program!($id, $level, Special::None)
    };
    ($id:literal, $level:expr, $special:expr) => {
        Program {
            id: $id,
            level: $level,
            special: $special,
            text: include_str!(concat!("../../programs/", $id, ".toml")),
        }
    };
}

/// Every program, in the order of the tables.
pub const PROGRAMS: &[Program] = &[
    program!("three-turns", Must),
    program!("three-turns-stream", Must),
    program!("tool-loop", Must),
    program!("tool-loop-stream", Must),
    program!("parallel-calls", Must),
    program!("parallel-calls-stream", Must),
    program!("two-reasoning-items", Must),
    program!("two-reasoning-items-stream", Must),
    program!("two-summary-parts", Must),
    program!("two-summary-parts-stream", Must),
    program!("commentary", Must),
    program!("commentary-stream", Must),
    program!("structured-output", Must, Special::Schema),
    program!("store-default", Must),
    program!("tool-loop-store-default", Must),
    program!("store-false-alone", Should),
    program!("previous-response-id", Must),
    program!("previous-response-id-tools", Must),
    program!("conversation", Must),
    program!("saved-and-resumed", Must),
    program!("saved-after-tools", Must),
    program!("new-conversation", Must, Special::ResetBefore(4)),
    program!("handoff", Should, Special::Handoff),
    program!("trimmed-history", Should),
    program!("omit-ids", Should),
    program!("unknown-model", Should),
    program!("debug-log", Should, Special::DebugLog),
];

/// The program of this id.
pub fn find(id: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use holdover_judge::Outcome;

    use super::*;
    use crate::play;
    use crate::settings::Settings;

    #[test]
    fn every_file_of_the_folder_is_a_program_and_has_its_id_as_name() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        let files = std::fs::read_dir(folder).unwrap();
        let files: BTreeSet<String> = files
            .map(|file| file.unwrap().file_name().to_string_lossy().replace(".toml", ""))
            .collect();
        let ids: BTreeSet<String> = PROGRAMS.iter().map(|program| program.id.to_owned()).collect();
        assert_eq!(files, ids);
        for program in PROGRAMS {
            assert_eq!(program.case(&Settings::default()).name, program.id);
        }
    }

    /// A client that carries everything passes: the one that Holdover plays itself. It asks for the encrypted content
    /// only where it is told to, which `store-false-alone` does not do.
    #[test]
    fn the_played_client_passes_every_program() {
        for program in PROGRAMS {
            let case = program.case(&Settings::default());
            let played = play::play(&case.setup).unwrap();
            assert_eq!(
                played.verdict.outcome,
                Outcome::Clean,
                "{}: {:?}",
                program.id,
                played.verdict
            );
            assert!(played.recording.exchanges.len() >= 2, "{}", program.id);
            assert!(played.verdict.coverage.reasoning_issued > 0, "{}", program.id);
        }
    }
}
