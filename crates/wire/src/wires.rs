//! Which wire a path speaks: the Responses API, or that of another provider.

use serde::{Deserialize, Serialize};

/// A wire: the shape of requests and answers, whoever serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// `…/responses`
    Responses,
    /// `…/chat/completions`
    ChatCompletions,
    /// `…/messages`
    AnthropicMessages,
    /// `…/models/{model}:generateContent` and `:streamGenerateContent`
    GeminiGenerate,
    /// `…/interactions`
    GeminiInteractions,
    /// `…/model/{model}/converse` and `/converse-stream`
    BedrockConverse,
}

impl Wire {
    /// All wires.
    pub const ALL: [Self; 6] = [
        Self::Responses,
        Self::ChatCompletions,
        Self::AnthropicMessages,
        Self::GeminiGenerate,
        Self::GeminiInteractions,
        Self::BedrockConverse,
    ];

    /// The word in data files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::ChatCompletions => "chat-completions",
            Self::AnthropicMessages => "anthropic-messages",
            Self::GeminiGenerate => "gemini-generate",
            Self::GeminiInteractions => "gemini-interactions",
            Self::BedrockConverse => "bedrock-converse",
        }
    }

    /// The wire of a `POST` to this path, whatever stands before it. `None` for what is no turn: `/messages` of a
    /// conversation, lists, files.
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or(path);
        if last.ends_with(":generateContent") || last.ends_with(":streamGenerateContent") {
            return Some(Self::GeminiGenerate);
        }
        let ends = |end: &str| path.ends_with(end);
        if ends("/chat/completions") {
            Some(Self::ChatCompletions)
        } else if ends("/v1beta/interactions") || ends("/v1/interactions") {
            Some(Self::GeminiInteractions)
        } else if path.contains("/model/") && (ends("/converse") || ends("/converse-stream")) {
            Some(Self::BedrockConverse)
        } else if ends("/messages") && !path.contains("/conversations/") && !path.contains("/threads/") {
            Some(Self::AnthropicMessages)
        } else if ends("/responses") {
            Some(Self::Responses)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_says_the_wire() {
        for (path, wire) in [
            ("/v1/responses", Some(Wire::Responses)),
            ("/v1/chat/completions", Some(Wire::ChatCompletions)),
            ("/api/paas/v4/chat/completions", Some(Wire::ChatCompletions)),
            ("/v1beta/openai/chat/completions", Some(Wire::ChatCompletions)),
            ("/v1/messages", Some(Wire::AnthropicMessages)),
            ("/anthropic/v1/messages", Some(Wire::AnthropicMessages)),
            (
                "/v1beta/models/gemini-3-pro:generateContent",
                Some(Wire::GeminiGenerate),
            ),
            (
                "/v1/projects/p/locations/l/publishers/google/models/g:streamGenerateContent",
                Some(Wire::GeminiGenerate),
            ),
            ("/v1beta/interactions", Some(Wire::GeminiInteractions)),
            ("/s/t/v1/interactions", Some(Wire::GeminiInteractions)),
            (
                "/model/anthropic.claude-x/converse-stream",
                Some(Wire::BedrockConverse),
            ),
            ("/v1/threads/t/messages", None),
            ("/v1/models", None),
            ("/v1/responses/resp_1", None),
        ] {
            assert_eq!(Wire::of_path(path), wire, "{path}");
        }
    }

    #[test]
    fn names_are_those_of_the_data_files() {
        for wire in Wire::ALL {
            let text = serde_json::to_string(&wire).expect("json");
            assert_eq!(text, format!("\"{}\"", wire.as_str()));
        }
    }
}
