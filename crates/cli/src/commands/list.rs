//! `holdover list`: what there is, one name a line with a sentence.

use holdover_agent::Slip;
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
            terminal.say(Stream::Out, "no fault has landed in this version");
            return Exit::Expected;
        }
    };
    terminal.say(Stream::Out, &columns(rows));
    Exit::Expected
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
