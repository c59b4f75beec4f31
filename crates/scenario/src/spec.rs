//! A checked scenario: plain data for whoever runs it.

mod agent;
mod expect;
mod project;
mod server;

use std::collections::BTreeMap;

use holdover_wire::Reply;
use serde_json::Value;

use crate::problem::{Located, Span};
use crate::words::{Word, words};

pub use agent::{AgentSpec, Callback, Channel, Include, PolicySpec, SessionStore, StateMode, Streaming};
pub use expect::{AllowSpec, Expect, ExpectCase, ExportSpec, Outcome, TurnExpect, VerdictWord};
pub use project::{FailOn, Project, SuppressSpec};
pub use server::{
    AccountSpec, AutoTools, Encrypted, IdShape, ItemOrder, ModelKind, Org, PartialToken, ServerSpec,
    SwitchSpec, TokenShape,
};

words! {
    /// The table that a case has its row in.
    Table {
        /// `reasoning_id_policy.csv`
        ReasoningIdPolicy = "reasoning_id_policy",
        /// `carry_over.csv`
        CarryOver = "carry_over",
        /// `state_modes.csv`
        StateModes = "state_modes",
        /// `replay_policy.csv`
        ReplayPolicy = "replay_policy",
        /// `wires.csv`
        Wires = "wires",
    }
}

/// The profile of a server that is given none.
pub const DEFAULT_PROFILE: &str = "openai";

/// One scenario file, checked: every name is known and no two settings contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file as the caller named it.
    pub file: String,
    /// Name of the case: `[A-Za-z0-9_.-]{1,64}`, with `[key=value,…]` behind it for a case of a matrix and `.twin`
    /// for a twin.
    pub name: Located<String>,
    /// What it shows, in a sentence.
    pub about: Option<String>,
    /// Table it has a row in.
    pub table: Option<Table>,
    /// World of ids and tokens; see [`Scenario::world`].
    pub world: Option<String>,
    /// Requirements of `docs/mission.md` that it proves.
    pub proves: Vec<String>,
    /// `[server]`
    pub server: ServerSpec,
    /// `[agent]`; `None` when the file has no such table: the run takes [`AgentSpec::default`] or a real client.
    pub agent: Option<AgentSpec>,
    /// `[client]`
    pub client: Option<ClientSpec>,
    /// `[[turn]]`, in order.
    pub turns: Vec<Turn>,
    /// `[[fault]]`, in order.
    pub faults: Vec<FaultSpec>,
    /// `[export]`
    pub export: ExportSpec,
    /// `[expect]`
    pub expect: Expect,
    /// The twin: this scenario with its slips or the settings of `[twin]` undone. It must be clean.
    pub twin: Option<Box<Scenario>>,
    /// `[matrix]`, in file order; empty in the cases that it makes.
    pub matrix: Vec<Axis>,
    /// The cases of the matrix; see [`crate::expand`].
    pub(crate) cases: Vec<Case>,
}

impl Scenario {
    /// The world that ids and tokens come from: `world`, else the name.
    pub fn world(&self) -> &str {
        self.world.as_deref().unwrap_or(&self.name.value)
    }

    /// The replies in the order in which answers take them: one for each turn that is not expected to be refused, up
    /// to the last turn that has one. `None` stands for the default reply.
    pub fn script(&self) -> Vec<Option<Reply>> {
        let answered = self.turns.iter().filter(|turn| !turn.expect.is_refusal());
        let mut replies: Vec<_> = answered.map(|turn| turn.reply.clone()).collect();
        let scripted = replies
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |last| last + 1);
        replies.truncate(scripted);
        replies
    }

    /// Profiles that its turns ask, each once, in the order in which they are first asked. `None` stands for that of a
    /// server that is given none.
    pub fn asked(&self) -> Vec<Option<&Located<String>>> {
        let mut now = self.server.profile.as_ref();
        let mut asked: Vec<Option<&Located<String>>> = Vec::new();
        for turn in &self.turns {
            now = turn.profile.as_ref().or(now);
            let name = |profile: Option<&Located<String>>| profile.map(|profile| profile.value.clone());
            if asked.iter().all(|known| name(*known) != name(now)) {
                asked.push(now);
            }
        }
        asked
    }

    /// Whether some turn asks another provider than the one before.
    pub fn moves(&self) -> bool {
        self.turns.iter().any(|turn| turn.profile.is_some())
    }

    /// Whether the played client sends something: a real client, pasted requests and a script alone speak for
    /// themselves.
    pub fn is_played(&self) -> bool {
        let mut turns = self.turns.iter();
        self.client.is_none() && turns.any(|turn| turn.user.is_some() || !turn.tool_outputs.is_empty())
    }

    /// Whether the scenario plants a mistake: a slip, or a setting that its twin undoes.
    pub fn is_planted(&self) -> bool {
        self.twin.is_some() || self.has_slip()
    }

    /// Whether the agent plays with a slip.
    pub fn has_slip(&self) -> bool {
        self.agent.as_ref().is_some_and(|agent| !agent.slips.is_empty())
    }
}

/// `[client]`: a real client that is run against the server.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientSpec {
    /// Program and arguments; never empty.
    pub command: Located<Vec<String>>,
    /// Seconds until it is ended.
    pub timeout_s: Option<u32>,
    /// Variables beside those that Holdover sets.
    pub env: BTreeMap<String, String>,
}

/// `[[turn]]`: one request of the client and what the model says to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Number from 1.
    pub number: u32,
    /// Text of the user.
    pub user: Option<String>,
    /// `reasoning.effort` of this turn; `None` for the agent's.
    pub effort: Option<String>,
    /// Profile of the provider that is asked from this turn on; `None` stays with the one before.
    pub profile: Option<Located<String>>,
    /// Outputs for calls of earlier turns, in file order.
    pub tool_outputs: Vec<ToolOutput>,
    /// A pasted request, which is sent as it stands.
    pub request: Option<PastedRequest>,
    /// What the model says; `None` for the default reply.
    pub reply: Option<Reply>,
    /// What this turn must show.
    pub expect: TurnExpect,
    /// Where it stands: its header.
    pub span: Span,
}

words! {
    /// Method of a pasted request.
    PastedMethod {
        /// `POST`
        Post = "POST",
        /// `GET`
        Get = "GET",
        /// `DELETE`
        Delete = "DELETE",
    }
}

/// A request as somebody's client sent it. Texts between `{{` and `}}` stand for what the server issued before:
/// `{{rs_1}}` is the id of the first reasoning item, `{{rs_1.token}}` its token, `{{rs_1.token[..255]}}` its beginning,
/// `{{rs_1.item}}` the whole item.
#[derive(Clone, Debug, PartialEq)]
pub struct PastedRequest {
    /// Method.
    pub method: PastedMethod,
    /// Path.
    pub path: String,
    /// Body.
    pub body: Value,
}

/// One entry of `tool-output`.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput {
    /// Call id, or the name of a tool of which exactly one call is open.
    pub key: Located<String>,
    /// The output; a table or a list of the file is compact JSON here.
    pub output: String,
}

/// `[[fault]]`: what goes wrong, and when. The fault itself gives its options a meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultSpec {
    /// `on`: members of the condition, in file order (`turn`, `event`, …).
    pub on: Vec<(Located<String>, Value)>,
    /// `do`: the name of the fault.
    pub name: Located<String>,
    /// The other members of `do = { … }`, in file order.
    pub options: Vec<(Located<String>, Value)>,
    /// Where it stands: its header.
    pub span: Span,
}

/// One line of `[matrix]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The setting as the file names it: `store`, `agent.effort`.
    pub key: Located<String>,
    /// Its values as a case name shows them.
    pub values: Vec<Located<String>>,
}

/// One case of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// `name`, or `name[key=value,…]`.
    pub name: String,
    /// The values of the matrix in this case, in file order.
    pub settings: Vec<(String, String)>,
    /// The scenario with these values; its name is the case's.
    pub scenario: Scenario,
}
