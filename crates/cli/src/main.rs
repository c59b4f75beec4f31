//! The command line of Holdover.
//!
//! | module | what is there |
//! |---|---|
//! | `args` | arguments |
//! | `ci` | what a CI system reads, without being configured |
//! | `commands` | one file for each command |
//! | `baseline` | the file of known findings |
//! | `project` | `holdover.toml`, read and applied |
//! | `exit` | exit codes, and mistakes of the user's |
//! | `sources` | source files of a repository, searched for places that lose or leak reasoning |
//! | `settings` | arguments to settings of a run |
//! | `teaching` | the two endpoints that show a team the first leak (D2) |
//! | `terminal` | everything that is printed |

mod args;
mod baseline;
mod ci;
mod commands;
mod exit;
mod project;
mod settings;
mod sources;
mod teaching;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, ColorArg, Command};
use crate::exit::{Exit, UserError};
use crate::terminal::Terminal;

/// A turn makes some hundred small values, and another thread frees them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // `--help` and `--version` come this way too, with exit code 0.
        Err(error) => {
            let code = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Expected
            };
            // A reader that went away is no error of ours.
            let _ = error.print();
            return ExitCode::from(code.code());
        }
    };
    let terminal = Terminal::new(color(&cli.command));
    let exit = dispatch(cli.command, terminal).unwrap_or_else(|error| {
        if let Some(mistake) = error.downcast_ref::<UserError>() {
            terminal.user_error(mistake);
            mistake.exit
        } else {
            terminal.internal_error(&error);
            Exit::Internal
        }
    });
    ExitCode::from(exit.code())
}

fn color(command: &Command) -> ColorArg {
    let common = match command {
        Command::Serve(serve) => &serve.common,
        Command::Run(run) => &run.common,
        Command::Test(test) => &test.common,
        Command::Judge(judge) => &judge.common,
        Command::Conformance(conformance) => &conformance.common,
        Command::Check(check) => &check.common,
        Command::Demo(demo) => &demo.common,
        Command::Import(import) => &import.common,
        Command::Shrink(shrink) => &shrink.common,
        Command::Diff(diff) => &diff.common,
        Command::Repair(_)
        | Command::Policy(_)
        | Command::Experiment(_)
        | Command::List(_)
        | Command::Explain(_)
        | Command::Init(_)
        | Command::Completions(_)
        | Command::Man
        | Command::Scan(_)
        | Command::Schema(_) => {
            return ColorArg::Auto;
        }
    };
    common.color
}

fn dispatch(command: Command, terminal: Terminal) -> anyhow::Result<Exit> {
    match command {
        Command::Serve(arguments) => commands::serve::serve(&arguments, terminal),
        Command::Run(arguments) => commands::run::run(&arguments, terminal),
        Command::Test(arguments) => commands::test::test(&arguments, terminal),
        Command::Init(arguments) => commands::init::init(&arguments, terminal),
        Command::Judge(arguments) => commands::judge::judge(&arguments, terminal),
        Command::Conformance(arguments) => commands::conformance::conformance(&arguments, terminal),
        Command::Check(arguments) => commands::check::check(&arguments, terminal),
        Command::Import(arguments) => commands::import::import(&arguments, terminal),
        Command::Shrink(arguments) => commands::shrink::shrink(&arguments, terminal),
        Command::Diff(arguments) => commands::diff::diff(&arguments, terminal),
        Command::Repair(arguments) => commands::repair::repair(&arguments, terminal),
        Command::Policy(arguments) => commands::policy::policy(&arguments, terminal),
        Command::Experiment(arguments) => commands::experiment::experiment(&arguments, terminal),
        Command::List(arguments) => Ok(commands::list::list(&arguments, terminal)),
        Command::Explain(arguments) => commands::explain::explain(&arguments, terminal),
        Command::Scan(arguments) => commands::scan::scan(&arguments, terminal),
        Command::Schema(arguments) => Ok(commands::schema::schema(&arguments, terminal)),
        Command::Completions(arguments) => commands::shell::completions(&arguments, terminal),
        Command::Man => commands::shell::manual(terminal),
        Command::Demo(arguments) => commands::demo::demo(&arguments, terminal),
    }
}
