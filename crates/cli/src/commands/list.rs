//! `holdover list`: what there is, one name a line with a sentence.

use holdover_agent::Slip;
use holdover_fault::{KEYS, catalogue};
use holdover_judge::rules;
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
        Listed::Profiles => profile::all()
            .iter()
            .map(|profile| row(&profile.name, &profile.as_of, &profile.about))
            .collect(),
        Listed::Models => models(),
        Listed::Suites => suite_rows(),
        Listed::Faults => {
            terminal.say(Stream::Out, &faults());
            return Exit::Expected;
        }
    };
    terminal.say(Stream::Out, &columns(rows));
    Exit::Expected
}

/// Each fault with the incident that it copies and its options, then the conditions that a trigger may have.
fn faults() -> String {
    let width = |names: &mut dyn Iterator<Item = &'static str>| names.map(str::len).max().unwrap_or(0);
    let cards = catalogue::all();
    let name_width = width(&mut cards.iter().map(|card| card.name));
    let mut text = String::new();
    for card in cards {
        let line = format!(
            "{:name_width$}  {:10}  {}\n",
            card.name,
            card.group.as_str(),
            card.about
        );
        text.push_str(&line);
        text.push_str(&format!(
            "{:name_width$}  {:10}  copies: {}\n",
            "", "", card.incident
        ));
        for option in card.options {
            let line = format!(
                "{:name_width$}  {:10}  {}: {}\n",
                "", "", option.name, option.about
            );
            text.push_str(&line);
        }
    }
    let key_width = width(&mut KEYS.iter().map(|key| key.name));
    text.push_str("\nwhen and where (`on = { … }`, or behind the colon of `--fault NAME:KEY=VALUE,…`)\n");
    for key in KEYS {
        text.push_str(&format!("{:key_width$}  {}\n", key.name, key.about));
    }
    text
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

fn columns(rows: Vec<Row>) -> String {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let (first, second) = (width(0), width(1));
    rows.iter()
        .map(|[name, kind, about]| format!("{name:first$}  {kind:second$}  {about}\n"))
        .collect()
}
