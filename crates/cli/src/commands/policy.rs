//! `holdover policy check`: where a replay policy would break an endpoint, told without traffic.

use std::fs;
use std::sync::Arc;

use holdover_profile::Profile;
use holdover_profile::policy::{Grade, Policy, Problem, verify};
use holdover_profile::provider::{Book, Endpoint};
use holdover_scenario::suggest::nearest;
use serde_json::json;

use crate::args::{CheckFormat, Policy as PolicyArguments, PolicyCheck, PolicyCommand};
use crate::exit::{Exit, UserError};
use crate::terminal::{Stream, Terminal};

pub(crate) fn policy(arguments: &PolicyArguments, terminal: Terminal) -> anyhow::Result<Exit> {
    match &arguments.command {
        PolicyCommand::Check(check) => self::check(check, terminal),
    }
}

fn check(arguments: &PolicyCheck, terminal: Terminal) -> anyhow::Result<Exit> {
    let file = arguments.policy.display();
    let text = fs::read_to_string(&arguments.policy)
        .map_err(|error| UserError::usage(format!("cannot read `{file}`: {error}")))?;
    let policy = Policy::parse(&text).map_err(|error| {
        UserError::usage(format!("`{file}` is no policy: {}", error.to_string().trim_end()))
            .help("docs/providers.md shows one")
    })?;
    let endpoints = endpoints(&arguments.profiles)?;
    let found: Vec<(Arc<Endpoint>, Problem)> = endpoints
        .iter()
        .flat_map(|endpoint| {
            let problems = verify(&policy, endpoint).into_iter();
            problems.map(|problem| (Arc::clone(endpoint), problem))
        })
        .collect();
    say(&policy, &endpoints, &found, arguments.format, terminal)?;
    let breaks = found.iter().any(|(_, problem)| problem.grade > Grade::Unsure);
    Ok(if breaks { Exit::Findings } else { Exit::Expected })
}

/// The endpoints of these names; all of them where none is given.
pub(crate) fn endpoints(names: &[String]) -> Result<Vec<Arc<Endpoint>>, UserError> {
    let book = Book::builtin();
    if names.is_empty() {
        return Ok(book.all().to_vec());
    }
    let find = |name: &String| {
        book.find(name).cloned().ok_or_else(|| {
            if Profile::builtin(name).is_ok() {
                return UserError::usage(format!(
                    "`{name}` is a profile of the Responses API, and has no entries about replayed reasoning"
                ))
                .help("name an endpoint of another provider: those of `holdover list profiles` that say their wire");
            }
            let unknown = UserError::usage(format!("no endpoint of another provider is named `{name}`"));
            let known = book.all().iter().map(|endpoint| endpoint.name.as_str());
            match nearest(name, known) {
                Some(near) => unknown.help(format!("did you mean `{near}`?")),
                None => unknown.help("`holdover list profiles` names them"),
            }
        })
    };
    names.iter().map(find).collect()
}

fn say(
    policy: &Policy,
    endpoints: &[Arc<Endpoint>],
    found: &[(Arc<Endpoint>, Problem)],
    format: CheckFormat,
    terminal: Terminal,
) -> anyhow::Result<()> {
    let lines: Vec<String> = match format {
        CheckFormat::Json => {
            let rows: Vec<_> = found
                .iter()
                .map(|(endpoint, problem)| {
                    json!({"policy_id": policy.policy_id, "profile": endpoint.name, "entry": problem.entry,
                        "grade": problem.grade.as_str(), "why": problem.why})
                })
                .collect();
            vec![serde_json::to_string_pretty(&rows)?]
        }
        CheckFormat::Short => found
            .iter()
            .map(|(endpoint, problem)| {
                let (grade, entry) = (problem.grade.as_str(), &problem.entry);
                format!("{}/{entry}: {grade}: {}", endpoint.name, problem.why)
            })
            .collect(),
        CheckFormat::Human => human(policy, endpoints, found),
    };
    for line in lines {
        terminal.say(Stream::Out, &line);
    }
    Ok(())
}

fn human(policy: &Policy, endpoints: &[Arc<Endpoint>], found: &[(Arc<Endpoint>, Problem)]) -> Vec<String> {
    let mut lines = Vec::new();
    for endpoint in endpoints {
        let of_it: Vec<&Problem> = found
            .iter()
            .filter(|(of, _)| of.name == endpoint.name)
            .map(|(_, problem)| problem)
            .collect();
        if of_it.is_empty() {
            lines.push(format!("{}: fits", endpoint.name));
            continue;
        }
        lines.push(format!("{}:", endpoint.name));
        lines.extend(of_it.iter().map(|problem| {
            let place = match problem.entry.as_str() {
                "" => String::new(),
                entry => format!(" at `{entry}`"),
            };
            format!("  {}{place}: {}", problem.grade.as_str(), problem.why)
        }));
    }
    let count = |grade| found.iter().filter(|(_, problem)| problem.grade == grade).count();
    lines.push(format!(
        "policy `{}` against {} endpoints: {} refused, {} silent, {} unsure",
        policy.policy_id,
        endpoints.len(),
        count(Grade::Refused),
        count(Grade::Silent),
        count(Grade::Unsure)
    ));
    lines
}
