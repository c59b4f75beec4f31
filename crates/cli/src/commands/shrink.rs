//! `holdover shrink`: the smallest scenario that still fails the same way.

use holdover_capture::script::{self, Script};
use holdover_runner::import::{self, Keeps};
use holdover_runner::settings::Settings;
use holdover_runner::vocabulary::vocabulary;
use holdover_scenario::{Scenario, parse};

use crate::args::Shrink;
use crate::commands::check;
use crate::commands::import::write_new;
use crate::exit::{Exit, UserError};
use crate::settings::settings;
use crate::terminal::{Stream, Terminal};

pub(crate) fn shrink(arguments: &Shrink, terminal: Terminal) -> anyhow::Result<Exit> {
    let settings = settings(&arguments.common)?;
    let file = arguments.scenario.display().to_string();
    let text = std::fs::read_to_string(&arguments.scenario)
        .map_err(|error| UserError::usage(format!("cannot read `{file}`: {error}")))?;
    let scenario = match parse(&file, &text, &vocabulary(&settings)) {
        Ok(scenario) => scenario,
        Err(problems) => {
            let problems: Vec<_> = problems
                .into_iter()
                .map(|problem| (problem, text.as_str()))
                .collect();
            check::show(&problems, terminal);
            return Ok(Exit::Usage);
        }
    };
    let (script, before) = pasted(&scenario, &settings)?;
    let played =
        import::play_script(&script, &settings).map_err(|error| UserError::usage(error.to_string()))?;
    let Some(keeps) = Keeps::of(&played, arguments.finding.as_deref()) else {
        let message = match &arguments.finding {
            Some(rule) => format!("`{file}` does not show `{rule}`"),
            None => format!("`{file}` shows no finding and no refusal"),
        };
        return Err(UserError::usage(message)
            .help("only what fails can be made smaller; `holdover run` says what it shows")
            .into());
    };
    let small = import::shrunk(&script, &keeps, &settings);
    write_new(&arguments.output, &small.to_toml())?;
    let kept = match &keeps {
        Keeps::Finding(rule) => format!("the finding `{rule}`"),
        Keeps::Refusal(number) => format!("the refusal {number}"),
    };
    let after = small.turns.len();
    terminal.say(
        Stream::Out,
        &format!("{before} exchanges became {after}; {kept} stays; nothing that is left can go by itself\nthe scenario is in `{}`", arguments.output.display()),
    );
    Ok(Exit::Expected)
}

/// The scenario with pasted requests: its own, or those that its played client sends.
fn pasted(scenario: &Scenario, settings: &Settings) -> anyhow::Result<(Script, usize)> {
    if let Some(script) = Script::of_scenario(scenario) {
        let count = script.turns.len();
        return Ok((script, count));
    }
    if scenario.client.is_some() {
        return Err(UserError::usage(
            "a scenario with `[client]` cannot be made smaller: its client decides what it sends",
        )
        .help("record it with `holdover serve --record FILE`, then `holdover import FILE`")
        .into());
    }
    let played =
        import::play_scenario(scenario, settings).map_err(|error| UserError::usage(error.to_string()))?;
    let models = settings.models();
    let known: Vec<String> = models.names().map(|name| (*name).to_owned()).collect();
    let (script, _) = script::script_of(&played.recording, &scenario.name.value, &|model| {
        known.iter().any(|name| name == model)
    });
    let count = script.turns.len();
    Ok((script, count))
}
