//! What goes into a turn and what comes out of it.

use holdover_wire::{Call, End};

/// What the user or the tools say in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnInput {
    /// Text of the user's message.
    pub user: Option<String>,
    /// Outputs of tools: a call id, or a tool's name where exactly one open call has it, and the output. A tool that
    /// was never called gives no output: a pair without open call is left out.
    pub tool_outputs: Vec<(String, String)>,
    /// `reasoning.effort` of this turn; `None` takes the configured one.
    pub effort: Option<String>,
    /// Profile of the provider that is asked from this turn on; `None` stays with the one of the turn before.
    pub profile: Option<String>,
}

impl TurnInput {
    /// A turn of the user.
    pub fn user(text: &str) -> Self {
        Self {
            user: Some(text.to_owned()),
            ..Self::default()
        }
    }

    /// A turn that hands in one tool output.
    pub fn tool_output(key: &str, output: &str) -> Self {
        Self {
            tool_outputs: vec![(key.to_owned(), output.to_owned())],
            ..Self::default()
        }
    }

    /// The same turn with another effort.
    #[must_use]
    pub fn with_effort(mut self, effort: &str) -> Self {
        self.effort = Some(effort.to_owned());
        self
    }
}

/// The answer to a call as the transport gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body: JSON or server-sent events, as from a socket.
    pub body: Vec<u8>,
    /// How the body ended.
    pub end: End,
}

impl Received {
    /// The first header of this (lower-case) name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What the shell does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Send this call and hand the answer to [`crate::Agent::receive`].
    Send(Call),
    /// The same after a wait: the attempt before it went wrong.
    SendAfter {
        /// Milliseconds.
        wait_ms: u64,
        /// The call.
        call: Call,
    },
    /// The turn is over.
    Done(TurnResult),
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnStatus {
    /// The response was complete.
    #[default]
    Completed,
    /// The response was `incomplete`: a token limit or a content filter.
    Incomplete,
    /// The response failed after it had begun.
    Failed,
    /// The API refused the request.
    Refused,
    /// The answer broke off or could not be read.
    Broken,
    /// Nothing was sent: the tools that were to answer have no open call, since an earlier turn went wrong.
    Skipped,
    /// Nothing was sent: the replay policy says `stop_and_probe`.
    Stopped,
}

/// A refusal of the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// `error.message`
    pub message: String,
}

/// A call of the model that waits for its output.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OpenCall {
    /// `call_id`
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// Item type of the output: `function_call_output` or `custom_tool_call_output`.
    pub output_type: String,
}

/// What a turn came to, as the client itself sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnResult {
    /// How it ended.
    pub status: TurnStatus,
    /// The refusal, the failure's message, or why the answer could not be read (status 0).
    pub refusal: Option<Refusal>,
    /// Visible text of the answer.
    pub text: String,
    /// Calls that wait for outputs.
    pub open_calls: Vec<OpenCall>,
    /// Whether the response brought a reasoning token (D2).
    pub has_protected_in_response: bool,
    /// Whether the client's history holds one after the turn (D2).
    pub has_protected_in_history: bool,
    /// Reasoning parts in the client's history: reasoning items, or `TextReasoningContent`s of `meai` as they are
    /// after coalescing and before those of one item are joined for sending (D3, D6).
    pub reasoning_parts: usize,
}

/// A text that the client let out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its file, relative to the export folder.
    pub file: String,
    /// Its text.
    pub text: String,
}
