//! `cargo xtask`: everything CI runs, on any machine with Rust, Python and Node.
//!
//! | module | what is there |
//! |---|---|
//! | [`workspace`] | where the repository is, and how a tool is started in it |
//! | [`steps`] | the steps of `cargo xtask test`, as data |
//! | [`schedule`] | runs steps in order, says how long each took, and counts |
//! | [`fault_clients`] | every fault against real clients, and the table of it |
//! | [`dist`] | what is published, for every system, built twice and equal |
//! | [`packages`] | the wheel and the npm packages, built, installed and tried as a user would |
//! | [`clients`] | the pinned Python environments of the real clients |
//! | [`node`] | the pinned Node of the real clients, with its packages |
//! | [`board`] | every client in every program, and the tables that come of it |
//! | [`fuzz`] | damaged captures of every kind, for a minute |
//! | [`budgets`] | what starting, a first answer and a run of the suites may take |
//! | [`captures`] | large captures: how long they take, and how much memory |
//! | [`memory`] | memory of another process |
//! | [`run`] | `holdover run` twice, and a comparison byte for byte |
//! | [`bless`] | the committed files that tests compare, written anew |
//! | [`tree`] | what differs between two folders |
//!
//! No linker is chosen here: Rust links with its own `lld` on the machines that CI uses, and other flags than
//! plain `cargo` has would build everything twice.

use std::io::Write as _;
use std::process::ExitCode;

mod bless;
mod board;
mod budgets;
mod captures;
mod clients;
mod dist;
mod fault_clients;
mod fuzz;
mod memory;
mod node;
mod packages;
mod run;
mod schedule;
mod steps;
mod tree;
mod workspace;

use workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test [NAME…]   everything CI runs; with names, only the steps of these names and what they need
  list           the names of the steps
  bless          write generated files and snapshots anew
  clients [CLIENT [PROGRAM…]]
                 set up the environments of the real clients, run the board, write docs/clients.csv and docs/clients.md;
                 with a client, only that one, and its cells are printed and not written
  bench          run the benchmarks
  dist [all | TARGET…]
                 build the archive, the wheel and the npm packages of this machine (or of these targets) twice, compare,
                 and try them; into target/dist/files
  image          build the image of the Dockerfile from what `dist` built, start it, and ask it
";

fn main() -> ExitCode {
    match command(std::env::args().skip(1).collect()) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs the subcommand that `arguments` name.
fn command(arguments: Vec<String>) -> anyhow::Result<ExitCode> {
    let mut arguments = arguments.into_iter();
    let name = arguments.next().unwrap_or_default();
    let rest: Vec<String> = arguments.collect();
    if !["test", "clients", "dist"].contains(&name.as_str()) && !rest.is_empty() {
        return Ok(usage());
    }
    match name.as_str() {
        "test" => steps::test(&Workspace::find()?, &rest),
        "list" => Ok(steps::list()),
        "bless" => done(bless::write(&Workspace::find()?)),
        "clients" => done(board::write(&Workspace::find()?, &rest)),
        "dist" => done(dist::build(&Workspace::find()?, &rest)),
        "image" => done(dist::image::check(&Workspace::find()?)),
        "bench" => done(Workspace::find()?.cargo("bench --workspace --locked").run()),
        _ => Ok(usage()),
    }
}

fn done(result: anyhow::Result<()>) -> anyhow::Result<ExitCode> {
    result.map(|()| ExitCode::SUCCESS)
}

fn usage() -> ExitCode {
    say(USAGE.trim_end());
    ExitCode::from(2)
}

/// One line on standard output. A closed pipe is no reason to stop a test run.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
