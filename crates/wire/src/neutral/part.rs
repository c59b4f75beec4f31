//! One element of a message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which field or block carries reasoning on a wire (`tests/facts/providers.md`, shapes of each section).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// `message.reasoning_content`, plain text.
    ReasoningContent,
    /// `message.reasoning`, plain text.
    Reasoning,
    /// An entry of `message.reasoning_details`.
    ReasoningDetails,
    /// `<think>…</think>` at the head of `content`.
    ThinkTags,
    /// A chunk of type `thinking` in a content list.
    ThinkingChunk,
    /// `tool_calls[].extra_content.google.thought_signature`
    ToolSignature,
    /// A block of type `thinking`.
    ThinkingBlock,
    /// A block of type `redacted_thinking`.
    RedactedThinking,
    /// A block of type `compaction`: a signed summary.
    CompactionBlock,
    /// `thoughtSignature` of a part.
    ThoughtSignature,
    /// A part with `thought: true`: a summary to be shown.
    ThoughtText,
    /// A `thought` step.
    ThoughtStep,
    /// `reasoningContent` of a content block.
    ReasoningBlock,
    /// A reasoning item.
    ReasoningItem,
    /// Parts of type `reasoning_text` in the content of a reasoning item, plain text.
    ReasoningText,
}

impl Carrier {
    /// The word in data files and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning-content",
            Self::Reasoning => "reasoning",
            Self::ReasoningDetails => "reasoning-details",
            Self::ThinkTags => "think-tags",
            Self::ThinkingChunk => "thinking-chunk",
            Self::ToolSignature => "tool-signature",
            Self::ThinkingBlock => "thinking-block",
            Self::RedactedThinking => "redacted-thinking",
            Self::CompactionBlock => "compaction-block",
            Self::ThoughtSignature => "thought-signature",
            Self::ThoughtText => "thought-text",
            Self::ThoughtStep => "thought-step",
            Self::ReasoningBlock => "reasoning-block",
            Self::ReasoningItem => "reasoning-item",
            Self::ReasoningText => "reasoning-text",
        }
    }
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// Id by which its output names it; empty where the wire has none.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as JSON text.
    pub arguments: String,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Visible text.
    Text,
    /// Reasoning.
    Reasoning(Carrier),
    /// A call of a tool.
    Call(ToolCall),
    /// Anything the neutral form has no word for.
    Other,
}

/// One element of a message, with the JSON that it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Its text; empty where there is none to be read.
    pub text: String,
    /// The signature that it bears.
    pub signature: Option<String>,
    /// The member of the message in which it stands.
    pub member: &'static str,
    /// What it was on the wire: an element of a list, a whole member, or a piece of a string.
    pub raw: Value,
}

impl Part {
    /// The carrier of a reasoning part.
    pub fn carrier(&self) -> Option<Carrier> {
        match self.kind {
            PartKind::Reasoning(carrier) => Some(carrier),
            PartKind::Text | PartKind::Call(_) | PartKind::Other => None,
        }
    }

    /// The call that it is.
    pub fn call(&self) -> Option<&ToolCall> {
        match &self.kind {
            PartKind::Call(call) => Some(call),
            PartKind::Text | PartKind::Reasoning(_) | PartKind::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carrier_is_called_as_in_data_files() {
        for carrier in [
            Carrier::ReasoningContent,
            Carrier::Reasoning,
            Carrier::ReasoningDetails,
            Carrier::ThinkTags,
            Carrier::ThinkingChunk,
            Carrier::ToolSignature,
            Carrier::ThinkingBlock,
            Carrier::RedactedThinking,
            Carrier::CompactionBlock,
            Carrier::ThoughtSignature,
            Carrier::ThoughtText,
            Carrier::ThoughtStep,
            Carrier::ReasoningBlock,
            Carrier::ReasoningItem,
            Carrier::ReasoningText,
        ] {
            let read: Carrier = serde_json::from_value(carrier.as_str().into()).expect("a carrier");
            assert_eq!(read, carrier);
        }
    }
}
