//! `docs/scenario-format.md` holds the reference, and `schema/scenario.schema.json` the JSON Schema, that the program
//! makes from its tables of keys.

use std::path::PathBuf;

use holdover_scenario::{parse, reference, schema};

#[path = "common/vocabulary.rs"]
mod vocabulary;

const DOCUMENT: &str = "docs/scenario-format.md";
const SCHEMA: &str = "schema/scenario.schema.json";
const BEGIN: &str = "<!-- generated from the tables of keys: begin -->\n";
const END: &str = "<!-- generated from the tables of keys: end -->\n";

const WRITE: &str = "`cargo xtask bless` writes it";

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}

#[expect(clippy::disallowed_methods, reason = "a test reads the files that it holds")]
fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect("a file of the repository")
}

fn document() -> String {
    read(DOCUMENT)
}

fn schema_text() -> String {
    format!("{:#}\n", schema())
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
fn the_document_and_the_schema_agree_with_the_tables_of_keys() {
    let document = document();
    let (before, inside, after) = split(&document);
    if std::env::var_os("HOLDOVER_BLESS").is_some() {
        let document = format!("{before}{BEGIN}{}{END}{after}", reference());
        std::fs::write(path(DOCUMENT), document).expect("written");
        std::fs::write(path(SCHEMA), schema_text()).expect("written");
        return;
    }
    assert!(inside == reference(), "{DOCUMENT} is out of date: {WRITE}");
    assert!(read(SCHEMA) == schema_text(), "{SCHEMA} is out of date: {WRITE}");
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
