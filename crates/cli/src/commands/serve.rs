//! `holdover serve`: the fake in place of the real API.

use std::path::Path;

use holdover_judge::Clock;
use holdover_runner::gather;
use holdover_runner::lower;
use holdover_runner::real;
use holdover_runner::settings::Settings;
use holdover_server::{BindError, OwnRoutes, ServerConfig, StateConfig, StateConfigError};

use crate::args::{ClockArg, Serve};
use crate::commands::check;
use crate::exit::{Exit, UserError};
use crate::project;
use crate::settings::settings;
use crate::teaching;
use crate::terminal::{Stream, Terminal};

/// What to do about a port that is taken.
pub(crate) const FREE_PORT: &str = "`--listen 127.0.0.1:0` picks a free port";

pub(crate) fn serve(arguments: &Serve, terminal: Terminal) -> anyhow::Result<Exit> {
    let Some(project) = project::load(arguments.config.as_deref(), terminal)? else {
        return Ok(Exit::Usage);
    };
    let mut settings = settings(&arguments.common)?;
    project.tell(&mut settings, &arguments.common, terminal);
    let state = arguments.state.parse::<StateConfig>().map_err(|error| {
        UserError::usage(format!("`--state {}`: {error}", arguments.state)).help(StateConfigError::HELP)
    })?;
    let Some(mut config) = server_config(
        arguments.scenario.as_deref(),
        &settings,
        arguments.common.clock,
        terminal,
    )?
    else {
        return Ok(Exit::Usage);
    };
    config.listen = arguments.listen;
    config.state = state;
    config.own_routes = own_routes(arguments, terminal);
    if let Some(file) = &arguments.record {
        check_new(file)?;
    }
    config.record.clone_from(&arguments.record);
    config.extra_routes = teaching::routes(&config.fake);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = holdover_server::bind(config)
            .await
            .map_err(|error| refused(&error))?;
        terminal.say(
            Stream::Out,
            &format!("holdover listens: OPENAI_BASE_URL={}", server.base_url()),
        );
        server.run(stopped()).await;
        Ok(Exit::Expected)
    })
}

/// Who may use the server's own routes. A token closes them whatever else is said.
fn own_routes(arguments: &Serve, terminal: Terminal) -> OwnRoutes {
    let token = std::env::var("HOLDOVER_TOKEN")
        .ok()
        .filter(|token| !token.is_empty());
    match (token, arguments.closed) {
        (Some(token), _) => OwnRoutes::Token(token),
        (None, true) => OwnRoutes::Closed,
        (None, false) => {
            if !arguments.listen.ip().is_loopback() {
                let text =
                    "note: everyone who reaches this address may use /_holdover/; HOLDOVER_TOKEN closes it";
                terminal.say(Stream::Error, text);
            }
            OwnRoutes::Open
        }
    }
}

/// A recording that is there already is somebody's evidence.
fn check_new(file: &Path) -> Result<(), UserError> {
    match std::fs::metadata(file) {
        Ok(meta) if meta.len() > 0 => Err(UserError::usage(format!(
            "`{}` is there already and is left alone",
            file.display()
        ))
        .help("name another file for `--record`, or delete this one")),
        _ => Ok(()),
    }
}

fn refused(error: &BindError) -> UserError {
    let message = error.to_string();
    match error {
        BindError::AddressInUse { .. } | BindError::Address { .. } => {
            UserError::not_run(message).help(FREE_PORT)
        }
        BindError::Record { .. } | BindError::Pattern(_) => UserError::usage(message),
        BindError::Thread(_) | BindError::State(_) => UserError::not_run(message),
    }
}

/// Ctrl-C, or the signal that a supervisor sends.
async fn stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    // Without a handler there is nothing to wait for: the default action of the signal ends the process.
    let _ = tokio::signal::ctrl_c().await;
}

/// The server of a scenario file, or one without a script; `None` when the file has problems, which were shown.
pub(crate) fn server_config(
    scenario: Option<&Path>,
    settings: &Settings,
    clock: ClockArg,
    terminal: Terminal,
) -> anyhow::Result<Option<ServerConfig>> {
    let clock = match clock {
        ClockArg::Virtual => Clock::Virtual,
        ClockArg::Wall => Clock::Wall,
    };
    let usage = |error: holdover_profile::UnknownName| UserError::usage(error.to_string());
    let Some(path) = scenario else {
        let (fake, judge) = (settings.fake().map_err(usage)?, settings.judge().map_err(usage)?);
        return Ok(Some(ServerConfig {
            fake,
            judge,
            faults: settings.faults.clone(),
            clock,
            ..ServerConfig::default()
        }));
    };
    let sources = gather::gather(&[path.to_string_lossy().into_owned()])
        .map_err(|error| UserError::usage(error.to_string()))?;
    let (cases, problems) = check::read(&sources, settings);
    if !problems.is_empty() {
        check::show(&problems, terminal);
        return Ok(None);
    }
    let [case] = cases.as_slice() else {
        return Err(UserError::usage(format!(
            "`{}` makes {} cases; a server plays one",
            path.display(),
            cases.len()
        ))
        .help("give one scenario file without `[matrix]`")
        .into());
    };
    let lowered = lower::lower(case, settings).map_err(|error| UserError::usage(error.to_string()))?;
    let case = lowered.into_iter().next();
    let Some(mut setup) = case.map(|case| case.setup) else {
        return Ok(None);
    };
    settings.repository.tell(&mut setup.judge);
    Ok(Some(ServerConfig {
        clock,
        ..real::server(setup)
    }))
}
