//! Random sessions: a client, its mistakes, a conversation and the failures of a server, all by chance, played through
//! the fake. What comes out is what such a client really sends and gets, and no noise.

#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod chance;

use std::fmt::Write as _;

use holdover_judge::{Finding, Severity};
use holdover_runner::import::play_scenario;
use holdover_runner::play::Played;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{parse, suites};
use holdover_wire::Exchange;

use chance::Chance;

const SLIPS: [&str; 18] = [
    "text-only-append",
    "first-output-only",
    "unknown-item-dropped",
    "stream-text-only",
    "stream-last-update-lost",
    "role-and-text-record",
    "id-type-changed",
    "token-truncated",
    "token-re-encoded",
    "instructions-once",
    "include-forgotten",
    "mixed-modes",
    "trim-splits-pair",
    "half-strip",
    "id-of-added",
    "event-appended-twice",
    "cut-answer-kept",
    "id-as-cache-key",
];

const FAULTS: [&str; 22] = [
    "rate-limit",
    "server-error",
    "context-length",
    "cut",
    "half-close",
    "failed",
    "incomplete",
    "no-terminal",
    "error-flat",
    "event-duplicated",
    "ids-differ",
    "completed-empty",
    "token-absent",
    "token-null",
    "token-only-on-done",
    "summary-two-parts",
    "reasoning-twice",
    "reasoning-only",
    "reasoning-interrupted",
    "key-changed",
    "verify-fail",
    "chain-expired",
];

const TEXTS: [&str; 8] = [
    "Plan the migration.",
    "Und dann? \u{dc}ber M\u{fc}nchen \u{1f600}",
    "say \"yes\"\nor \\no",
    "a",
    "Plan the migration.",
    "{\"key\": [1, 2.50, null]}",
    "\u{79fb}\u{884c}\u{3092}\u{8a08}\u{753b}\u{3059}\u{308b}",
    "data: [DONE]",
];

/// A session of this seed, with the scenario that plays it; `None` where the choices contradict each other.
pub(crate) fn session(seed: u64) -> Option<(String, Played)> {
    let settings = Settings::default();
    let text = scenario(&mut Chance::new(seed));
    let scenario = parse("random.toml", &text, &vocabulary(&settings)).ok()?;
    let played = play_scenario(&scenario, &settings).ok()?;
    Some((text, played))
}

/// The exchanges of a session without any mistake or failure; of another seed where this one has a finding.
pub(crate) fn clean(seed: u64, profile: &str) -> Vec<Exchange> {
    let settings = Settings::default();
    for seed in (seed * 100..).take(100) {
        let mut chance = Chance::new(seed);
        let mut text = format!(
            "name = \"clean\"\nworld = \"c{seed}\"\n\n[server]\nprofile = \"{profile}\"\n\n[agent]\n"
        );
        let preset = chance.pick(&["plain", "agents-sdk"]);
        let _ = writeln!(text, "preset = \"{preset}\"\nstore = {}", chance.below(4) == 0);
        let _ = writeln!(text, "stream = {}", chance.below(3) == 0);
        if chance.below(2) == 0 {
            let _ = writeln!(text, "instructions = \"Answer in one word.\"");
        }
        turns(&mut text, &mut chance);
        // No two conversations begin alike.
        let text = text.replacen("user = \"", &format!("user = \"{seed}: "), 1);
        let played = parse("clean.toml", &text, &vocabulary(&settings))
            .ok()
            .and_then(|scenario| play_scenario(&scenario, &settings).ok());
        let is_clean = |played: &Played| {
            let above = |finding: &Finding| finding.severity > Severity::Note;
            let refused = |exchange: &Exchange| {
                exchange
                    .response
                    .as_ref()
                    .is_none_or(|response| response.status >= 400)
            };
            !played.verdict.findings.iter().any(above) && !played.recording.exchanges.iter().any(refused)
        };
        if let Some(played) = played.filter(is_clean) {
            return played.recording.exchanges;
        }
    }
    panic!("no clean session from seed {seed} on under {profile}");
}

fn scenario(chance: &mut Chance) -> String {
    let mut text = format!(
        "name = \"random\"\nworld = \"w{}\"\n\n[server]\n",
        chance.below(1000)
    );
    let line = |text: &mut String, one_in: usize, line: &str, chance: &mut Chance| {
        if chance.below(one_in) == 0 {
            let _ = writeln!(text, "{line}");
        }
    };
    line(&mut text, 4, "id-shape = \"tenant\"", chance);
    line(&mut text, 6, "token-shape = \"enc\"", chance);
    line(&mut text, 4, "order = \"reasoning-done-last\"", chance);
    line(&mut text, 4, "encrypted = \"always\"", chance);
    let _ = writeln!(text, "token-size = {}", [329, 600, 2600][chance.below(3)]);
    let profile = chance.pick(&[
        "openai",
        "openai",
        "openai",
        "openai-strict",
        "azure",
        "foundry-project",
    ]);
    let _ = writeln!(text, "profile = \"{profile}\"\n\n[agent]");
    let preset = chance.pick(&["plain", "plain", "agents-sdk", "meai"]);
    let _ = writeln!(text, "preset = \"{preset}\"");
    let state = chance.pick(&[
        "client-replay",
        "client-replay",
        "client-replay",
        "server-chain",
        "conversation",
    ]);
    let _ = writeln!(text, "state = \"{state}\"");
    let _ = writeln!(
        text,
        "store = {}",
        state != "client-replay" || chance.below(3) == 0
    );
    let _ = writeln!(text, "stream = {}", chance.below(2) == 0);
    let _ = writeln!(
        text,
        "session-store = \"{}\"",
        chance.pick(&["memory", "json", "sqlite"])
    );
    line(&mut text, 2, "summary = \"auto\"", chance);
    line(&mut text, 2, "instructions = \"Answer in one word.\"", chance);
    line(&mut text, 6, "history-limit = 5", chance);
    line(&mut text, 6, "recover = true", chance);
    if preset == "agents-sdk" {
        line(&mut text, 3, "reasoning-item-id-policy = \"omit\"", chance);
    }
    match chance.below(4) {
        0 => {}
        1 => {
            let _ = writeln!(
                text,
                "slip = [\"{}\", \"{}\"]",
                chance.pick(&SLIPS),
                chance.pick(&SLIPS)
            );
        }
        _ => {
            let _ = writeln!(text, "slip = \"{}\"", chance.pick(&SLIPS));
        }
    }
    let turns = turns(&mut text, chance);
    if chance.below(3) == 0 {
        let _ = writeln!(
            text,
            "\n[[fault]]\non = {{ turn = {} }}\ndo = \"{}\"",
            1 + chance.below(turns),
            chance.pick(&FAULTS)
        );
    }
    text
}

/// Two to six turns; how many there are.
fn turns(text: &mut String, chance: &mut Chance) -> usize {
    let count = 2 + chance.below(5);
    let mut open: Vec<String> = Vec::new();
    for turn in 0..count {
        let _ = writeln!(text, "\n[[turn]]");
        if open.is_empty() {
            let _ = writeln!(text, "user = {}", quoted(chance.pick(&TEXTS)));
        } else {
            let outputs: Vec<String> = open
                .iter()
                .map(|call| format!("{call} = {}", quoted(chance.pick(&TEXTS))))
                .collect();
            let _ = writeln!(text, "tool-output = {{ {} }}", outputs.join(", "));
        }
        open.clear();
        let mut parts = vec!["\"reasoning\"".to_owned()];
        if chance.below(4) == 0 {
            parts.push(format!(
                "{{ message = {{ text = {}, phase = \"commentary\" }} }}",
                quoted(chance.pick(&TEXTS))
            ));
            parts.push("\"reasoning\"".to_owned());
        }
        match chance.below(5) {
            0 | 1 if turn + 1 < count => {
                for call in 0..=chance.below(2) {
                    let id = format!("call_{turn}_{call}");
                    parts.push(format!(
                        "{{ call = {{ id = \"{id}\", name = \"tool{call}\", arguments = {{ key = {} }} }} }}",
                        quoted(chance.pick(&TEXTS))
                    ));
                    open.push(id);
                }
            }
            2 => {
                parts.push("{ item = '''{\"type\": \"web_search_call\", \"status\": \"completed\", \"action\": {\"type\": \"search\", \"query\": \"q\"}}''' }".to_owned());
                parts.push("\"message\"".to_owned());
            }
            _ => parts.push(format!("{{ message = {} }}", quoted(chance.pick(&TEXTS)))),
        }
        if chance.below(5) > 0 || !open.is_empty() {
            let _ = writeln!(text, "reply = [{}]", parts.join(", "));
        }
    }
    count
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A case of the embedded suites, played.
pub(crate) fn of_suite(path: &str) -> Played {
    let settings = Settings::default();
    let file = suites::all()
        .into_iter()
        .find(|file| file.path == path)
        .expect(path);
    let scenario = parse(file.path, file.text, &vocabulary(&settings)).expect(path);
    play_scenario(&scenario, &settings).expect(path)
}
