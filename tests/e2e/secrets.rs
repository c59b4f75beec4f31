//! What the commands print and write of a capture holds no secret of it.

use std::fs;

use holdover_capture::{Captured, Kind, export};
use holdover_wire::Recording;
use serde_json::json;

use crate::support::Holdover;

/// Each stands in another field, or in several.
const SECRETS: [&str; 5] = [
    "sk-proj-Qw3rTy9Zx8Cv7Bn6Mm5",
    "anna.muster@secretcorp.example",
    "session=Zm9vYmFyMTIzNDU2Nzg5MA",
    "org-SecretTenant4711",
    "Geheimwort42",
];

/// Two turns, the reasoning lost between them, with a secret wherever a user or a gateway may put one.
fn recording() -> Recording {
    let mut captured = Captured::default();
    let text = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/e2e/cmd/judge.in/lost.jsonl"
    ))
    .unwrap();
    holdover_capture::file(text.as_slice(), &mut captured).unwrap();
    let mut recording = captured.sessions.remove(0).recording;
    let all = SECRETS.join(" ");
    for exchange in &mut recording.exchanges {
        let headers = &mut exchange.request.headers;
        for name in [
            "authorization",
            "cookie",
            "openai-organization",
            "x-session-id",
            "user-agent",
        ] {
            headers.insert(name.to_owned(), all.clone().into());
        }
        let body = exchange.request.body.as_object_mut().unwrap();
        body.insert("metadata".to_owned(), json!({"tenant": all, all.as_str(): "1"}));
        body.insert("user".to_owned(), all.clone().into());
        body.insert("instructions".to_owned(), all.clone().into());
        body.insert(
            "tools".to_owned(),
            json!([{"type": "mcp", "server_url": all, "headers": {"x-key": all}}]),
        );
        let items = body["input"].as_array_mut().unwrap();
        items.push(json!({"role": "user", "content": [{"type": "input_text", "text": all, "note": all}]}));
    }
    recording
}

/// The words by which each secret would be known.
fn telling() -> impl Iterator<Item = &'static str> {
    let words = SECRETS
        .iter()
        .flat_map(|secret| secret.split(['-', '@', '.', '=']));
    words.filter(|word| word.len() >= 8)
}

#[test]
fn no_command_prints_or_writes_a_secret_of_a_capture() {
    let recording = recording();
    let folder = tempfile::tempdir().unwrap();
    let mut imported = 0;
    for (number, kind) in (0..).zip(Kind::ALL) {
        let capture = folder.path().join(format!("capture-{number}"));
        if let Some(bytes) = export::file(kind, &recording) {
            fs::write(&capture, bytes).unwrap();
        } else {
            fs::create_dir(&capture).unwrap();
            for (name, bytes) in export::folder(&recording) {
                fs::write(capture.join(name), bytes).unwrap();
            }
        }
        let scenario = folder.path().join(format!("scenario-{number}.toml"));
        let small = folder.path().join(format!("small-{number}.toml"));
        let mut said = Vec::new();
        let mut run = |command: Holdover| {
            let outcome = command.run();
            said.push(outcome.stdout + &outcome.stderr);
        };
        for format in ["human", "short", "json", "markdown"] {
            run(Holdover::new(&["judge", "--redact", "--format", format]).path(&capture));
        }
        run(Holdover::new(&["explain", "--symptom", "asks-again"]).path(&capture));
        run(Holdover::new(&["explain", "--symptom", "id-in-log"]).path(&capture));
        run(Holdover::new(&["import"])
            .path(&capture)
            .path("-o".as_ref())
            .path(&scenario));
        if scenario.exists() {
            imported += 1;
            run(Holdover::new(&["run", "--out", "out"]).path(&scenario));
            run(Holdover::new(&["shrink"])
                .path(&scenario)
                .path("-o".as_ref())
                .path(&small));
        }
        for file in [&scenario, &small] {
            said.push(fs::read_to_string(file).unwrap_or_default());
        }
        for (place, said) in said.iter().enumerate() {
            for word in telling() {
                assert!(
                    !said.contains(word),
                    "{kind:?}, output {place}: `{word}` in\n{said}"
                );
            }
        }
    }
    assert!(imported >= 8, "only {imported} kinds became a scenario");
}

/// `diff` compares the words of users as they are; what has the form of a secret it does not show.
#[test]
fn what_differs_is_shown_without_secrets() {
    let good = recording();
    let mut bad = good.clone();
    bad.exchanges[1].request.body["instructions"] =
        format!("Be kind to {}", SECRETS[..4].join(" and ")).into();
    let files = tempfile::tempdir().unwrap();
    let write = |name: &str, recording: &Recording| {
        let path = files.path().join(name);
        fs::write(&path, export::file(Kind::Har, recording).unwrap()).unwrap();
        path
    };
    let (good, bad) = (write("good.har", &good), write("bad.har", &bad));
    let outcome = Holdover::new(&["diff"]).path(&good).path(&bad).run();
    assert_eq!(outcome.code, Some(4), "{outcome:?}");
    assert!(outcome.stdout.contains("Be kind to"), "{}", outcome.stdout);
    for word in telling().filter(|word| *word != "Geheimwort42") {
        assert!(!outcome.stdout.contains(word), "`{word}` in\n{}", outcome.stdout);
    }
}
