//! From text to a checked [`Scenario`]: every problem of the file in one pass.
//!
//! | module | what is there |
//! |---|---|
//! | `fields` | reading one table by its keys |
//! | `server` … `expect` | one file for each table of the format |
//! | `settings` | the values that `[matrix]` and `[twin]` put in the place of others |
//! | `check` | contradictions between tables |

mod agent;
mod check;
mod client;
mod expect;
mod fault;
mod fields;
mod json;
mod project;
mod reply;
mod root;
mod server;
mod settings;
mod tool;
mod turn;

use std::collections::BTreeSet;

use crate::problem::{Code, Problem, Span};
use crate::spec::{Project, Scenario};
use crate::tree;
use crate::vocabulary::Vocabulary;

use fields::Reader;

/// Parses and checks one file. `file` is how messages name it. All problems come at once, in file order.
pub fn parse(file: &str, text: &str, vocabulary: &Vocabulary) -> Result<Scenario, Vec<Problem>> {
    let parsed = tree::parse(file, text);
    let mut reader = Reader::new(file, text, vocabulary);
    let scenario = settings::cases(&mut reader, &parsed.root);
    let problems = merge(parsed.problems, &parsed.ruined, reader.into_problems());
    match scenario {
        Some(scenario) if problems.is_empty() => Ok(scenario),
        _ => Err(problems),
    }
}

/// Parses and checks a `holdover.toml` in the same way.
pub fn parse_project(file: &str, text: &str, vocabulary: &Vocabulary) -> Result<Project, Vec<Problem>> {
    let parsed = tree::parse(file, text);
    let mut reader = Reader::new(file, text, vocabulary);
    let project = project::read(&mut reader, &parsed.root);
    let problems = merge(parsed.problems, &parsed.ruined, reader.into_problems());
    match project {
        Some(project) if problems.is_empty() => Ok(project),
        _ => Err(problems),
    }
}

/// Puts both lists in file order, each problem once. What only follows from a syntax error is left out: a problem at
/// its place, and the absence of what may stand behind it.
fn merge(syntax: Vec<Problem>, ruined: &[Span], found: Vec<Problem>) -> Vec<Problem> {
    let broken = !syntax.is_empty();
    let mut all = syntax;
    let place = |one: &Problem| (one.code, one.at.span.start, one.at.span.end);
    let mut known: BTreeSet<_> = all.iter().map(place).collect();
    for problem in found {
        let follows =
            broken && (is_absence(problem.code) || ruined.iter().any(|p| touches(p, &problem.at.span)));
        if !follows && known.insert(place(&problem)) {
            all.push(problem);
        }
    }
    all.sort_by_key(|problem| problem.at.span.start);
    all
}

fn is_absence(code: Code) -> bool {
    matches!(
        code,
        Code::MissingKey
            | Code::TurnWithoutInput
            | Code::OutputWithoutCall
            | Code::NoSuchTurn
            | Code::TwinWithoutChange
    )
}

fn touches(one: &Span, other: &Span) -> bool {
    one.start <= other.end && other.start <= one.end
}
