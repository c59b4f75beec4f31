//! Exchanges as a scenario with pasted requests: what was issued has names in the place of ids, the model says again
//! what it said, and the requests are the client's own.

use holdover_scenario::{PastedMethod, Scenario};
use holdover_wire::ReplyPart;
use serde_json::Value;

mod names;
mod text;
mod write;

pub use names::{refusal_fault, script_of};

/// A scenario that can be written and made smaller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Name of the case.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// Members of `[server]` as the file has them.
    pub server: Vec<(String, Value)>,
    /// Requests and replies.
    pub turns: Vec<ScriptTurn>,
    /// What goes wrong on the way.
    pub faults: Vec<ScriptFault>,
    /// Rules above `note` that the run shows; `None` where nothing is known yet.
    pub findings: Option<Vec<String>>,
}

/// One request and what the model says to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptTurn {
    /// Method.
    pub method: PastedMethod,
    /// Path.
    pub path: String,
    /// Body; names in double braces stand for what was issued.
    pub body: Value,
    /// What the model says; `None` for the default.
    pub reply: Option<Vec<ReplyPart>>,
    /// The refusal that the turn expects, by its number.
    pub refusal: Option<String>,
    /// Rules that the turn expects.
    pub findings: Vec<String>,
}

/// `[[fault]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptFault {
    /// `on`, member by member.
    pub on: Vec<(String, Value)>,
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: Vec<(String, Value)>,
}

impl Script {
    /// The script of a scenario that has pasted requests; `None` for one whose client is played.
    pub fn of_scenario(scenario: &Scenario) -> Option<Self> {
        let turns = scenario.turns.iter().map(|turn| {
            let request = turn.request.as_ref()?;
            Some(ScriptTurn {
                method: request.method,
                path: request.path.clone(),
                body: request.body.clone(),
                reply: turn.reply.as_ref().map(|reply| reply.parts.clone()),
                refusal: turn.expect.refusal.as_ref().map(|refusal| refusal.value.clone()),
                findings: turn
                    .expect
                    .findings
                    .iter()
                    .map(|rule| rule.value.clone())
                    .collect(),
            })
        });
        let faults = scenario.faults.iter().map(|fault| ScriptFault {
            on: fault
                .on
                .iter()
                .map(|(key, value)| (key.value.clone(), value.clone()))
                .collect(),
            name: fault.name.value.clone(),
            options: fault
                .options
                .iter()
                .map(|(key, value)| (key.value.clone(), value.clone()))
                .collect(),
        });
        let findings = scenario.expect.findings.as_ref();
        Some(Self {
            name: scenario.name.value.clone(),
            about: scenario.about.clone().unwrap_or_default(),
            server: server_of(scenario),
            turns: turns
                .collect::<Option<_>>()
                .filter(|turns: &Vec<_>| !turns.is_empty())?,
            faults: faults.collect(),
            findings: findings.map(|rules| rules.iter().map(|rule| rule.value.clone()).collect()),
        })
    }
}

/// What a server of the file says that a shell cannot put back by itself.
fn server_of(scenario: &Scenario) -> Vec<(String, Value)> {
    use holdover_scenario::{IdShape, ModelKind, Org};
    let server = &scenario.server;
    let mut members = Vec::new();
    if let Some(profile) = &server.profile {
        members.push(("profile".to_owned(), profile.value.as_str().into()));
    }
    if server.org == Some(Org::Zdr) {
        members.push(("org".to_owned(), "zdr".into()));
    }
    if server.id_shape == Some(IdShape::Tenant) {
        members.push(("id-shape".to_owned(), "tenant".into()));
    }
    if let Some(size) = server.token_size {
        members.push(("token-size".to_owned(), size.into()));
    }
    if !server.models.is_empty() {
        let word = |kind: &ModelKind| match kind {
            ModelKind::Reasoning => "reasoning",
            ModelKind::Plain => "plain",
        };
        let models = server
            .models
            .iter()
            .map(|(name, kind)| (name.clone(), word(kind).into()));
        members.push(("models".to_owned(), Value::Object(models.collect())));
    }
    members
}
