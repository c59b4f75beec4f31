//! `holdover experiment`: what endpoints make of replayed reasoning, measured and written as `replay_policy.csv`.

use holdover_runner::experiment::server::{Live, Secret};
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
        live: live(arguments)?,
    };
    if plan.live.is_some() {
        let conversations = experiment::conversations(&plan);
        terminal.say(
            Stream::Error,
            &format!("{conversations} conversations with a live server: it may bill them"),
        );
    }
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
    if rows.iter().all(|row| row.result == "no_answer") {
        terminal.say(
            Stream::Error,
            "error: nothing answered: the column `note` says why\n  help: is `--base-url` what your client has?",
        );
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Expected)
}

/// The live server, where one is named.
fn live(arguments: &Experiment) -> anyhow::Result<Option<Live>> {
    let Some(base_url) = &arguments.base_url else {
        return Ok(None);
    };
    let [_] = arguments.profiles.as_slice() else {
        return Err(
            UserError::usage("a live server is one endpoint, and several profiles were named")
                .help("name the one that describes it with `--profile NAME`")
                .into(),
        );
    };
    let Some(model) = arguments.model.clone() else {
        return Err(UserError::usage("a live server has to be told the model")
            .help("name it with `--model NAME`")
            .into());
    };
    let key = std::env::var(&arguments.key_env).map_err(|_| {
        UserError::usage(format!("the variable {} holds no key", arguments.key_env))
            .help("set it, or name another with `--key-env NAME`")
    })?;
    Ok(Some(Live {
        base_url: base_url.clone(),
        key: Secret::new(key),
        model,
    }))
}
