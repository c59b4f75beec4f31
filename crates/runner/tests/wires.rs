//! The played client on the wires of other providers: what came goes back as it came, whole and streamed; and the table
//! of the suite `wires` against the facts.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;

use holdover_agent::{Peer, TurnStatus};
use holdover_profile::provider::{Book, Endpoint};
use holdover_report::{Run, RunEvent, RunStarted};
use holdover_runner::lower;
use holdover_runner::play::{Played, play};
use holdover_runner::schedule;
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_wire::Wire;
use holdover_wire::neutral::{History, answered};

/// A turn of talk, a call with its output, and a new turn of the user.
fn scenario(profile: &str, stream: bool) -> String {
    format!(
        r#"
name = "a"
[server]
profile = "{profile}"
[agent]
stream = {stream}
instructions = "Be brief."
[[turn]]
user = "Plan it."
reply = ["reasoning", {{ message = "Planned, in three steps." }}]
[[turn]]
user = "Look it up."
reply = ["reasoning", {{ call = {{ name = "lookup", arguments = {{ key = "a" }} }} }}]
[[turn]]
tool-output = {{ lookup = "42" }}
reply = ["reasoning", {{ message = "It is 42, I think." }}]
[[turn]]
user = "And then?"
reply = ["reasoning", {{ message = "Then we are done here." }}]
"#
    )
}

fn played(text: &str) -> Played {
    let settings = Settings::default();
    let parsed = holdover_scenario::parse("a.toml", text, &vocabulary(&settings)).expect("a scenario");
    let case = &holdover_scenario::expand(&parsed)[0];
    let case = lower::lower(case, &settings).expect("known names").remove(0);
    play(&case.setup).expect("no pattern")
}

fn elsewhere() -> impl Iterator<Item = &'static Endpoint> {
    let spoken = Book::builtin()
        .all()
        .iter()
        .filter(|endpoint| Peer::of(endpoint).is_some());
    let spoken = spoken.map(AsRef::as_ref);
    spoken.filter(|endpoint| endpoint.wire != Wire::Responses)
}

/// Whether the facts refuse a client that sends everything back: R1 of DeepSeek takes no reasoning
/// (`tests/facts/providers.md` section 2.2), and Cerebras and Kimi K3 are asked as they write.
fn refuses_all(profile: &str) -> bool {
    profile == "deepseek-r1"
}

#[test]
fn every_endpoint_takes_back_what_it_issued() {
    for endpoint in elsewhere().filter(|endpoint| !refuses_all(&endpoint.name)) {
        for stream in [false, true] {
            let played = played(&scenario(&endpoint.name, stream));
            let name = format!("{} stream={stream}", endpoint.name);
            for turn in &played.turns {
                assert_eq!(turn.result.status, TurnStatus::Completed, "{name}: {turn:?}");
            }
            let rules: Vec<_> = played
                .verdict
                .findings
                .iter()
                .map(|one| (one.rule, &one.message))
                .collect();
            assert_eq!(rules, [], "{name}");
            comes_back(&played, endpoint, &name);
        }
    }
}

/// Every message of an answer stands in the next request, member for member.
fn comes_back(played: &Played, endpoint: &Endpoint, name: &str) {
    let exchanges = &played.recording.exchanges;
    for pair in exchanges.windows(2) {
        let response = pair[0].response.as_ref().expect("an answer");
        let issued = answered(endpoint.wire, response).expect("a message");
        let request = &pair[1].request;
        let body = request.body.as_object().expect("a body");
        let history = History::read(endpoint.wire, &request.path, body).expect("a history");
        let (_, carried, _) = *history.assistant().last().expect("a message of the assistant");
        assert_eq!(
            carried.parts, issued.parts,
            "{name}, exchange {}",
            pair[0].exchange
        );
    }
}

/// Mode, and the beginnings of model family and field, of a row of the matrix.
type Row = (&'static str, &'static str, &'static str);

/// The rows of `tests/facts/replay_matrix.csv` that speak of a profile: beginnings of model family and field, by mode.
/// A mode of which no row speaks is absent: nothing is wanted there.
const FACTS: &[(&str, &[Row])] = &[
    (
        "deepseek-r1",
        &[
            ("ordinary", "deepseek-reasoner R1", "reasoning_content (sent)"),
            (
                "new_user_turn",
                "deepseek-reasoner R1",
                "reasoning_content (sent)",
            ),
        ],
    ),
    (
        "deepseek-v3.2",
        &[
            ("ordinary", "V3.2", "reasoning_content"),
            (
                "tool_loop",
                "V3.2",
                "reasoning_content on assistant tool_calls message (omitted)",
            ),
            ("new_user_turn", "V3.2", "reasoning_content of closed turn"),
        ],
    ),
    (
        "deepseek-v4",
        &[
            (
                "ordinary",
                "V4 flash/pro, tools in request",
                "reasoning_content (omitted)",
            ),
            ("tool_loop", "V4 flash/pro", "reasoning_content (omitted)"),
            (
                "new_user_turn",
                "V4 flash/pro, earlier turn called a tool",
                "reasoning_content of that turn",
            ),
        ],
    ),
    (
        "kimi-k2",
        &[
            ("ordinary", "kimi-k2-thinking, k2.5", "reasoning_content"),
            (
                "tool_loop",
                "kimi-k2-thinking, k2.5",
                "reasoning_content on tool_calls message",
            ),
            (
                "new_user_turn",
                "kimi-k2-thinking, k2.5",
                "reasoning_content on old tool_calls",
            ),
        ],
    ),
    (
        "kimi-k2.6",
        &[
            ("ordinary", "kimi-k2.6 keep null", "reasoning_content"),
            ("tool_loop", "kimi-k2.6 keep null", "reasoning_content (omitted)"),
            ("new_user_turn", "kimi-k2.6 keep null", "reasoning_content"),
        ],
    ),
    (
        "glm-4.7",
        &[
            ("ordinary", "glm-4.7+ clear_thinking true", "reasoning_content"),
            (
                "new_user_turn",
                "glm-4.7+ clear_thinking true",
                "reasoning_content",
            ),
        ],
    ),
    (
        "glm-4.7-preserved",
        &[(
            "new_user_turn",
            "glm-4.7+ clear_thinking false",
            "reasoning_content",
        )],
    ),
    (
        "qwen",
        &[
            (
                "ordinary",
                "qwen3.5+ preserve_thinking false",
                "reasoning_content",
            ),
            (
                "tool_loop",
                "qwen3.5+ preserve_thinking false",
                "reasoning_content",
            ),
        ],
    ),
    (
        "mistral",
        &[
            ("ordinary", "magistral, medium-3.5", "content[].type=thinking"),
            ("tool_loop", "magistral, medium-3.5", "content[].type=thinking"),
            (
                "new_user_turn",
                "magistral, medium-3.5",
                "content[].type=thinking",
            ),
        ],
    ),
    (
        "openrouter-claude",
        // Of what is left out, the rows speak where two answers follow each other; the others are about what is altered.
        &[(
            "ordinary",
            "anthropic/claude*",
            "reasoning_details of 2nd of two consecutive",
        )],
    ),
    (
        "claude-opus-4.5",
        &[
            (
                "ordinary",
                "claude manual (thinking enabled; 4.5",
                "thinking block",
            ),
            (
                "tool_loop",
                "claude manual (thinking enabled)",
                "thinking/redacted_thinking leading",
            ),
            (
                "new_user_turn",
                "claude manual (thinking enabled)",
                "thinking block of closed turn",
            ),
        ],
    ),
    (
        "claude-5",
        &[
            (
                "tool_loop",
                "claude adaptive (opus-5-5, sonnet-5)",
                "open-round thinking block (omitted)",
            ),
            (
                "new_user_turn",
                "claude adaptive (opus-5-5, sonnet-5)",
                "closed-turn thinking block (omitted",
            ),
        ],
    ),
    (
        "gemini-2.5",
        &[
            ("ordinary", "gemini-2.5", "thoughtSignature"),
            ("tool_loop", "gemini-2.5", "thoughtSignature"),
            ("new_user_turn", "gemini-2.5", "thoughtSignature"),
        ],
    ),
    (
        "gemini-3",
        &[
            ("ordinary", "gemini-3.x", "thoughtSignature on text part"),
            (
                "tool_loop",
                "gemini-3.x",
                "thoughtSignature on first functionCall part",
            ),
            (
                "new_user_turn",
                "gemini-3.x",
                "thoughtSignature of earlier turns (omitted)",
            ),
        ],
    ),
];

/// What the first row of these beginnings wants; `unknown` where its confidence is low.
fn wanted(mode: &str, family: &str, field: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/facts/replay_matrix.csv");
    let mut reader = csv::Reader::from_path(path).expect("the matrix");
    let rows = reader.records().map(|row| row.expect("a row"));
    let mut meant =
        rows.filter(|row| &row[3] == mode && row[2].starts_with(family) && row[4].starts_with(field));
    let row = meant
        .next()
        .unwrap_or_else(|| panic!("no row {mode} {family} {field}"));
    if &row[11] == "low" {
        return "unknown".to_owned();
    }
    row[5].to_owned()
}

/// What the facts make of a behaviour.
fn by_facts(rows: &[Row], policy: &str) -> &'static str {
    let mut is_unsure = false;
    for (mode, family, field) in rows {
        let sends = match policy {
            "replay-all" => true,
            "drop-all" => false,
            "tool-loop-only" => *mode == "tool_loop",
            other => panic!("{other}"),
        };
        match (wanted(mode, family, field).as_str(), sends) {
            ("required", false) | ("forbidden", true) => return "wrong",
            ("unknown", false) => is_unsure = true,
            _ => {}
        }
    }
    if is_unsure { "unsure" } else { "right" }
}

/// `wires.csv` of the suite: profile and behaviour of each planted case, and its result.
fn table() -> BTreeMap<(String, String), String> {
    let settings = Settings::default();
    let names = vocabulary(&settings);
    let files = holdover_scenario::suites::find("wires").expect("the suite");
    let mut cases = Vec::new();
    for file in files {
        let scenario = holdover_scenario::parse(file.path, file.text, &names).expect("a scenario");
        for case in holdover_scenario::expand(&scenario) {
            cases.extend(lower::lower(&case, &settings).expect("known names"));
        }
    }
    let mut events = Vec::new();
    let finished = schedule::run(&cases, NonZeroUsize::MIN, RunStarted::default(), |event| {
        events.push(event);
    });
    for case in finished.expect("no pattern") {
        let unmet: Vec<_> = case.report.unmet.iter().map(|unmet| &unmet.message).collect();
        assert!(unmet.is_empty(), "{}: {unmet:?}", case.report.name().as_str());
    }
    events.push(RunEvent::RunFinished);
    let tables = holdover_report::tables(&Run::from_events(events));
    let file = tables
        .iter()
        .find(|file| file.name == "wires.csv")
        .expect("the table");
    let mut reader = csv::Reader::from_reader(file.bytes.as_slice());
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.filter(|row| row[0].strip_suffix(".twin").is_none())
        .map(|row| ((row[1].to_owned(), row[3].to_owned()), row[4].to_owned()))
        .collect()
}

#[test]
fn the_table_says_what_the_facts_say() {
    let table = table();
    let result = |profile: &str, behaviour: &str| {
        let key = (profile.to_owned(), behaviour.to_owned());
        table
            .get(&key)
            .unwrap_or_else(|| panic!("no row {key:?}"))
            .as_str()
    };
    let played: BTreeSet<&str> = table
        .keys()
        .filter(|(_, behaviour)| behaviour == "drop-all")
        .map(|(profile, _)| profile.as_str())
        .collect();
    let known = FACTS.iter().map(|(profile, _)| *profile);
    let known: BTreeSet<&str> = known.chain(["openai", "openai-chat"]).collect();
    assert_eq!(played, known);
    for (profile, rows) in FACTS {
        for policy in ["replay-all", "drop-all", "tool-loop-only"] {
            // R1 has no tools, so no row speaks of its tool loop; its 400 asks for the removal wherever it stands.
            if (*profile, policy) == ("deepseek-r1", "tool-loop-only") {
                continue;
            }
            assert_eq!(
                result(profile, policy),
                by_facts(rows, policy),
                "{profile} {policy}"
            );
        }
    }
    // `state.md`, Client-side replay: a call needs the reasoning that it came with, also in the turn that is over.
    for (policy, expected) in [
        ("replay-all", "right"),
        ("drop-all", "wrong"),
        ("tool-loop-only", "wrong"),
    ] {
        assert_eq!(result("openai", policy), expected, "{policy}");
    }
    // `providers.md` section 18: nothing is possible where the wire has no field for reasoning.
    for behaviour in ["replay-all", "drop-all", "tool-loop-only", "token-truncated"] {
        assert_eq!(result("openai-chat", behaviour), "not_expressible");
    }
    // Section 2.3: no signature exists there.
    assert_eq!(result("deepseek-v4", "token-truncated"), "not_expressible");
    for (profile, mode, family, field) in [
        (
            "claude-opus-4.5",
            "ordinary",
            "claude all",
            "signature (altered or foreign",
        ),
        (
            "claude-5",
            "tool_loop",
            "claude all",
            "signature (altered or foreign)",
        ),
        ("gemini-3", "tool_loop", "gemini-3.x", "thoughtSignature altered"),
        (
            "openrouter-claude",
            "tool_loop",
            "anthropic/claude*",
            "reasoning_details (altered signature)",
        ),
    ] {
        assert_eq!(wanted(mode, family, field), "required");
        assert_eq!(result(profile, "token-truncated"), "wrong", "{profile}");
    }
}
