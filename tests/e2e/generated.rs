//! Committed files that are made from the program: schemas, and references under `docs/`. (Those of the scenario
//! format are held by `crates/scenario/tests/reference.rs`.)
//!
//! `cargo xtask bless` writes them (it sets `HOLDOVER_BLESS`), the test compares. A reference has a hand-written
//! part above [`MARK`], which stays.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use holdover_agent::Slip;
use holdover_fault::{FaultCard, KEYS, catalogue};
use holdover_judge::rules;
use holdover_profile::profile;
use serde_json::Value;

use crate::shell;
use crate::support::Holdover;

/// The line of a document below which everything is generated.
const MARK: &str = "<!-- From here on: written by `cargo xtask bless`. -->\n";

/// A committed file and what it must hold.
struct Generated {
    path: &'static str,
    content: fn() -> String,
}

/// Every generated file; one more is one more line.
const FILES: &[Generated] = &[
    Generated {
        path: "schema/recording.schema.json",
        content: recording_schema,
    },
    Generated {
        path: "schema/findings.schema.json",
        content: findings_schema,
    },
    Generated {
        path: "docs/rules.md",
        content: rule_pages,
    },
    Generated {
        path: "docs/faults.md",
        content: fault_pages,
    },
    Generated {
        path: "docs/slips.md",
        content: slip_pages,
    },
    Generated {
        path: "docs/profiles.md",
        content: profile_pages,
    },
    Generated {
        path: "docs/command-line.md",
        content: command_pages,
    },
];

#[test]
fn generated_files_are_what_the_program_makes_now() {
    let stale: Vec<_> = FILES
        .iter()
        .filter(|file| !file.is_current())
        .map(|file| file.path)
        .collect();
    assert!(
        stale.is_empty(),
        "stale: {stale:?}; `cargo xtask bless` writes them, then read the diff"
    );
}

impl Generated {
    /// Whether the committed file is up to date; written first when files are blessed.
    fn is_current(&self) -> bool {
        let path = root().join(self.path);
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let wanted = self.under_the_mark(&committed);
        if committed != wanted && std::env::var_os("HOLDOVER_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &wanted).unwrap();
            return true;
        }
        committed == wanted
    }

    /// The whole file: in a document, what stands above the mark, and the content below it.
    fn under_the_mark(&self, committed: &str) -> String {
        let content = (self.content)();
        if Path::new(self.path)
            .extension()
            .is_some_and(|kind| kind == "json")
        {
            return content;
        }
        let above = committed.split(MARK).next().unwrap_or_default();
        format!("{above}{MARK}\n{}\n", content.trim())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
        .to_owned()
}

fn recording_schema() -> String {
    holdover_report::schema::text(&holdover_report::schema::recording::schema())
}

fn findings_schema() -> String {
    holdover_report::schema::text(&holdover_report::schema::findings::schema())
}

/// A table of all rules, then the page of each, as `holdover explain` prints it.
fn rule_pages() -> String {
    let mut text = String::from("| rule | class | severity | what it says |\n|---|---|---|---|\n");
    for rule in rules::all() {
        let (class, severity) = (rule.class.as_str(), rule.severity.as_str());
        writeln!(
            text,
            "| [`{0}`](#{0}) | {class} | {severity} | {1} |",
            rule.name, rule.summary
        )
        .unwrap();
    }
    for rule in rules::all() {
        write!(text, "\n## `{}`\n\n{}\n", rule.name, as_markdown(rule.page)).unwrap();
    }
    text
}

/// A page of the terminal as Markdown: its headings become bold words before their text.
fn as_markdown(page: &str) -> String {
    let headings = ["What happened", "Why it matters", "Fix"];
    headings.iter().fold(page.to_owned(), |page, heading| {
        assert!(
            page.contains(&format!("{heading}\n")),
            "a rule's page has no `{heading}`"
        );
        page.replacen(&format!("{heading}\n"), &format!("**{heading}:** "), 1)
    })
}

/// A table of faults for each group, then the keys that say when and where.
fn fault_pages() -> String {
    let mut text = String::new();
    let cards = catalogue::all();
    for group in cards.chunk_by(|card, next| card.group == next.group) {
        write!(
            text,
            "## {}\n\n| fault | what happens | copies | options |\n|---|---|---|---|\n",
            group[0].group.as_str()
        )
        .unwrap();
        for card in group {
            let row = [card.about, card.incident, &options(card)].map(|cell| cell.replace('|', "\\|"));
            writeln!(text, "| `{}` | {} |", card.name, row.join(" | ")).unwrap();
        }
        text.push('\n');
    }
    text.push_str("## When and where\n\n| key | meaning |\n|---|---|\n");
    for key in KEYS {
        writeln!(text, "| `{}` | {} |", key.name, key.about.replace('|', "\\|")).unwrap();
    }
    text
}

fn options(card: &FaultCard) -> String {
    let each = card
        .options
        .iter()
        .map(|option| format!("`{}`: {}", option.name, option.about));
    each.collect::<Vec<_>>().join("; ")
}

/// A table of all slips: what is planted, where it can be planted, and what an outsider sees of it.
fn slip_pages() -> String {
    let mut text = String::from(
        "| slip | stage | the mistake | where it exists | what is seen |\n|---|---|---|---|---|\n",
    );
    for slip in Slip::all() {
        let row = [slip.stage().as_str(), slip.about(), slip.needs(), slip.seen()].join(" | ");
        writeln!(text, "| `{}` | {row} |", slip.name()).unwrap();
    }
    text
}

/// A table of all profiles, then each switch with its value in each of them.
fn profile_pages() -> String {
    let profiles = profile::all();
    let mut text = String::from("| profile | as of | what it is |\n|---|---|---|\n");
    for profile in profiles {
        writeln!(
            text,
            "| `{}` | {} | {} |",
            profile.name, profile.as_of, profile.about
        )
        .unwrap();
    }
    let names: Vec<String> = profiles
        .iter()
        .map(|profile| format!("`{}`", profile.name))
        .collect();
    write!(
        text,
        "\n## Switches\n\n| switch | {} |\n|---{}|\n",
        names.join(" | "),
        "|---".repeat(names.len())
    )
    .unwrap();
    let switches: Vec<Value> = profiles
        .iter()
        .map(|profile| serde_json::to_value(&profile.switches).unwrap())
        .collect();
    for name in switches[0].as_object().unwrap().keys() {
        let values: Vec<String> = switches.iter().map(|switches| shown(&switches[name])).collect();
        writeln!(text, "| `{name}` | {} |", values.join(" | ")).unwrap();
    }
    text
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(name, value)| format!("{name}: {}", shown(value)));
            members.collect::<Vec<_>>().join("<br>")
        }
        other => other.to_string(),
    }
}

/// The help of every command, as the terminal shows it.
fn command_pages() -> String {
    let help = |arguments: &[&str]| Holdover::new(arguments).run().stdout;
    let mut text = format!("```text\n{}```\n", help(&["--help"]));
    for command in shell::commands().iter().filter(|command| *command != "help") {
        write!(
            text,
            "\n## `holdover {command}`\n\n```text\n{}```\n",
            help(&[command, "--help"])
        )
        .unwrap();
    }
    text
}
