//! Which client library made a request, as its headers say.

use holdover_wire::recording::RequestRecord;

/// A client library that findings have advice for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// `openai` for Python, used directly or under a framework that keeps its headers.
    OpenAiPython,
    /// `openai` for Node.
    OpenAiNode,
    /// `openai-agents` for Python.
    AgentsPython,
    /// `@openai/agents`.
    AgentsJs,
    /// `Microsoft.Extensions.AI`, or the `OpenAI` package for .NET under it.
    Meai,
    /// Vercel's `ai` with `@ai-sdk/openai`.
    AiSdk,
    /// `LangChain`, where it says so.
    LangChain,
    /// Codex.
    Codex,
    /// Anything else.
    Unknown,
}

/// Fragments of a lower-case `User-Agent`, the most telling first (`tests/facts/clients/needs.md`).
const AGENTS: [(&str, Client); 9] = [
    ("agents/python", Client::AgentsPython),
    ("agents/javascript", Client::AgentsJs),
    ("langchain", Client::LangChain),
    ("meai/", Client::Meai),
    ("ai-sdk", Client::AiSdk),
    ("openai/python", Client::OpenAiPython),
    ("openai/js", Client::OpenAiNode),
    ("openai/", Client::Meai),
    ("codex", Client::Codex),
];

impl Client {
    /// The client that these headers name.
    pub fn of(request: &RequestRecord) -> Self {
        let agent = request.header("user-agent").unwrap_or("").to_lowercase();
        let originator = request.header("originator").unwrap_or("").to_lowercase();
        if originator.starts_with("codex") {
            return Self::Codex;
        }
        if let Some((_, client)) = AGENTS.iter().find(|(fragment, _)| agent.contains(fragment)) {
            return *client;
        }
        match request.header("x-stainless-lang") {
            Some("python") => Self::OpenAiPython,
            Some("js") => Self::OpenAiNode,
            _ => Self::Unknown,
        }
    }

    /// The name that a reader of a finding knows.
    pub fn label(self) -> &'static str {
        match self {
            Self::OpenAiPython => "openai for Python",
            Self::OpenAiNode => "openai for Node",
            Self::AgentsPython => "Agents SDK for Python",
            Self::AgentsJs => "Agents SDK for JavaScript",
            Self::Meai => "Microsoft.Extensions.AI",
            Self::AiSdk => "Vercel AI SDK",
            Self::LangChain => "LangChain",
            Self::Codex => "Codex",
            Self::Unknown => "any client",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(name: &str, value: &str) -> Client {
        let mut request = RequestRecord::default();
        request.headers.insert(name.to_owned(), value.into());
        Client::of(&request)
    }

    #[test]
    fn clients_are_known_by_the_headers_of_needs_md() {
        assert_eq!(seen("user-agent", "OpenAI/Python 3.57.0"), Client::OpenAiPython);
        assert_eq!(seen("user-agent", "Agents/Python 0.23.1"), Client::AgentsPython);
        assert_eq!(seen("user-agent", "Agents/JavaScript 0.20.0"), Client::AgentsJs);
        assert_eq!(
            seen("user-agent", "ai/7.0 ai-sdk-provider-utils/4.0"),
            Client::AiSdk
        );
        assert_eq!(seen("x-stainless-lang", "js"), Client::OpenAiNode);
        assert_eq!(seen("originator", "codex_cli_rs"), Client::Codex);
        assert_eq!(seen("user-agent", "curl/8"), Client::Unknown);
    }
}
