//! `holdover list`: what there is, one name a line with a sentence.

use holdover_agent::Slip;
use holdover_fault::{FaultCard, KEYS, catalogue};
use holdover_judge::rules;
use holdover_profile::provider::Book;
use holdover_profile::{Models, profile};
use holdover_scenario::suites;

use crate::args::{List, Listed};
use crate::exit::Exit;
use crate::terminal::{Stream, Terminal};

pub(crate) fn list(arguments: &List, terminal: Terminal) -> Exit {
    let rows = match arguments.what {
        Listed::Rules => rules::all()
            .iter()
            .map(|rule| row(rule.name, rule.class.as_str(), rule.summary))
            .collect(),
        Listed::Slips => Slip::all()
            .iter()
            .map(|slip| row(slip.name(), slip.stage().as_str(), slip.about()))
            .collect(),
        Listed::Profiles => profiles(),
        Listed::Models => models(),
        Listed::Suites => suite_rows(),
        Listed::Faults => {
            terminal.say(Stream::Out, &faults());
            return Exit::Expected;
        }
    };
    terminal.say(Stream::Out, &columns(&rows));
    Exit::Expected
}

/// Each fault with the incident that it copies and its options, then what a trigger may have.
fn faults() -> String {
    let width = catalogue::all()
        .iter()
        .map(|card| card.name.len())
        .max()
        .unwrap_or(0);
    let line = |name: &str, group: &str, text: &str| format!("{name:width$}  {group:10}  {text}\n");
    let of_card = |card: &FaultCard| {
        let options = card.options.iter();
        let options = options.map(|option| line("", "", &format!("{}: {}", option.name, option.about)));
        line(card.name, card.group.as_str(), card.about)
            + &line("", "", &format!("copies: {}", card.incident))
            + &options.collect::<String>()
    };
    let cards: String = catalogue::all().into_iter().map(of_card).collect();
    let keys: String = KEYS.iter().map(|key| line(key.name, "", key.about)).collect();
    format!("{cards}\nwhen and where: `on = {{ KEY = VALUE }}`, or `--fault NAME:KEY=VALUE,…`\n{keys}")
}

/// Profiles of the Responses API, then endpoints of other providers.
fn profiles() -> Vec<Row> {
    let own = profile::all().iter();
    let own = own.map(|profile| row(&profile.name, &profile.as_of, &profile.about));
    let others = Book::builtin().all().iter();
    let others = others.map(|endpoint| row(&endpoint.name, endpoint.as_of.as_str(), &endpoint.line()));
    own.chain(others).collect()
}

type Row = [String; 3];

fn row(name: &str, kind: &str, about: &str) -> Row {
    [name.to_owned(), kind.to_owned(), about.to_owned()]
}

fn models() -> Vec<Row> {
    let models = Models::builtin();
    let kind = |reasoning| if reasoning { "reasoning" } else { "plain" };
    models
        .all()
        .iter()
        .map(|model| row(&model.name, kind(model.reasoning), &model.snapshot))
        .collect()
}

fn suite_rows() -> Vec<Row> {
    let files = suites::all();
    let count = |suite: &str| files.iter().filter(|file| file.suite == suite).count();
    suites::names()
        .iter()
        .map(|suite| row(&format!("@{suite}"), &count(suite).to_string(), "scenarios"))
        .collect()
}

fn columns(rows: &[Row]) -> String {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let (first, second) = (width(0), width(1));
    let line = |[name, kind, about]: &Row| format!("{name:first$}  {kind:second$}  {about}");
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}
