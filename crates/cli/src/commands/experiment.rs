//! `holdover experiment`: what endpoints make of replayed reasoning, measured and written as `replay_policy.csv`.

use std::env::VarError;
use std::sync::Arc;

use axum::http::{HeaderValue, Uri};
use holdover_profile::provider::Endpoint;
use holdover_runner::experiment::server::{Live, Secret};
use holdover_runner::experiment::{self, Plan};
use holdover_runner::output::{self, OutputError};

use crate::args::Experiment;
use crate::commands::policy::endpoints;
use crate::exit::{Exit, UserError};
use crate::terminal::{Stream, Terminal};

const TABLE: &str = "replay_policy.csv";

pub(crate) fn experiment(arguments: &Experiment, terminal: Terminal) -> anyhow::Result<Exit> {
    let plan = Plan {
        endpoints: measured(arguments)?,
        repetitions: arguments.repetitions.get(),
        seed: arguments.seed,
        live: live(arguments)?,
    };
    if plan.live.is_some() {
        // Nobody pays for answers that cannot be written.
        output::check(&arguments.out, &[TABLE]).map_err(|error| unwritten(&error))?;
        let conversations = experiment::conversations(&plan);
        terminal.say(
            Stream::Error,
            &format!("{conversations} conversations with a live server: it may bill them"),
        );
    }
    let rows = experiment::run(&plan);
    if let Some(why) = experiment::turned_away(&rows) {
        let error = format!("error: nothing was measured, and nothing is written: {why}");
        let help = format!(
            "  help: are `--base-url`, `--model` and the key in {} what your client has?",
            arguments.key_env
        );
        terminal.say(Stream::Error, &format!("{error}\n{help}"));
        return Ok(Exit::Nothing);
    }
    let file = (TABLE.to_owned(), experiment::table(&rows));
    output::write(&arguments.out, &[file]).map_err(|error| unwritten(&error))?;
    for line in experiment::summary(&rows) {
        terminal.say(Stream::Out, &line);
    }
    Ok(Exit::Expected)
}

fn unwritten(error: &OutputError) -> UserError {
    UserError::usage(error.to_string()).help("give another folder with `--out DIR`")
}

/// The endpoints; one that is named is measured or refused.
fn measured(arguments: &Experiment) -> Result<Vec<Arc<Endpoint>>, UserError> {
    let named = endpoints(&arguments.profiles)?;
    let other = named.iter().find(|endpoint| !experiment::measures(endpoint));
    match other.filter(|_| !arguments.profiles.is_empty()) {
        Some(other) => Err(UserError::usage(format!(
            "`{}` speaks {}, and the experiment speaks chat-completions only",
            other.name,
            other.wire.as_str()
        ))
        .help("leave `--profile` out to measure all that can be measured")),
        None => Ok(named),
    }
}

/// The live server, where one is named.
fn live(arguments: &Experiment) -> Result<Option<Live>, UserError> {
    let Some(base_url) = &arguments.base_url else {
        return Ok(None);
    };
    let [_] = arguments.profiles.as_slice() else {
        return Err(
            UserError::usage("a live server is one endpoint, and several profiles were named")
                .help("name the one that describes it with `--profile NAME`"),
        );
    };
    check_url(base_url)?;
    let Some(model) = arguments.model.clone() else {
        return Err(
            UserError::usage("a live server has to be told the model").help("name it with `--model NAME`")
        );
    };
    Ok(Some(Live {
        base_url: base_url.clone(),
        key: key(&arguments.key_env)?,
        model,
    }))
}

/// A URL may hold a password, so no message repeats it.
fn check_url(base_url: &str) -> Result<(), UserError> {
    let wrong = |why: &str| {
        Err(UserError::usage(format!("the value of `--base-url` {why}"))
            .help("write it as your client has it: `https://api.example/v1`"))
    };
    let Ok(url) = base_url.parse::<Uri>() else {
        return wrong("is no URL");
    };
    if !matches!(url.scheme_str(), Some("http" | "https")) {
        return wrong("does not begin with `http://` or `https://`");
    }
    match url.authority() {
        Some(authority) if authority.as_str().contains('@') => {
            wrong("holds a user, which belongs into the key")
        }
        Some(authority) if !authority.host().is_empty() => {
            if base_url.contains(['?', '#']) {
                wrong("goes on after its path")
            } else {
                Ok(())
            }
        }
        _ => wrong("names no host"),
    }
}

fn key(variable: &str) -> Result<Secret, UserError> {
    // The value itself is shown nowhere.
    let unfit = || {
        UserError::usage(format!(
            "the variable {variable} holds a key that no header can carry"
        ))
        .help("look for a line end, or a letter that is not of ASCII")
    };
    let key = match std::env::var(variable) {
        Err(VarError::NotUnicode(_)) => return Err(unfit()),
        Err(VarError::NotPresent) => String::new(),
        Ok(key) => key,
    };
    if key.trim().is_empty() {
        return Err(UserError::usage(format!("the variable {variable} holds no key"))
            .help("set it, or name another with `--key-env NAME`"));
    }
    if HeaderValue::from_str(&key).is_err() {
        return Err(unfit());
    }
    Ok(Secret::new(&key))
}
