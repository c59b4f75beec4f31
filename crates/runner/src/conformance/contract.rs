//! The contract between Holdover and an adapter: one JSON line a step, one line for each answer (`docs/conformance.md`).

use serde::Serialize;
use serde_json::Value;

/// What the client is told before the first turn. A member that is `null` is left to the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Start {
    /// Id of the program.
    pub program: String,
    /// Session at the fake.
    pub session: String,
    /// Base URL, which ends in `/v1`.
    pub base_url: String,
    /// Key.
    pub api_key: String,
    /// Model.
    pub model: String,
    /// Instructions, or system prompt.
    pub instructions: Option<String>,
    /// Effort of the reasoning.
    pub effort: Option<String>,
    /// Summary of the reasoning.
    pub summary: Option<String>,
    /// `client-replay`, `server-chain` or `conversation`.
    pub state: String,
    /// Whether answers are streamed.
    pub stream: bool,
    /// Whether the server stores responses.
    pub store: Option<bool>,
    /// What the answers are to include.
    pub include: Option<Vec<String>>,
    /// Functions that the model may call: `name`, `description`, `parameters`.
    pub tools: Vec<Value>,
    /// How many items (or messages) of the history are sent at most.
    pub history_limit: Option<u32>,
    /// `preserve` or `omit`.
    pub reasoning_item_id_policy: Option<String>,
    /// Schema that answers follow.
    pub output_schema: Option<Value>,
    /// `debug`: log as much as the client can, to standard error.
    pub log: Option<String>,
    /// A second agent, which the first can hand over to.
    pub handoff: Option<Second>,
}

/// The agent that a conversation is handed over to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Second {
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub instructions: String,
}

impl Default for Second {
    fn default() -> Self {
        Self {
            name: "reviewer".to_owned(),
            instructions: "You review plans.".to_owned(),
        }
    }
}

/// One step behind the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// From now on this tool answers this.
    ToolOutput {
        /// Name of the tool.
        tool: String,
        /// Its output.
        output: String,
    },
    /// The user says something; the client answers when the model has.
    User {
        /// What.
        text: String,
    },
    /// The client writes its conversation to a file.
    Save,
    /// The client, in a new process, reads its conversation from that file.
    Load,
    /// A new conversation begins.
    Reset,
}

/// One line to an adapter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Line<'a> {
    /// The first line of a process.
    Start(&'a Start),
    /// See [`Step::ToolOutput`].
    ToolOutput {
        /// Name of the tool.
        tool: &'a str,
        /// Its output.
        output: &'a str,
    },
    /// See [`Step::User`].
    User {
        /// What the user says.
        text: &'a str,
    },
    /// See [`Step::Save`].
    Save {
        /// The file.
        file: &'a str,
    },
    /// See [`Step::Load`].
    Load {
        /// The file.
        file: &'a str,
    },
    /// See [`Step::Reset`].
    Reset,
}

impl<'a> Line<'a> {
    /// The line of a step; `file` is where the client is saved.
    pub fn of(step: &'a Step, file: &'a str) -> Self {
        match step {
            Step::ToolOutput { tool, output } => Self::ToolOutput { tool, output },
            Step::User { text } => Self::User { text },
            Step::Save => Self::Save { file },
            Step::Load => Self::Load { file },
            Step::Reset => Self::Reset,
        }
    }
}

/// What an adapter answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is ready: `{"client", "version"}`, perhaps with `handoff_tool` and `again`.
    Ready(Ready),
    /// The step is done: `{}`, or `{"text"}` with what the client shows its user.
    Done,
    /// The client has nothing of the kind: `{"not_applicable": why}`.
    NotApplicable(String),
    /// The client raised an error that it shows its user: `{"error": text}`.
    Raised(String),
}

/// Who is ready.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// Name of the client.
    pub client: String,
    /// Its version.
    pub version: String,
    /// Name of the tool that hands over.
    pub handoff_tool: Option<String>,
    /// Whether this process takes another start when the program is over.
    pub again: Again,
}

/// Whether a process plays more than one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Again {
    /// It ends with its program.
    #[default]
    No,
    /// It takes another start: `{"again": true}`.
    Yes,
}

impl Answer {
    /// Reads a line; `None` when it is no answer.
    pub fn parse(line: &str) -> Option<Self> {
        let Value::Object(members) = serde_json::from_str(line).ok()? else {
            return None;
        };
        let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(why) = text("not_applicable") {
            return Some(Self::NotApplicable(why));
        }
        if let Some(error) = text("error") {
            return Some(Self::Raised(error));
        }
        let Some(client) = text("client") else {
            return Some(Self::Done);
        };
        Some(Self::Ready(Ready {
            client,
            version: text("version").unwrap_or_default(),
            handoff_tool: text("handoff_tool"),
            again: match members.get("again").and_then(Value::as_bool) {
                Some(true) => Again::Yes,
                Some(false) | None => Again::No,
            },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_step() {
        let step = Step::ToolOutput {
            tool: "find_owner".into(),
            output: "team blue".into(),
        };
        let line = serde_json::to_string(&Line::of(&step, "")).unwrap();
        assert_eq!(
            line,
            r#"{"step":"tool-output","tool":"find_owner","output":"team blue"}"#
        );
        let line = serde_json::to_string(&Line::of(&Step::Save, "state.json")).unwrap();
        assert_eq!(line, r#"{"step":"save","file":"state.json"}"#);
        assert_eq!(
            serde_json::to_string(&Line::Reset).unwrap(),
            r#"{"step":"reset"}"#
        );
    }

    #[test]
    fn answers_are_told_apart_by_their_members() {
        assert_eq!(Answer::parse("{}"), Some(Answer::Done));
        assert_eq!(Answer::parse(r#"{"text":"Hello"}"#), Some(Answer::Done));
        assert_eq!(
            Answer::parse(r#"{"error":"no"}"#),
            Some(Answer::Raised("no".into()))
        );
        assert_eq!(Answer::parse("Hello"), None);
        assert_eq!(Answer::parse("[]"), None);
        let ready = |more: &str| match Answer::parse(&format!(r#"{{"client":"c","version":"1"{more}}}"#)) {
            Some(Answer::Ready(ready)) => ready,
            other => panic!("{other:?}"),
        };
        assert_eq!((ready("").client, ready("").again), ("c".to_owned(), Again::No));
        assert_eq!(ready(r#","again":true"#).again, Again::Yes);
    }
}
