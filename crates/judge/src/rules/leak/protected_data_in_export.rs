//! `protected-data-in-export`: a token, or a piece of one, in a log or dump.

use crate::draft::Draft;
use crate::exports::{Kind, Spilt};
use crate::ledger::Secret;
use crate::rules::rule;

rule! {
    name: "protected-data-in-export", class: Leak, severity: Error,
    summary: "an encrypted token, or a piece of one, stands in an export",
    what: "A log, dump, span or eval set holds 24 characters or more of an `encrypted_content`, or of a signature of reasoning, that a response issued.",
    why: "The token is the reasoning: whoever has it and a key of the account can go on with it. Logs are read by more people, and kept longer, than the conversation.",
    fix: "log effort, token counts, item types and a shortened summary; never the whole response or the input",
    clients: {
        OpenAiPython: "do not log `response` or `response.model_dump()`; log `response.id`, `response.usage` and the item types",
        AgentsPython: "set `trace_include_sensitive_data=False` and `OPENAI_AGENTS_DONT_LOG_MODEL_DATA=1`",
        Meai: "`EnableSensitiveData = false` on `UseOpenTelemetry`; `ProtectedData` never belongs in a log",
    },
}

/// Tokens in an export, one finding for each item.
pub(crate) fn check(spilt: &Spilt<'_>) -> Vec<Draft> {
    let firsts = spilt.firsts(Kind::Secret(Secret::Token)).into_iter();
    let found = firsts.map(|(spill, count)| {
        let owner = spilt.owner(spill);
        let length = spill.end - spill.start;
        let times = Spilt::times(count);
        let message = format!(
            "{length} characters of the token of {owner} stand in `{}` ({times}line {}); the token is the reasoning, and whoever reads the file has it",
            spilt.export.file,
            spilt.line(spill)
        );
        spilt
            .draft(&RULE, spill, message)
            .sent(format!("{length} characters of a token"))
            .expected("no part of a token")
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::chat::Chat;
    use crate::testkit::{Talk, msg, rs, token, user};

    fn logged(text: &str) -> Vec<String> {
        let mut talk = Talk::stateless();
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        talk.export("app.log", text);
        talk.found()
    }

    #[test]
    fn the_whole_response_is_one_finding_and_the_id_stands_behind_it() {
        let response = json!({"id": "resp_1", "output": [rs(1), msg(1, "a plan")]}).to_string();
        assert_eq!(logged(&response), ["protected-data-in-export:error+id-in-export"]);
    }

    /// A signature of Anthropic or Gemini holds the whole reasoning, sealed (`tests/facts/providers.md` section 1.1).
    #[test]
    fn a_signature_of_another_provider_is_found() {
        let signature = token(1, "done");
        let found = |log: &str| {
            let mut chat = Chat::at("/v1/messages", "claude-sonnet-5");
            chat.asks("plan");
            chat.anthropic(&json!([{"type": "thinking", "thinking": "", "signature": signature}, {"type": "text", "text": "a plan"}]));
            chat.exports("app.log", log)
        };
        assert_eq!(
            found(&format!("signature={}", &signature[20..60])),
            ["protected-data-in-export:error"]
        );
        assert_eq!(found("types=thinking,text tokens=64"), Vec::<String>::new());
    }

    #[test]
    fn a_cut_token_in_a_log_that_came_first_is_found() {
        let mut talk = Talk::stateless();
        talk.export(
            "app.log",
            &format!("first line\ntoken={}…", &token(1, "done")[..60]),
        );
        talk.turn(&[user("plan")], &[rs(1), msg(1, "a plan")]);
        let verdict = talk.verdict();
        assert_eq!(verdict.findings[0].place.as_deref(), Some("app.log:2"));
        assert_eq!(verdict.coverage.exports_scanned, 1);
    }

    #[test]
    fn usage_and_types_are_clean() {
        let text = r#"{"response":"resp_1","effort":"low","usage":{"reasoning_tokens":64},"types":["reasoning","message"]}"#;
        assert_eq!(logged(text), Vec::<String>::new());
    }

    #[test]
    fn the_head_of_a_token_alone_names_nobody() {
        assert_eq!(
            logged("tokens begin with gAAAAABq_YbE, as all of this second do"),
            Vec::<String>::new()
        );
    }
}
