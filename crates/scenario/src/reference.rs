//! The reference of the format as Markdown: made from the tables of keys and codes, so that it cannot drift.

use crate::keys::{self, Kind, Section};
use crate::problem::Code;
use crate::suggest::quoted;

/// Every table with its keys, then every code of a problem.
pub fn reference() -> String {
    let mut lines = Vec::new();
    for section in keys::ALL {
        table(section, &mut lines);
    }
    codes(&mut lines);
    lines.join("\n")
}

fn table(section: &Section, lines: &mut Vec<String>) {
    let title = if section.name.starts_with('[') {
        format!("`{}`", section.name)
    } else {
        "The file".to_owned()
    };
    lines.extend([
        format!("### {title}"),
        String::new(),
        section.about.to_owned(),
        String::new(),
    ]);
    lines.extend([
        "| key | takes | what it does |".to_owned(),
        "|---|---|---|".to_owned(),
    ]);
    for key in section.keys {
        let required = if section.required.contains(&key.name) {
            " (required)"
        } else {
            ""
        };
        lines.push(format!(
            "| `{}`{required} | {} | {} |",
            key.name,
            takes(key.kind),
            key.about
        ));
    }
    lines.push(String::new());
}

fn codes(lines: &mut Vec<String>) {
    lines.extend(["### Codes".to_owned(), String::new()]);
    lines.push("A code is stable: it is never renamed and never reused.".to_owned());
    lines.extend([
        String::new(),
        "| code | meaning |".to_owned(),
        "|---|---|".to_owned(),
    ]);
    lines.extend(
        Code::ALL
            .iter()
            .map(|code| format!("| `{code}` | {} |", code.about())),
    );
    lines.push(String::new());
}

/// What a key takes, in a few words.
fn takes(kind: Kind) -> String {
    match kind {
        Kind::Text | Kind::CaseName => "string".to_owned(),
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Number(low, i64::MAX) => format!("number from {low}"),
        Kind::Number(low, high) => format!("number, {low} to {high}"),
        Kind::Word(words) => quoted(words),
        Kind::Words(words) => format!("list of {}", quoted(words)),
        Kind::Name(name) => format!("{} name", name.noun()),
        Kind::Names(name) => format!("list of {} names", name.noun()),
        Kind::NameOrNames(name) => format!("{} name, or a list", name.noun()),
        Kind::Texts | Kind::Command => "list of strings".to_owned(),
        Kind::TextMap => "table of strings".to_owned(),
        Kind::Switches => "table of words and numbers".to_owned(),
        Kind::WordMap(words) => format!("table of {}", quoted(words)),
        Kind::WordOrTexts(words) => format!("{}, or a list of strings", quoted(words)),
        Kind::Section(section) => format!("table, see `{}`", section.name),
        Kind::Sections(section) => format!("tables, see `{}`", section.name),
        Kind::Outputs => "table of outputs".to_owned(),
        Kind::Reply => "list of parts, see Replies".to_owned(),
        Kind::Tools => "list of names, tables or JSON".to_owned(),
        Kind::Body => "JSON in a string, or a table".to_owned(),
        Kind::Members => "table".to_owned(),
        Kind::Fault => "fault name, or a table with `name`".to_owned(),
        Kind::Policy => "policy name, a file, or a table".to_owned(),
        Kind::Settings => "table of settings".to_owned(),
        Kind::Matrix => "table of lists".to_owned(),
    }
}
