//! `holdover explain`: the page of a rule or a slip, or the cause of a pasted error text.

use holdover_agent::Slip;
use holdover_judge::{explain as pages, rules};
use holdover_profile::Profile;
use holdover_profile::provider::Book;
use holdover_scenario::suggest::nearest;

use crate::args::Explain;
use crate::commands::symptom;
use crate::exit::{Exit, UserError};
use crate::terminal::{Stream, Terminal};

pub(crate) fn explain(arguments: &Explain, terminal: Terminal) -> anyhow::Result<Exit> {
    if let Some(name) = &arguments.symptom {
        return symptom::symptom(name, arguments.subject.as_deref(), terminal);
    }
    let subject = arguments.subject.as_deref().unwrap_or_default();
    let page = rule(subject)
        .or_else(|| slip(subject))
        .or_else(|| profile(subject))
        .or_else(|| refusal(subject));
    let Some(page) = page else {
        let unknown = UserError::usage(format!("nothing is known of `{subject}`"));
        let names = rules::all()
            .iter()
            .map(|rule| rule.name)
            .chain(Slip::all().iter().map(|slip| slip.name()))
            .chain(
                Book::builtin()
                    .all()
                    .iter()
                    .map(|endpoint| endpoint.name.as_str()),
            );
        if let Some(name) = nearest(subject, names) {
            return Err(unknown.help(format!("did you mean `{name}`?")).into());
        }
        return Err(unknown
            .help("`holdover list rules`, `list slips` and `list profiles` name what can be explained; paste an error text of the API whole")
            .into());
    };
    terminal.say(Stream::Out, &page);
    Ok(Exit::Expected)
}

fn rule(name: &str) -> Option<String> {
    let rule = rules::find(name)?;
    Some(format!(
        "{} ({}, {}, since {})\n{}\n\n{}\n",
        rule.name,
        rule.class.as_str(),
        rule.severity.as_str(),
        rule.since,
        rule.summary,
        rule.page
    ))
}

fn slip(name: &str) -> Option<String> {
    let slip = Slip::parse(name)?;
    Some(format!(
        "{}: a planted mistake of the stage `{}`\n\n{}\n\nWhat an outsider sees: {}\nWhere it can exist: {}\n",
        slip.name(),
        slip.stage().as_str(),
        slip.about(),
        slip.seen(),
        slip.needs(),
    ))
}

/// The page of a profile.
fn profile(name: &str) -> Option<String> {
    Some(Profile::builtin(name).ok()?.page())
}

fn refusal(text: &str) -> Option<String> {
    let page = pages::refusal(text)?;
    let rules = match page.rules {
        [] => String::new(),
        rules => format!("\nRules that find the cause\n{}\n", rules.join(", ")),
    };
    Some(format!(
        "{}: {}\n\nUsual cause\n{}\n\nWhat helps\n{}\n{rules}",
        page.code, page.title, page.cause, page.recovery
    ))
}
