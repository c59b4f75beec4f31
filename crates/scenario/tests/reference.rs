//! `docs/scenario-format.md` holds the reference that the program makes from its tables of keys.

use std::path::PathBuf;

use holdover_scenario::{parse, reference};

#[path = "common/vocabulary.rs"]
mod vocabulary;

const BEGIN: &str = "<!-- generated from the tables of keys: begin -->\n";
const END: &str = "<!-- generated from the tables of keys: end -->\n";

fn path() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/scenario-format.md"
    ))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test reads the document that it holds"
)]
fn document() -> String {
    std::fs::read_to_string(path()).expect("docs/scenario-format.md")
}

/// The document before, inside and after the generated part.
fn split(document: &str) -> (&str, &str, &str) {
    let (before, rest) = document
        .split_once(BEGIN)
        .expect("the beginning of the generated part");
    let (inside, after) = rest.split_once(END).expect("the end of the generated part");
    (before, inside, after)
}

#[test]
fn the_document_agrees_with_the_tables_of_keys() {
    let document = document();
    let (_, inside, _) = split(&document);
    assert_eq!(
        inside,
        reference(),
        "write it anew: cargo test -p holdover-scenario --test reference -- --ignored"
    );
}

#[test]
#[ignore = "writes the generated part of docs/scenario-format.md"]
fn write_the_reference() {
    let document = document();
    let (before, _, after) = split(&document);
    std::fs::write(path(), format!("{before}{BEGIN}{}{END}{after}", reference())).expect("written");
}

/// Every whole example of the document is a file that is read: those that begin with `name`.
#[test]
fn the_examples_of_the_document_are_read() {
    let document = document();
    let blocks = document
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let whole: Vec<_> = blocks.filter(|block| block.starts_with("name")).collect();
    assert!(whole.len() >= 3, "the document has whole examples");
    for example in whole {
        if let Err(problems) = parse("example.toml", example, &vocabulary::known()) {
            panic!("{problems:#?}\n{example}");
        }
    }
}
