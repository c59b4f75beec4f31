//! No secret survives: planted in every field of every format, and looked for in everything that comes out.

use holdover_capture::script::script_of;
use holdover_capture::{Captured, Kind, Redacting, Sink as _, Text, diff, export};
use holdover_report::{Style, text};
use holdover_runner::import;
use holdover_runner::settings::Settings;
use holdover_wire::Recording;
use serde_json::{Value, json};

mod random;

/// What a capture may hold and no output may.
const SECRETS: [&str; 8] = [
    "sk-proj-Qw3rTy9Zx8Cv7Bn6Mm5",
    "anna.muster@secretcorp.example",
    "session=Zm9vYmFyMTIzNDU2Nzg5MA",
    "Bearer Xy12Zt34Wv56",
    "org-SecretTenant4711",
    "rs_tenantSecret_trace_0123456789abcdef",
    "gAAAAABsecretsecretSECRET0123456789secretsecretSECRET0123456789",
    "Geheimwort42",
];

/// In one run of so many, every field has its secrets; a field that says how the rest is read does not hide the others.
const RUNS: usize = 48;

/// The telling parts of a secret.
fn parts(secret: &str) -> Vec<&str> {
    let words = secret.split([' ', '@', '=', '-', '_', '.']);
    words
        .filter(|word| {
            word.len() >= 6 && !["session", "Bearer"].contains(word) && !word.starts_with("gAAAAA")
        })
        .collect()
}

fn recording_of(path: &str) -> Recording {
    random::of_suite(path).recording
}

/// A capture of one kind: a file, or the files of a folder.
fn captured(kind: Kind, recording: &Recording) -> Vec<(String, Vec<u8>)> {
    match export::file(kind, recording) {
        Some(bytes) => vec![(String::new(), bytes)],
        None => export::folder(recording),
    }
}

fn read(files: &[(String, Vec<u8>)], text: Text) -> Captured {
    let mut captured = Captured::default();
    let mut redacting = Redacting::new(&mut captured, text);
    match files {
        [(name, bytes)] if name.is_empty() => {
            let _ = holdover_capture::file(bytes.as_slice(), &mut redacting);
        }
        files => {
            let mut folder = holdover_capture::folder(&mut redacting);
            for (name, bytes) in files {
                folder.take(name, bytes);
            }
            folder.finish();
        }
    }
    captured
}

/// Everything that a command says or writes of a capture.
fn outputs(captured: &Captured) -> String {
    let settings = Settings::default();
    let mut outputs = format!("{:?} {:?}", captured.unread, captured.other);
    for session in &captured.sessions {
        let recording = &session.recording;
        outputs.push_str(&recording.header.session);
        outputs.push_str(&recording.to_lines());
        outputs.push_str(&session.lossy.join(" "));
        let verdict = holdover_runner::capture::verdict(recording, true, &settings).expect("no patterns");
        outputs.push_str(&text::verdict_json(&verdict));
        outputs.push_str(&text::verdict_markdown("capture", &verdict));
        outputs.push_str(&text::verdict_block(&verdict, Style::Plain));
        outputs.push_str(&text::short_lines("capture", &verdict));
        if let Ok(imported) = import::import(recording, true, "secret", &settings) {
            outputs.push_str(&imported.script.to_toml());
            outputs.push_str(&imported.notes.join(" "));
        }
    }
    outputs
}

fn assert_none(outputs: &str, secrets: &[&str], what: &str) {
    for secret in secrets {
        for part in parts(secret) {
            if let Some(at) = outputs.find(part) {
                let around: String = outputs[..at]
                    .chars()
                    .rev()
                    .take(120)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect();
                panic!("{what}: `{part}` of `{secret}` survives behind …{around}");
            }
        }
    }
}

/// Where a text of a capture ends: before a quote, whether it is escaped or not.
fn ends_of_texts(bytes: &[u8]) -> Vec<usize> {
    let is_quote = |at: usize| matches!(bytes.get(at), Some(b'"' | b'\''));
    let is_end = |at: &usize| {
        let in_text = at
            .checked_sub(1)
            .is_some_and(|before| bytes[before].is_ascii_alphanumeric());
        let escapes = bytes[*at..].iter().take_while(|byte| **byte == b'\\').count();
        in_text && is_quote(at + escapes)
    };
    (0..bytes.len()).filter(is_end).collect()
}

/// The capture with the secrets at every `RUNS`th end of a text, from the `run`th on.
fn planted(bytes: &[u8], run: usize, secrets: &str) -> Vec<u8> {
    let mut planted = Vec::with_capacity(bytes.len() * 2);
    let mut from = 0;
    for at in ends_of_texts(bytes).into_iter().skip(run).step_by(RUNS) {
        planted.extend_from_slice(&bytes[from..at]);
        planted.extend_from_slice(secrets.as_bytes());
        from = at;
    }
    planted.extend_from_slice(&bytes[from..]);
    planted
}

#[test]
fn no_secret_of_any_field_survives() {
    let secrets = format!(" {}", SECRETS.join(" "));
    let mut kinds = std::collections::BTreeSet::new();
    for path in [
        "carry/01_l1_text_only_append.toml",
        "carry/51_right_tool_loop.toml",
        "carry/02_l2_stream_text_only.toml",
        "faults/32_cut.toml",
    ] {
        let recording = recording_of(path);
        for kind in Kind::ALL {
            let files = captured(kind, &recording);
            let mut read_at_all = 0;
            for run in 0..RUNS {
                let plant = |(name, bytes): &(String, Vec<u8>)| (name.clone(), planted(bytes, run, &secrets));
                let files: Vec<_> = files.iter().map(plant).collect();
                let captured = read(&files, Text::Replaced);
                read_at_all += usize::from(!captured.sessions.is_empty());
                assert_none(
                    &outputs(&captured),
                    &SECRETS,
                    &format!("{path} as {kind:?}, run {run}"),
                );
            }
            // A dump of flows says the length of each text: it is planted in the recording, below.
            let holds = !read(&files, Text::Replaced).sessions.is_empty() && kind != Kind::Flows;
            assert!(
                !holds || read_at_all * 2 > RUNS,
                "{path} as {kind:?}: {read_at_all}"
            );
            if holds {
                kinds.insert(kind.as_str());
            }
        }
    }
    assert_eq!(kinds.len(), Kind::ALL.len() - 1, "{kinds:?}");
}

/// Puts a secret into every string of a value, behind what stands there.
fn plant(value: &mut Value, secret: &str) {
    match value {
        // Words of the API stay: with another type an item is another item.
        Value::String(text) => *text = format!("{text} {secret}"),
        Value::Array(values) => values.iter_mut().for_each(|value| plant(value, secret)),
        Value::Object(object) => {
            object.values_mut().for_each(|value| plant(value, secret));
            object.insert(secret.to_owned(), secret.into());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn planted_in(secret: &str, everywhere: bool) -> Recording {
    let mut recording = recording_of("carry/01_l1_text_only_append.toml");
    for exchange in &mut recording.exchanges {
        for name in [
            "user-agent",
            "session-id",
            "authorization",
            "cookie",
            "openai-organization",
            "x-client-request-id",
        ] {
            exchange.request.headers.insert(name.to_owned(), secret.into());
        }
        exchange.request.body["metadata"] = json!({"tenant": secret, secret: secret});
        exchange.request.body["user"] = secret.into();
        if everywhere {
            plant(&mut exchange.request.body, secret);
            if let Some(body) = exchange
                .response
                .as_mut()
                .and_then(|response| response.body.as_mut())
            {
                plant(body, secret);
            }
            if let Some(response) = &mut exchange.response {
                response.headers.insert("set-cookie".to_owned(), secret.into());
                response.headers.insert("x-request-id".to_owned(), secret.into());
            }
        }
    }
    recording
}

#[test]
fn no_secret_of_a_recording_survives_in_any_format() {
    for (secret, everywhere) in SECRETS
        .into_iter()
        .flat_map(|secret| [(secret, true), (secret, false)])
    {
        let recording = planted_in(secret, everywhere);
        for kind in Kind::ALL {
            let captured = read(&captured(kind, &recording), Text::Replaced);
            assert_none(&outputs(&captured), &[secret], &format!("{kind:?}"));
        }
    }
}

/// With `--keep-text` the words of users stay, and what has the form of a secret does not.
#[test]
fn a_kept_text_has_no_secret_of_a_known_form() {
    for secret in SECRETS.into_iter().filter(|secret| *secret != "Geheimwort42") {
        let mut recording = recording_of("carry/01_l1_text_only_append.toml");
        for exchange in &mut recording.exchanges {
            exchange.request.body["instructions"] = format!("Be kind. {secret} is for you.").into();
            exchange.request.body["user"] = secret.into();
        }
        let mut captured = Captured::default();
        let mut redacting = Redacting::new(&mut captured, Text::Kept);
        recording
            .exchanges
            .iter()
            .for_each(|exchange| redacting.exchange("default", exchange.clone()));
        let text = captured.sessions[0].recording.to_lines();
        assert!(
            text.contains("Be kind.") && text.contains("is for you."),
            "{secret}"
        );
        for part in parts(secret) {
            assert!(!text.contains(part), "`{part}` of `{secret}` survives");
        }
    }
}

/// `diff` compares words as they are, so that two files can be compared; what has the form of a secret is replaced.
#[test]
fn what_differs_shows_no_secret_of_a_known_form() {
    let known: Vec<&str> = SECRETS
        .into_iter()
        .filter(|secret| *secret != "Geheimwort42")
        .collect();
    let good = recording_of("carry/01_l1_text_only_append.toml");
    for secret in &known {
        for member in ["user", "instructions", "metadata", "input"] {
            let mut bad = good.clone();
            let value = match member {
                "metadata" => json!({"tenant": secret}),
                "input" => json!([{"role": "user", "content": format!("It is {secret} of course")}]),
                _ => Value::from(*secret),
            };
            bad.exchanges[0].request.body[member] = value;
            let script = |recording: &Recording| {
                let captured = read(&captured(Kind::Pairs, recording), Text::Kept);
                script_of(&captured.sessions[0].recording, "diff", &|_| true).0
            };
            let found = diff::first(&script(&good), &script(&bad)).expect("they differ");
            assert_none(&format!("{found:?}"), &[secret], member);
        }
    }
}
