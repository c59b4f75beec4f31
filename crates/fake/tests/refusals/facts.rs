//! `tests/facts/errors.md` as a list: which rows it has, and which whole bodies it quotes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::rows;

const FACTS: &str = include_str!("../../../../tests/facts/errors.md");

/// Why a row has no case here. There are no other reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Elsewhere {
    /// Its body lists the whole union of types, whose list is compared beside the check (`validate/input.rs`).
    BesideItsCheck,
    /// It tells how streams end and refuses nothing (`outcomes.rs`).
    NoRefusal,
    /// Only a WebSocket says it (`socket_refusals.rs` of the server).
    OfTheSocket,
}

const ELSEWHERE: [(&str, Elsewhere); 3] = [
    ("E30", Elsewhere::BesideItsCheck),
    ("E35", Elsewhere::NoRefusal),
    ("E36", Elsewhere::OfTheSocket),
];

/// Sections 1 to 7.
fn sections() -> impl Iterator<Item = &'static str> {
    let lines = FACTS.lines().skip_while(|line| !line.starts_with("## 1."));
    lines.take_while(|line| !line.starts_with("## 8."))
}

/// Every row of the facts: a heading, a lettered line, or a line of a list beneath it.
fn facts() -> Vec<String> {
    let mut found = Vec::new();
    let (mut entry, mut place) = ("", 0);
    for line in sections() {
        let bytes = line.as_bytes();
        if let Some(heading) = line.strip_prefix("### ") {
            (entry, place) = (&heading[..3], 0);
            found.push(entry.to_owned());
        } else if line.trim_start().starts_with("- ") {
            place += 1;
            found.push(format!("{entry}.{place}"));
        } else if bytes.len() > 4 && bytes[0] == b' ' && bytes[1].is_ascii_lowercase() && bytes[2] == b'.' {
            found.push(format!("{entry}{}", char::from(bytes[1])));
        }
    }
    found
}

/// A heading is shown by any of its parts.
fn shows(shape: &str, row: &str) -> bool {
    shape == row || (row.len() == 3 && shape.starts_with(row))
}

#[test]
fn every_row_of_the_facts_has_a_case_or_a_reason() {
    let facts = facts();
    // 36 headings, nine letters, ten lines of lists: counted by hand.
    assert_eq!(facts.len(), 55, "{facts:?}");
    let cases: BTreeSet<&str> = rows().iter().map(|row| row.shape).collect();
    let reasons: BTreeMap<&str, Elsewhere> = ELSEWHERE.into_iter().collect();
    let missing: Vec<&String> = facts
        .iter()
        .filter(|row| !cases.iter().any(|shape| shows(shape, row)) && !reasons.contains_key(row.as_str()))
        .collect();
    assert!(missing.is_empty(), "rows without a case: {missing:?}");
    let stale: Vec<&str> = cases
        .iter()
        .copied()
        .filter(|shape| !facts.iter().any(|row| row == shape))
        .chain(reasons.keys().copied().filter(|row| cases.contains(row)))
        .collect();
    assert!(
        stale.is_empty(),
        "no row of the facts, or a reason beside a case: {stale:?}"
    );
}

/// The whole bodies that the facts quote.
fn quoted() -> Vec<Value> {
    let text: Vec<&str> = sections().collect();
    let text = text.join("\n");
    let starts = text.match_indices(r#"{"error":"#).map(|(start, _)| start);
    let read = |start: usize| {
        serde_json::Deserializer::from_str(&text[start..])
            .into_iter::<Value>()
            .next()
    };
    starts
        .filter_map(read)
        .map(|body| body.expect("a body of the facts is JSON"))
        .collect()
}

/// A message with what differs from case to case left out: ids, the ends of a token, and what the facts mark so.
fn outline(message: &str) -> String {
    const PREFIXES: [&str; 7] = ["rs_", "msg_", "fc_", "resp_", "conv_", "call_", "gAAA"];
    let words = message.split_inclusive([' ', '\'']);
    words
        .map(|word| {
            let varies = word.starts_with('‹') || PREFIXES.iter().any(|prefix| word.starts_with(prefix));
            let end = word.trim_start_matches(|letter| !matches!(letter, ' ' | '\''));
            if varies {
                format!("_{end}")
            } else {
                word.to_owned()
            }
        })
        .collect::<String>()
        .trim_end_matches('.')
        .to_owned()
}

#[test]
fn every_body_that_the_facts_quote_is_the_body_of_a_case() {
    let quoted = quoted();
    // Counted by hand: E01, E02, E03, E05, E06, E08, E10, E11, E12, E14 to E21.
    assert_eq!(quoted.len(), 17);
    let outlined = |error: &Value| {
        let mut error = error.clone();
        error["message"] = Value::String(outline(error["message"].as_str().expect("a message")));
        error
    };
    let cases: Vec<Value> = rows().iter().map(|row| outlined(&row.error)).collect();
    for body in quoted {
        let wanted = outlined(&body["error"]);
        assert!(cases.contains(&wanted), "no case has the body {body}");
    }
}
