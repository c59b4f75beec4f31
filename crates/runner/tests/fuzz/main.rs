//! Damaged captures of every kind, as many as there is time for: a reader may refuse them, and never panics or hangs.
//!
//! No coverage guides it, as it would in `cargo fuzz`, which needs a nightly compiler. What guides it is what the
//! reader says: an input that makes it say something new is damaged further. `HOLDOVER_FUZZ_SECONDS` is the time of
//! each kind, `HOLDOVER_FUZZ_SEED` where its chance begins; the same seed takes the same way. What was found once lies
//! in `corpus`, and is read first, every time.

#[path = "../random/chance.rs"]
mod chance;
mod damage;
mod seeds;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use holdover_capture::script::script_of;
use holdover_capture::{Captured, Kind, Redacting, Text};
use holdover_runner::capture;
use holdover_runner::settings::Settings;
use holdover_wire::Exchange;

use chance::Chance;

/// Inputs of a kind when nobody names a time.
const INPUTS: usize = 150;
/// Larger inputs say nothing that smaller ones do not.
const BYTES_MAX: usize = 200_000;
/// Inputs that are damaged further.
const POOL_MAX: usize = 400;
/// No input of that size takes longer, even on a busy machine.
const TOO_LONG: Duration = Duration::from_secs(20);

/// A file, or the files of a folder.
type Input = Vec<(String, Vec<u8>)>;

/// Reads an input as the commands do: redacted, judged, and made a scenario of. What it says, without numbers.
fn read(input: &Input, settings: &Settings) -> String {
    let mut captured = Captured::default();
    let mut said = String::new();
    {
        let mut redacting = Redacting::new(&mut captured, Text::Replaced);
        if let [(name, bytes)] = input.as_slice()
            && name.is_empty()
        {
            let kind = holdover_capture::file(bytes.as_slice(), &mut redacting);
            let _ = write!(said, "{kind:?} ");
        } else {
            let mut folder = holdover_capture::folder(&mut redacting);
            for (name, bytes) in input {
                folder.take(name, bytes);
            }
            let _ = write!(said, "{} ", folder.finish());
        }
    }
    let reasons: BTreeSet<&str> = captured
        .unread
        .iter()
        .map(|unread| unread.reason.as_str())
        .collect();
    let others: Vec<&String> = captured.other.keys().collect();
    let _ = write!(said, "{reasons:?} {others:?} {} ", captured.sessions.len());
    for session in &captured.sessions {
        for exchange in &session.recording.exchanges {
            let _ = write!(said, "{} ", outline(exchange));
        }
        let verdict = capture::verdict(&session.recording, !session.lossy.is_empty(), settings)
            .expect("no pattern is configured");
        let rules: BTreeSet<&str> = verdict.findings.iter().map(|finding| finding.rule).collect();
        let _ = write!(said, "{rules:?} {:?} ", session.lossy);
        script_of(&session.recording, "fuzz", &|_| true).0.to_toml();
    }
    said.retain(|c| !c.is_ascii_digit());
    said
}

/// What of an exchange tells one way of reading from another.
fn outline(exchange: &Exchange) -> String {
    let size = |count: usize| "I".repeat(count.min(3));
    let Some(response) = &exchange.response else {
        return "-".to_owned();
    };
    format!(
        "{:?} {:?} {} {} {}",
        exchange.transport,
        response.end,
        response.body.is_some(),
        size(response.events.as_ref().map_or(0, Vec::len)),
        size(response.terminal().map_or(0, |terminal| terminal.object().len()))
    )
}

/// Reads it; a panic or a long time is a finding, and the input is kept.
fn attempt(kind: &str, input: &Input, settings: &Settings) -> Result<String, String> {
    let began = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| read(input, settings)));
    let problem = match result {
        Err(_) => "a panic",
        Ok(_) if began.elapsed() > TOO_LONG => "it takes too long",
        Ok(said) => return Ok(said),
    };
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{kind}"));
    for (name, bytes) in input {
        let file = if name.is_empty() {
            file.clone()
        } else {
            file.join(name.replace('/', "_"))
        };
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, bytes).expect("written");
    }
    Err(format!(
        "{problem}; the input is in `{}`: move it to `crates/runner/tests/fuzz/corpus/{kind}/` when it is mended",
        file.display()
    ))
}

fn number(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("`{name}` is no number")))
}

/// What was found once: files, and folders where a capture is a folder.
fn corpus(kind: &str) -> Vec<Input> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/corpus")
        .join(kind);
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        paths
    };
    let read = |path: &PathBuf| fs::read(path).expect("a file");
    let input = |path: PathBuf| {
        if path.is_file() {
            return vec![(String::new(), read(&path))];
        }
        let named = |path: PathBuf| {
            (
                path.file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                read(&path),
            )
        };
        entries(&path).into_iter().map(named).collect()
    };
    entries(&folder).into_iter().map(input).collect()
}

fn fuzz(kind: Kind, name: &str) {
    let settings = Settings::default();
    let seed = number("HOLDOVER_FUZZ_SEED").unwrap_or(1);
    let time = number("HOLDOVER_FUZZ_SECONDS").map(Duration::from_secs);
    let again = format!("HOLDOVER_FUZZ_SEED={seed} cargo test -p holdover-runner --test fuzz {name}");
    let mut said = BTreeSet::new();
    let mut pool = corpus(name);
    pool.extend(seeds::of(kind));
    for input in &pool {
        said.insert(attempt(name, input, &settings).unwrap_or_else(|problem| panic!("{problem}")));
    }
    let whole = pool.len();
    let mut chance = Chance::new(seed);
    let began = Instant::now();
    let mut count = 0;
    while time.map_or(count < INPUTS, |time| began.elapsed() < time) {
        let mut input = pool[chance.below(pool.len())].clone();
        let other = pool[chance.below(whole)].clone();
        damage::damage(&mut input, &other, &mut chance);
        for (_, bytes) in &mut input {
            bytes.truncate(BYTES_MAX);
        }
        count += 1;
        let new = attempt(name, &input, &settings)
            .unwrap_or_else(|problem| panic!("input {count}: {problem}\nagain: {again}"));
        if said.insert(new) && pool.len() < POOL_MAX {
            pool.push(input);
        }
    }
    // A reader that says the same to everything was not reached.
    assert!(said.len() > 3, "{said:?}");
}

macro_rules! targets {
    ($($name:ident = $kind:ident, $folder:literal;)*) => {
        $(#[test]
        fn $name() {
            fuzz(Kind::$kind, $folder);
        })*

        /// Every kind has its target.
        #[test]
        fn no_kind_is_left_out() {
            let targets = [$(Kind::$kind),*];
            assert!(Kind::ALL.iter().all(|kind| targets.contains(kind)), "{targets:?}");
        }
    };
}

targets! {
    har = Har, "har";
    recording = Recording, "recording";
    pairs = Pairs, "pairs";
    folder = Folder, "folder";
    sse = Sse, "sse";
    rollout = Rollout, "rollout";
    python_log = PythonLog, "python_log";
    node_log = NodeLog, "node_log";
    otlp = Otlp, "otlp";
    flows = Flows, "flows";
}
