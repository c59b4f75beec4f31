//! What user, tools and model say in a cell of the matrix.

use holdover_agent::TurnInput;
use holdover_wire::{Item, Reply, ReplyPart};
use serde_json::json;

/// A program: turns, and what the model answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Three turns of the user.
    Chat,
    /// Two calls, one after the other, then a follow-up.
    ToolLoop,
    /// A response with two reasoning items, then a follow-up.
    TwoReasoningItems,
    /// Two calls at once, then a follow-up.
    ParallelCalls,
}

impl Program {
    /// All programs, in the order of the table.
    pub const ALL: [Self; 4] = [
        Self::Chat,
        Self::ToolLoop,
        Self::TwoReasoningItems,
        Self::ParallelCalls,
    ];

    /// The word in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::ToolLoop => "tool-loop",
            Self::TwoReasoningItems => "two-reasoning-items",
            Self::ParallelCalls => "parallel-calls",
        }
    }

    /// Whether the model calls a tool in it.
    pub(super) fn has_calls(self) -> bool {
        matches!(self, Self::ToolLoop | Self::ParallelCalls)
    }

    /// What user and tools say.
    pub(super) fn turns(self) -> Vec<TurnInput> {
        let ask = TurnInput::user("Plan the migration.");
        let follow = TurnInput::user("What comes first?");
        let end = TurnInput::user("And after that?");
        match self {
            Self::Chat | Self::TwoReasoningItems => vec![ask, follow, end],
            Self::ToolLoop => {
                vec![
                    ask,
                    TurnInput::tool_output("lookup", "42"),
                    TurnInput::tool_output("search", "3 hits"),
                    follow,
                    end,
                ]
            }
            Self::ParallelCalls => {
                let outputs = [("lookup", "42"), ("search", "3 hits")];
                let both = outputs
                    .map(|(name, output)| (name.to_owned(), output.to_owned()))
                    .to_vec();
                vec![
                    ask,
                    TurnInput {
                        tool_outputs: both,
                        ..TurnInput::default()
                    },
                    follow,
                    end,
                ]
            }
        }
    }

    /// What the model says, answer after answer. `extra` is put between reasoning and message of the first answer
    /// that has a message.
    pub(super) fn script(self, extra: Option<&Item>) -> Vec<Reply> {
        let mut script = match self {
            Self::Chat => vec![answer("One."), answer("Two."), answer("Three.")],
            Self::ToolLoop => vec![
                reply([reasoning(), call("lookup")]),
                reply([reasoning(), call("search")]),
                answer("One."),
                answer("Two."),
                answer("Three."),
            ],
            Self::TwoReasoningItems => vec![
                reply([reasoning(), commentary("Looking."), reasoning(), message("One.")]),
                answer("Two."),
                answer("Three."),
            ],
            Self::ParallelCalls => vec![
                reply([reasoning(), call("lookup"), call("search")]),
                answer("One."),
                answer("Two."),
                answer("Three."),
            ],
        };
        if let Some(item) = extra
            && let Some(reply) = script.iter_mut().find(|reply| has_message(reply))
        {
            reply.parts.insert(1, ReplyPart::Item(item.clone()));
        }
        script
    }
}

/// An item of a type that a client may not know.
pub(super) fn unknown_item() -> Option<Item> {
    Item::from_value(&json!({"type": "web_search_call", "action": {"type": "search", "query": "migration"}}))
}

/// The two tools.
pub(super) fn tools() -> Vec<serde_json::Value> {
    let tool = |name: &str| {
        let key = json!({"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]});
        json!({"type": "function", "name": name, "parameters": key})
    };
    vec![tool("lookup"), tool("search")]
}

fn has_message(reply: &Reply) -> bool {
    reply
        .parts
        .iter()
        .any(|part| matches!(part, ReplyPart::Message { .. }))
}

fn reply(parts: impl Into<Vec<ReplyPart>>) -> Reply {
    Reply { parts: parts.into() }
}

fn answer(text: &str) -> Reply {
    reply([reasoning(), message(text)])
}

fn reasoning() -> ReplyPart {
    ReplyPart::Reasoning { summary: None }
}

fn message(text: &str) -> ReplyPart {
    ReplyPart::Message {
        text: Some(text.to_owned()),
        phase: None,
    }
}

fn commentary(text: &str) -> ReplyPart {
    ReplyPart::Message {
        text: Some(text.to_owned()),
        phase: Some("commentary".to_owned()),
    }
}

fn call(name: &str) -> ReplyPart {
    let arguments = Some(json!({"key": name}).to_string());
    ReplyPart::Call {
        id: None,
        name: name.to_owned(),
        arguments,
    }
}
