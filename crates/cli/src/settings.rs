//! Arguments to settings of a run, with a clear answer to each that cannot be used.

use holdover_fake::AutoTools;
use holdover_fault::{Fault, clashes};
use holdover_judge::Severity;
use holdover_profile::provider::Day;
use holdover_profile::{ModelKind, Org, Profile, Switch};
use holdover_report::ReportKind as Kind;
use holdover_runner::settings::{Repository, Settings};

use crate::args::{Common, FailOn, OrgArg, ReportKind};
use crate::exit::UserError;

/// The settings of these arguments; every option is checked before anything runs.
pub(crate) fn settings(common: &Common) -> Result<Settings, UserError> {
    if let Some(name) = &common.profile {
        Profile::builtin(name).map_err(|error| UserError::usage(error.to_string()))?;
    }
    Ok(Settings {
        seed: common.seed,
        profile: common.profile.clone(),
        day: common.as_of.as_deref().map(day).transpose()?,
        switches: common
            .switches
            .iter()
            .map(|text| Switch::parse(text).map_err(|error| UserError::usage(error.to_string())))
            .collect::<Result<_, _>>()?,
        org: common.org.map(|org| match org {
            OrgArg::Default => Org::Default,
            OrgArg::Zdr => Org::Zdr,
        }),
        models: common
            .models
            .iter()
            .map(|text| model(text))
            .collect::<Result<_, _>>()?,
        auto_tools: common.auto_tools.as_deref().map(auto_tools).transpose()?,
        faults: faults(&common.faults)?,
        repository: Repository::default(),
        fail_on: severity(common.fail_on.unwrap_or(FailOn::Error)),
    })
}

fn day(text: &str) -> Result<Day, UserError> {
    Day::parse(text).map_err(|error| UserError::usage(format!("`--as-of {text}`: {error}")))
}

fn faults(flags: &[String]) -> Result<Vec<Fault>, UserError> {
    let mut faults = Vec::new();
    for flag in flags {
        let fault = Fault::parse_flag(flag).map_err(|problems| {
            let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            let helps: Vec<&str> = problems.iter().map(|problem| problem.help.as_str()).collect();
            UserError::usage(format!("`--fault {flag}`: {}", messages.join("; "))).help(helps.join("; "))
        })?;
        faults.push(fault);
    }
    match clashes(&faults).first() {
        Some(clash) => Err(UserError::usage(clash.message.clone()).help(clash.help.clone())),
        None => Ok(faults),
    }
}

fn severity(fail_on: FailOn) -> Severity {
    match fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Note => Severity::Note,
    }
}

fn model(text: &str) -> Result<(String, ModelKind), UserError> {
    let parsed = text
        .rsplit_once('=')
        .and_then(|(name, kind)| Some((name, ModelKind::parse(kind)?)));
    match parsed {
        Some((name, kind)) if !name.is_empty() => Ok((name.to_owned(), kind)),
        _ => Err(
            UserError::usage(format!("`--model {text}` does not say what the model is"))
                .help("write NAME=reasoning or NAME=plain, as in `--model my-model=reasoning`"),
        ),
    }
}

fn auto_tools(text: &str) -> Result<AutoTools, UserError> {
    match text {
        "off" => Ok(AutoTools::Off),
        "named" => Ok(AutoTools::Named),
        "any" => Ok(AutoTools::Any),
        "" => Err(UserError::usage("`--auto-tools` needs a word")
            .help("one of off, named, any, or a list of tool names")),
        list => Ok(AutoTools::List(
            list.split(',').map(|name| name.trim().to_owned()).collect(),
        )),
    }
}

/// The reports that `--report` names; all of them when it names none.
pub(crate) fn report_kinds(asked: &[ReportKind]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = asked
        .iter()
        .map(|kind| match kind {
            ReportKind::Csv => Kind::Csv,
            ReportKind::Junit => Kind::Junit,
            ReportKind::Md => Kind::Markdown,
            ReportKind::Json => Kind::Json,
            ReportKind::Html => Kind::Html,
            ReportKind::Sarif => Kind::Sarif,
            ReportKind::Gitlab => Kind::Gitlab,
        })
        .collect();
    if kinds.is_empty() {
        kinds = Kind::ALL.to_vec();
    }
    kinds.sort();
    kinds.dedup();
    kinds
}
