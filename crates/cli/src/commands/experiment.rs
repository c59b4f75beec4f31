//! `holdover experiment`: what endpoints make of replayed reasoning, measured and written as `replay_policy.csv`.

use holdover_runner::experiment::{self, Plan};
use holdover_runner::output;

use crate::args::Experiment;
use crate::commands::policy::endpoints;
use crate::exit::{Exit, UserError};
use crate::terminal::{Stream, Terminal};

pub(crate) fn experiment(arguments: &Experiment, terminal: Terminal) -> anyhow::Result<Exit> {
    let plan = Plan {
        endpoints: endpoints(&arguments.profiles)?,
        repetitions: arguments.repetitions.get(),
        seed: arguments.seed,
    };
    let rows = experiment::run(&plan);
    if rows.is_empty() {
        terminal.say(Stream::Error, "error: no wire of these endpoints is served yet");
        return Ok(Exit::Nothing);
    }
    let file = ("replay_policy.csv".to_owned(), experiment::table(&rows));
    output::write(&arguments.out, &[file])
        .map_err(|error| UserError::usage(error.to_string()).help("give another folder with `--out DIR`"))?;
    for line in experiment::summary(&rows) {
        terminal.say(Stream::Out, &line);
    }
    Ok(Exit::Expected)
}
