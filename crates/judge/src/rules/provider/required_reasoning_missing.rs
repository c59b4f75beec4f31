//! `required-reasoning-missing`: a message lost the reasoning that its endpoint wants back.

use holdover_profile::provider::{BreachKind, Replay};

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::provider::Sent;
use crate::provider::issued::reasoning;
use crate::provider::sent::severity_of;
use crate::rules::rule;

rule! {
    name: "required-reasoning-missing", class: Provider, severity: Error,
    summary: "a message came back without the reasoning that its endpoint requires",
    what: "An answer had reasoning; the request brings the answer back without it, in a place where the endpoint requires it.",
    why: "The endpoint refuses the request, or takes it and the model goes on without what it had thought. Which of the two is data: `holdover explain PROFILE`.",
    fix: "append the assistant's message as it came, with every member, and do not drop falsy values: an empty string is not absence",
    clients: {},
}

/// Messages whose answer had reasoning, and that have none where an entry wants it.
pub(crate) fn check(sent: &Sent<'_>) -> Vec<Draft> {
    let lost = sent.known().filter_map(|(brought, issued)| {
        if !issued.reasoning().any(|part| sent.reads(part)) {
            return None;
        }
        let bare = !reasoning(brought.turn).any(|part| sent.reads(part));
        let headless = || sent.breach_at(BreachKind::Head, brought.message).filter(|_| bare);
        let entry = sent
            .breach_at(BreachKind::Missing, brought.message)
            .or_else(headless);
        let placeholder = sent.breach_at(BreachKind::Value, brought.message);
        let was_the_same = || {
            let now = reasoning(brought.turn).map(|part| part.text.as_str());
            let before = issued.reasoning().map(|part| part.text.as_str());
            now.eq(before)
        };
        let (entry, shape) = match (entry, placeholder) {
            (Some(entry), _) => (entry, "without its reasoning"),
            // The provider itself sometimes thinks nothing.
            (None, Some(entry)) if !was_the_same() => (entry, "with a placeholder in place of its reasoning"),
            (None, _) => return None,
        };
        if entry.breach == BreachKind::Missing && entry.replay == Replay::Optional {
            return None;
        }
        let unsure = match severity_of(entry) {
            Severity::Note => "; reports about this place disagree, so probe it",
            Severity::Warning | Severity::Error => "",
        };
        let message = format!(
            "the answer of exchange {} comes back {shape}, which `{}` says is {} here (entry `{}`){unsure}",
            issued.exchange,
            sent.endpoint.name,
            entry.replay.as_str(),
            entry.name,
        );
        Some(
            Draft::of(&RULE, message)
                .severity(severity_of(entry))
                .at(brought.pointer())
                .sent(format!("a message {shape}"))
                .expected(entry.field.clone())
                .once(Once::Thing(issued.exchange.to_string())),
        )
    });
    lost.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::chat::{Chat, call, output, thought};

    #[test]
    fn a_stripped_tool_call_is_an_error() {
        let mut chat = Chat::of("deepseek-v4-pro");
        let message = chat.says(
            "look",
            &call(&thought("Let me think about this, nonce one."), "c1"),
        );
        chat.keeps(&json!({"role": "assistant", "content": null, "tool_calls": message["tool_calls"]}));
        chat.keeps(&output("c1"));
        chat.refused(400);
        assert_eq!(chat.found(), ["required-reasoning-missing:error"]);
    }

    #[test]
    fn what_came_back_whole_is_clean() {
        let mut chat = Chat::of("deepseek-v4-pro");
        let message = chat.says(
            "look",
            &call(&thought("Let me think about this, nonce one."), "c1"),
        );
        chat.keeps(&message);
        chat.keeps(&output("c1"));
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    /// Kimi K2.6 without `keep`: the documents and the wire disagree (`tests/facts/providers.md` section 16).
    #[test]
    fn what_is_disputed_is_never_more_than_a_note() {
        let mut chat = Chat::of("kimi-k2.6");
        let message = chat.says(
            "look",
            &call(&thought("Let me think about this, nonce one."), "c1"),
        );
        chat.keeps(&json!({"role": "assistant", "content": null, "tool_calls": message["tool_calls"]}));
        chat.keeps(&output("c1"));
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), ["required-reasoning-missing:note"]);
    }

    #[test]
    fn what_is_not_read_may_be_left_out() {
        let mut chat = Chat::of("glm-4.7");
        let message = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&json!({"role": "assistant", "content": message["content"]}));
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    /// Two calls of one answer, each in a content of its own as its chunk came; only the first is signed, and
    /// google-genai's chat sends them back so (`tests/facts/providers.md` sections 3.1 and 15.3).
    fn step(signature: &str) -> Vec<String> {
        let calls = |signature: &str| {
            let mut first = json!({"functionCall": {"id": "call_1", "name": "f", "args": {}}});
            if !signature.is_empty() {
                first["thoughtSignature"] = signature.into();
            }
            [
                first,
                json!({"functionCall": {"id": "call_2", "name": "g", "args": {}}}),
            ]
        };
        let mut chat = Chat::at("/v1beta/models/gemini-3-pro:generateContent", "");
        let asked = json!({"role": "user", "parts": [{"text": "when?"}]});
        chat.gemini(
            std::slice::from_ref(&asked),
            &json!(calls("sig-of-the-first-answer")),
        );
        let [first, second] = calls(signature).map(|part| json!({"role": "model", "parts": [part]}));
        let outputs = ["f", "g"].map(|name| json!({"functionResponse": {"name": name, "response": {}}}));
        let outputs = json!({"role": "user", "parts": outputs});
        chat.gemini(&[asked, first, second, outputs], &json!([{"text": "On Monday."}]));
        chat.found()
    }

    #[test]
    fn of_a_step_in_several_messages_the_first_call_alone_is_signed() {
        assert_eq!(step("sig-of-the-first-answer"), Vec::<String>::new());
        assert_eq!(step(""), ["required-reasoning-missing:error"]);
    }
}
