//! A program: what a user and the tools say to a client, and what the model answers.
//!
//! Its file has the scenario format: `[agent]` holds what the client is told, a turn is a request and its reply.

use holdover_scenario::{Scenario, Turn, parse};
use serde_json::{Value, json};

use crate::conformance::contract::{Second, Start, Step};
use crate::lower::{self, Case};
use crate::settings::Settings;
use crate::vocabulary::vocabulary;

/// How binding a program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A client that has what the program needs passes it.
    Must,
    /// A client does well to pass it.
    Should,
}

impl Level {
    /// The word in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
        }
    }
}

/// What a program asks for beside the settings of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// Nothing.
    None,
    /// Answers that follow a schema.
    Schema,
    /// Logging at its most detailed, on standard error, which is scanned.
    DebugLog,
    /// A second agent, which the first hands over to.
    Handoff,
    /// A new conversation before this turn.
    ResetBefore(u32),
}

/// One program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its id, which is never reused. It is the name of its session, too.
    pub id: &'static str,
    /// How binding it is.
    pub level: Level,
    /// What it asks for beside its file.
    pub special: Special,
    /// Its file.
    pub text: &'static str,
}

/// The tool by which the first agent hands over, unless the adapter has another name for it.
pub const HANDOFF_TOOL: &str = "transfer_to_reviewer";

impl Program {
    /// The program as a case that the fake and the judge can be set up from.
    pub fn case(&self, settings: &Settings) -> Case {
        let scenario = self.scenario(settings);
        let cases = holdover_scenario::expand(&scenario);
        let cases = cases
            .iter()
            .flat_map(|case| lower::lower(case, settings).unwrap_or_default());
        let case = cases.into_iter().next();
        case.unwrap_or_else(|| unreachable!("program `{}` is part of the binary", self.id))
    }

    fn scenario(&self, settings: &Settings) -> Scenario {
        let file = format!("{}.toml", self.id);
        parse(&file, self.text, &vocabulary(settings))
            .unwrap_or_else(|problems| unreachable!("{file} is part of the binary: {problems:?}"))
    }

    /// What the client is told before the first turn; `model` stands for a program's, unless it declares its own.
    pub fn start(&self, case: &Case, base: &str, model: Option<&str>) -> Start {
        let model = model.filter(|_| case.scenario.server.models.is_empty());
        let agent = case.scenario.agent.clone().unwrap_or_default();
        let session = case.setup.agent.session.clone();
        let stream = case.setup.agent.stream == holdover_agent::Streaming::Sse;
        Start {
            program: self.id.to_owned(),
            base_url: format!("{base}/s/{session}/v1"),
            api_key: format!("sk-holdover-{session}"),
            session,
            model: model.unwrap_or(&case.setup.agent.model).to_owned(),
            instructions: agent.instructions,
            effort: agent.effort,
            summary: agent.summary,
            state: agent.state.as_str().to_owned(),
            stream,
            store: agent.store,
            include: agent.include.map(include),
            tools: agent
                .tools
                .iter()
                .filter(|tool| !is_handoff(tool))
                .map(plain)
                .collect(),
            history_limit: agent.history_limit,
            reasoning_item_id_policy: id_policy(agent.reasoning_item_id_policy),
            output_schema: (self.special == Special::Schema).then(schema),
            log: (self.special == Special::DebugLog).then(|| "debug".to_owned()),
            handoff: (self.special == Special::Handoff).then(Second::default),
        }
    }

    /// The steps behind the start. Outputs of tools are told before the user speaks: many clients call their tools
    /// themselves.
    pub fn steps(&self, case: &Case) -> Vec<Step> {
        let agent = case.scenario.agent.clone().unwrap_or_default();
        let resume = agent.resume_before.map(|turn| turn.value);
        let turns = &case.scenario.turns;
        let mut steps = Vec::new();
        for (index, turn) in turns.iter().enumerate() {
            let Some(text) = &turn.user else { continue };
            if resume == Some(turn.number) {
                steps.extend([Step::Save, Step::Load]);
            }
            if self.special == Special::ResetBefore(turn.number) {
                steps.push(Step::Reset);
            }
            steps.extend(outputs(&turns[index + 1..]));
            steps.push(Step::User { text: text.clone() });
        }
        steps
    }
}

/// The outputs that the calls of one turn of the user get.
fn outputs(later: &[Turn]) -> impl Iterator<Item = Step> {
    let same_turn = later.iter().take_while(|turn| turn.user.is_none());
    let outputs = same_turn.flat_map(|turn| &turn.tool_outputs);
    let told = outputs.filter(|output| output.key.value != HANDOFF_TOOL);
    told.map(|output| Step::ToolOutput {
        tool: output.key.value.clone(),
        output: output.output.clone(),
    })
}

fn include(include: holdover_scenario::Include) -> Vec<String> {
    match include {
        holdover_scenario::Include::Encrypted => vec!["reasoning.encrypted_content".to_owned()],
        holdover_scenario::Include::Nothing => Vec::new(),
    }
}

fn id_policy(policy: holdover_wire::audit::IdPolicy) -> Option<String> {
    use holdover_wire::audit::IdPolicy;
    match policy {
        IdPolicy::None => None,
        IdPolicy::Preserve => Some("preserve".to_owned()),
        IdPolicy::Omit => Some("omit".to_owned()),
    }
}

fn is_handoff(tool: &Value) -> bool {
    tool["name"] == HANDOFF_TOOL
}

/// A tool without what is particular to this API.
fn plain(tool: &Value) -> Value {
    let name = tool["name"].as_str().unwrap_or_default();
    json!({
        "name": name,
        "description": name.replace('_', " "),
        "parameters": tool["parameters"],
    })
}

fn schema() -> Value {
    json!({
        "title": "Answer",
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": false,
    })
}
