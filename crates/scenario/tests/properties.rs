//! Whatever the text is, the parser gives an answer, and every span lies inside the text on character boundaries.

use holdover_scenario::{Problem, json, parse, position, short};
use proptest::prelude::*;

#[path = "common/vocabulary.rs"]
mod vocabulary;

const SEEDS: &[&str] = &[
    include_str!("bad/four_mistakes.toml"),
    include_str!("bad/bad_json.toml"),
    include_str!("bad/reply_parts.toml"),
    include_str!("bad/matrix.toml"),
    include_str!("bad/unicode.toml"),
    include_str!("bad/unknown_fault.toml"),
    include_str!("bad/ambiguous_output.toml"),
    include_str!("../../../scenarios/policy/05_f2_omit_resume_miss.toml"),
    include_str!("../../../scenarios/policy/10_stale_history_kept_ids.toml"),
    include_str!("../../../scenarios/carry/21_unknown_item_dropped.toml"),
    include_str!("../../../scenarios/carry/53_right_parallel_calls.toml"),
];

const PIECES: &[&str] = &[
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    "'''",
    "\"\"\"",
    "\"",
    "'",
    "\n",
    "\r\n",
    "#",
    ".",
    " ",
    "é",
    "🙂",
    "\0",
    "[agent]",
    "[[turn]]",
    "[matrix]",
    "[twin]",
    "[agent.handover]",
    "name = ",
    "set = ",
    "tool-output = ",
    "reply = ",
    "slip = ",
    "true",
    "-1",
    "1e999",
    "99999999999999999999",
    "1979-05-27",
    "agent.effort = ",
    "\\u00e9",
];

fn holds(text: &str, problems: &[Problem]) {
    for problem in problems {
        for label in std::iter::once(&problem.at).chain(&problem.other) {
            assert!(text.get(label.span.clone()).is_some(), "{problem:?} in {text:?}");
            let at = position(text, label.span.start);
            assert!(at.line >= 1 && at.column >= 1);
        }
        assert!(
            !problem.message.is_empty() && !problem.at.text.is_empty(),
            "{problem:?}"
        );
        assert!(!problem.message.ends_with('.'), "{problem:?}");
        assert!(!problem.message.starts_with(char::is_uppercase), "{problem:?}");
        assert!(short(problem, text).starts_with("a.toml:"));
        assert!(json(problem, text)["at"]["line"].is_u64());
    }
}

fn check(text: &str) {
    match parse("a.toml", text, &vocabulary::known()) {
        Ok(scenario) => assert!(!scenario.name.value.is_empty()),
        Err(problems) => {
            assert!(!problems.is_empty());
            holds(text, &problems);
        }
    }
}

/// The text with `piece` in the place of `length` bytes at `at`, both on character boundaries.
fn splice(text: &str, at: usize, length: usize, piece: &str) -> String {
    let floor = |wanted: usize| {
        let mut at = wanted.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (floor(at), floor(at + length));
    format!("{}{piece}{}", &text[..start], &text[end.max(start)..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,200}") {
        check(&text);
    }

    #[test]
    fn any_pieces_get_an_answer(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        check(&pieces.concat());
    }

    #[test]
    fn any_edit_of_a_file_gets_an_answer(
        seed in prop::sample::select(SEEDS),
        edits in prop::collection::vec((0_usize..1500, 0_usize..30, prop::sample::select(PIECES)), 1..4),
    ) {
        let mut text = seed.to_owned();
        for (at, length, piece) in edits {
            text = splice(&text, at, length, piece);
        }
        check(&text);
    }

    #[test]
    fn any_beginning_of_a_file_gets_an_answer(seed in prop::sample::select(SEEDS), length in 0_usize..1500) {
        check(&splice(seed, length, usize::MAX / 2, ""));
    }
}
