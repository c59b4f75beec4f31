//! Strings that pass as they are, because the API defines their words; and what gives a secret away in a kept text.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Members whose strings are words of the API.
const WORDS: [&str; 40] = [
    "type",
    "event_type",
    "role",
    "status",
    "object",
    "phase",
    "effort",
    "summary",
    "mode",
    "reason",
    "code",
    "param",
    "truncation",
    "service_tier",
    "tool_choice",
    "verbosity",
    "generate_summary",
    "detail",
    "prompt_cache_retention",
    "context",
    "include",
    "end",
    "transport",
    "method",
    "syntax",
    "execution",
    "search_context_size",
    "image_detail",
    "background",
    "search_content_types",
    "ranker",
    "region",
    "moderation",
    "quality",
    // Of other providers (`tests/facts/providers.md`): by these an endpoint is told, and whether its model thinks.
    "reasoning_effort",
    "display",
    "keep",
    "prefix_mismatch_behavior",
    "thinking_level",
    "thinking_summaries",
];

/// Members whose strings are never kept, whatever the user asks for.
const NEVER: [&str; 9] = [
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "metadata",
    "client_metadata",
    "authorization",
    "server_url",
    "headers",
    "end_user",
];

/// Members that hold an id, or name something by one: both are replaced alike.
const IDS: [&str; 11] = [
    "id",
    "call_id",
    "item_id",
    "previous_response_id",
    "conversation",
    // Of other providers (`tests/facts/providers.md`).
    "tool_call_id",
    "tool_use_id",
    "toolUseId",
    "previous_interaction_id",
    "responseId",
    "request_id",
];

/// Members that hold what only its issuer can read, on any wire (`tests/facts/providers.md`). Such a text is no word of
/// a user's, and is never kept.
const OPAQUE: [&str; 7] = [
    "encrypted_content",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "redactedContent",
    "continuation_token",
    "data",
];

/// Who publishes a model: gateways name it before the model, and Bedrock with a dot (`tests/facts/providers.md`).
const PUBLISHERS: [&str; 14] = [
    "anthropic/",
    "anthropic.",
    "deepseek-ai/",
    "deepseek/",
    "google/",
    "minimax/",
    "mistralai/",
    "moonshotai/",
    "openai/",
    "qwen/",
    "x-ai/",
    "xiaomi/",
    "z-ai/",
    "zai-org/",
];

/// How models are called, up to what a deployment puts around it.
const FAMILIES: [&str; 23] = [
    "amazon.nova",
    "deepseek.r1",
    "gpt-",
    "o1",
    "o3",
    "o4",
    "codex",
    "chatgpt",
    "claude",
    "gemini",
    "deepseek",
    "kimi",
    "qwen",
    "grok",
    "llama",
    "mistral",
    "computer-use",
    "glm",
    "zai-glm",
    "minimax",
    "mimo",
    "magistral",
    "devstral",
];

/// Headers that count, measure or name a version: any other number may be that of a user or an account.
const NUMBERS: [&str; 22] = [
    "age",
    "anthropic-version",
    "content-length",
    "openai-processing-ms",
    "openai-version",
    "retry-after",
    "retry-after-ms",
    "x-amzn-bedrock-cache-read-input-token-count",
    "x-amzn-bedrock-cache-write-input-token-count",
    "x-amzn-bedrock-input-token-count",
    "x-amzn-bedrock-invocation-latency",
    "x-amzn-bedrock-output-token-count",
    "x-envoy-upstream-service-time",
    "x-holdover-evicted",
    "x-holdover-prior-protected",
    "x-holdover-rendered",
    "x-request-timeout",
    "x-stainless-package-version",
    "x-stainless-read-timeout",
    "x-stainless-retry-count",
    "x-stainless-runtime-version",
    "x-stainless-timeout",
];

/// How headers of rate limits begin.
const LIMITS: [&str; 3] = ["x-ratelimit-", "anthropic-ratelimit-", "ratelimit-"];

/// Words of `error.message`: those that the API uses.
const ERROR_WORDS: &str = include_str!("error_words.txt");

/// Clients that name themselves in `user-agent`.
const CLIENTS: [&str; 22] = [
    "openai",
    "asyncopenai",
    "azureopenai",
    "asyncazureopenai",
    "python",
    "js",
    "node",
    "agents",
    "codex",
    "codex_cli_rs",
    "go",
    "java",
    "ruby",
    "dotnet",
    "meai",
    "microsoft.extensions.ai",
    "langchain",
    "litellm",
    "ai-sdk",
    "httpx",
    "openai/python",
    "openai/js",
];

/// Whether a member holds words of the API.
pub(super) fn holds_words(key: &str) -> bool {
    WORDS.contains(&key)
}

/// Whether a header counts, measures or names a version.
pub(super) fn holds_number(header: &str) -> bool {
    NUMBERS.contains(&header) || LIMITS.iter().any(|start| header.starts_with(start))
}

/// Whether a member is never kept.
pub(super) fn is_never_kept(key: &str) -> bool {
    NEVER.contains(&key)
}

/// Whether a member holds an id.
pub(super) fn is_id(key: &str) -> bool {
    IDS.contains(&key)
}

/// Whether a member holds what only its issuer can read.
pub(super) fn is_opaque(key: &str) -> bool {
    OPAQUE.contains(&key)
}

/// Whether a string has the form of such a word: small letters, and places in a body.
pub(super) fn is_word(text: &str) -> bool {
    let dated = [
        "web_search_preview_",
        "computer_use_preview_",
        "reasoning.",
        "message.",
        "file_search_call.",
    ];
    let is_plain = |text: &str| {
        text.bytes()
            .all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'.'))
    };
    let is_place = |text: &str| {
        text.split(['[', ']', '.'])
            .all(|part| part.bytes().all(|b| b.is_ascii_digit()) || is_plain(part))
            && text.contains('[')
    };
    let dated = dated.iter().any(|start| {
        text.strip_prefix(start)
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'_'))
    });
    text.len() <= 64 && (is_plain(text) || is_place(text) || dated || text == "24h" || is_method(text))
}

/// Whether a text is a method of HTTP.
pub(super) fn is_method(text: &str) -> bool {
    ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"].contains(&text)
}

/// Whether a name is words of letters with dashes between them, as those of headers and profiles are.
pub(super) fn is_dashed(name: &str) -> bool {
    name.len() <= 48 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Whether a name of a member is one of an API's and none of a user's.
pub(super) fn is_key(key: &str) -> bool {
    let is_name = |b: u8| b.is_ascii_lowercase() || b == b'_' || b == b'$';
    let known = key.starts_with("x-stainless-") || key == "user-agent" || key == "content-type";
    (1..=40).contains(&key.len())
        && (key.bytes().all(is_name) || known || GEMINI.contains(&key) || CONVERSE.contains(&key))
}

/// Members of `generateContent` (`tests/facts/providers.md` section 3.1): capital letters may be a user's else.
const GEMINI: [&str; 26] = [
    "thoughtSignature",
    "functionCall",
    "functionResponse",
    "functionDeclarations",
    "parametersJsonSchema",
    "systemInstruction",
    "generationConfig",
    "thinkingConfig",
    "includeThoughts",
    "thinkingBudget",
    "thinkingLevel",
    "toolConfig",
    "functionCallingConfig",
    "allowedFunctionNames",
    "inlineData",
    "mimeType",
    "finishReason",
    "usageMetadata",
    "promptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "toolUsePromptTokenCount",
    "cachedContentTokenCount",
    "totalTokenCount",
    "modelVersion",
    "responseId",
];

/// Members of Converse and of the events of its stream (`tests/facts/providers.md` section 11).
const CONVERSE: [&str; 32] = [
    "reasoningContent",
    "reasoningText",
    "redactedContent",
    "toolUse",
    "toolUseId",
    "toolResult",
    "toolSpec",
    "toolChoice",
    "inputSchema",
    "inferenceConfig",
    "maxTokens",
    "topP",
    "stopSequences",
    "additionalModelRequestFields",
    "stopReason",
    "latencyMs",
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "cacheReadInputTokens",
    "cacheWriteInputTokens",
    "cacheDetails",
    "cachePoint",
    "serviceTier",
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "contentBlockIndex",
    "messageStop",
    "performanceConfig",
    "promptVariables",
];

/// The name of a model without what a user put around it; `None` where no family is in it.
pub(super) fn model(name: &str) -> Option<String> {
    let publisher = PUBLISHERS.iter().find(|publisher| name.contains(*publisher));
    let name = publisher
        .and_then(|publisher| name.split_once(*publisher))
        .map_or(name, |(_, model)| model);
    let start = FAMILIES.iter().filter_map(|family| name.find(family)).min()?;
    let rest = &name[start..];
    // `ft:gpt-…:organisation:…` and `acme-gpt-5.1-prod`: the family, and numbers and sizes behind it.
    let rest = rest.split([':', '/', '@', ' ', '%']).next().unwrap_or(rest);
    let sizes = [
        "mini", "nano", "pro", "codex", "preview", "turbo", "chat", "latest", "max", "luna", "high", "low",
        "reasoner", "thinking", "opus", "sonnet", "haiku", "flash", "preview", "oss", "api", "spark", "v",
        "image", "lite", "fast", "fable", "mythos", "small", "medium", "large", "zai",
    ];
    let fits = |part: &str| {
        sizes.contains(&part)
            || FAMILIES.iter().any(|family| family.trim_end_matches('-') == part)
            || (part.len() <= 8
                && part.bytes().any(|b| b.is_ascii_digit())
                && part.bytes().all(|b| {
                    b.is_ascii_digit() || matches!(b, b'.' | b'o' | b'b' | b'k' | b'm' | b'r' | b'v')
                }))
    };
    let parts: Vec<&str> = rest.split('-').take_while(|part| fits(part)).collect();
    let publisher = publisher.copied().unwrap_or_default();
    (!parts.is_empty()).then(|| format!("{publisher}{}", parts.join("-")))
}

/// Whether a word stands in the API's own error messages.
pub(super) fn is_error_word(word: &str) -> bool {
    static KNOWN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| ERROR_WORDS.lines().collect());
    KNOWN.contains(word.to_ascii_lowercase().as_str())
}

/// Whether a product of `user-agent` is a known client's.
pub(super) fn is_client(product: &str) -> bool {
    let (name, version) = product.rsplit_once('/').unwrap_or((product, ""));
    let is_version = version.bytes().all(|b| b.is_ascii_digit() || b == b'.') && version.len() <= 16;
    is_version && CLIENTS.contains(&name.to_ascii_lowercase().as_str())
}

/// Whether a stretch of a kept text gives a secret away.
pub(super) fn is_secret(chunk: &str) -> bool {
    let lower = chunk.to_ascii_lowercase();
    let marks = [
        "sk-", "pk-", "org-", "proj_", "ghp_", "gho_", "xox", "akia", "eyj", "tenant", "cookie=", "session=",
        "token=", "key=", "password", "bearer", "user-", "acct_",
    ];
    let is_mail = chunk
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    let has_id = chunk
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .any(|word| {
            word.split_once('_')
                .is_some_and(|(prefix, tail)| super::words::is_prefix(prefix) && tail.len() >= 8)
        });
    let is_blob = chunk
        .split(|c: char| !(c.is_ascii_alphanumeric() || "+/-_=".contains(c)))
        .any(|run| {
            run.len() >= 24
                && run.bytes().any(|b| b.is_ascii_digit())
                && run.bytes().any(|b| b.is_ascii_alphabetic())
        });
    is_mail || has_id || is_blob || marks.iter().any(|mark| lower.contains(mark))
}

/// Whether what comes next is a secret.
pub(super) fn announces(chunk: &str) -> bool {
    let lower = chunk.to_ascii_lowercase();
    let word = lower.trim_end_matches([':', '=']);
    [
        "bearer",
        "basic",
        "authorization",
        "cookie",
        "set-cookie",
        "api-key",
        "apikey",
        "x-api-key",
        "password",
    ]
    .contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_errors_are_sorted_and_known() {
        let lines: Vec<&str> = ERROR_WORDS.lines().collect();
        assert!(lines.is_sorted());
        assert!(is_error_word("Required") && is_error_word("reasoning") && !is_error_word("acme"));
    }

    #[test]
    fn a_model_keeps_its_family_and_loses_its_user() {
        assert_eq!(model("gpt-5.6").as_deref(), Some("gpt-5.6"));
        assert_eq!(model("gpt-5.6-luna").as_deref(), Some("gpt-5.6-luna"));
        assert_eq!(model("acme-gpt-5.1-codex-eu").as_deref(), Some("gpt-5.1-codex"));
        assert_eq!(model("ft:gpt-4o-mini:acme::abc").as_deref(), Some("gpt-4o-mini"));
        assert_eq!(model("o4-mini").as_deref(), Some("o4-mini"));
        assert_eq!(model("house-model"), None);
        for whole in [
            "anthropic/claude-sonnet-4.5",
            "google/gemini-3-pro-image",
            "deepseek/deepseek-v4-pro",
            "moonshotai/kimi-k2.6",
            "minimax-m2.7",
            "zai-glm-4.6",
            "claude-fable-5-1",
            "magistral-medium-2509",
            "anthropic.claude-opus-4-5-20251101-v1",
            "amazon.nova-pro-v1",
            "deepseek.r1-v1",
        ] {
            assert_eq!(model(whole).as_deref(), Some(whole));
        }
        assert_eq!(
            model("acme/anthropic/claude-opus-4-5-team").as_deref(),
            Some("anthropic/claude-opus-4-5")
        );
    }

    #[test]
    fn words_of_the_api_have_a_form_that_no_secret_has() {
        for word in [
            "function_call",
            "response.completed",
            "input[3].id",
            "24h",
            "web_search_preview_2025_03_11",
        ] {
            assert!(is_word(word), "{word}");
        }
        for secret in ["sk-live", "anna@example.com", "tenant-7", "orgA", "a b"] {
            assert!(!is_word(secret), "{secret}");
        }
    }
}
