//! `signature-altered`: reasoning came back, and is not what was issued.

use holdover_profile::provider::{AccountScope, BreachKind, Endpoint};
use holdover_wire::neutral::{Part, PartKind};

use crate::draft::{Draft, Once};
use crate::finding::Severity;
use crate::provider::Sent;
use crate::provider::issued::{Issued, reasoning};
use crate::provider::sent::{Brought, severity_of};
use crate::rules::rule;

rule! {
    name: "signature-altered", class: Provider, severity: Error,
    summary: "reasoning came back with another signature, or another text, than it was issued with",
    what: "A message brings back the reasoning of an answer, and its signature or its text is not the one that was issued.",
    why: "A signature covers what was issued: one changed letter is refused. Where nothing is signed, the model reads what it never thought.",
    fix: "keep reasoning as opaque data: no trimming, no re-encoding, no joining of pieces other than by their index",
    clients: {},
}

/// Messages whose reasoning differs from that of their answer, part by part.
pub(crate) fn check(sent: &Sent<'_>) -> Vec<Draft> {
    let altered = sent.known().filter_map(|(brought, issued)| {
        let now: Vec<&Part> = reasoning(brought.turn).filter(|part| sent.reads(part)).collect();
        let before: Vec<&Part> = issued.reasoning().filter(|part| sent.reads(part)).collect();
        // Reasoning of another answer, or more of it, is another rule's.
        let strange = now.iter().find(|part| {
            let same = |old: &&&Part| old.carrier() == part.carrier();
            let kin = before.iter().any(|old| same(&old));
            let issuer = sent.book.issuer(part);
            kin && issuer.is_none_or(|issuer| Some(issuer) == brought.issued())
                && !before.iter().any(|old| is_same(old, part))
        })?;
        // A documented dummy says itself that it is none.
        let dummies = &sent.endpoint.speech.dummies;
        let is_dummy = strange
            .signature
            .as_ref()
            .is_some_and(|text| dummies.contains(text));
        if is_dummy || is_placeholder(strange) {
            return None;
        }
        if is_joined(&before, strange) && brought.turn.text() == issued.turn.text() {
            return Some(joined(brought, issued));
        }
        let signed = before.iter().any(|part| part.signature.is_some());
        let (what, severity) = match (signed, sent.endpoint.account_scope) {
            (true, AccountScope::None) | (false, _) => ("text", Severity::Warning),
            (true, _) => ("signature", Severity::Error),
        };
        let severity = severity.min(named(sent.endpoint, &before, strange).unwrap_or(severity));
        let message = format!(
            "the reasoning of exchange {} comes back with another {what} than it was issued with",
            issued.exchange
        );
        Some(
            Draft::of(&RULE, message)
                .severity(severity)
                .at(brought.pointer())
                .sent(format!("reasoning with another {what}"))
                .expected("the reasoning as it came")
                .once(Once::Thing(issued.exchange.to_string())),
        )
    });
    altered.collect()
}

/// How bad it is at worst, where entries are about this carrier by name and about what was done to it.
fn named(endpoint: &Endpoint, before: &[&Part], part: &Part) -> Option<Severity> {
    let is_signed_alike = before.iter().any(|old| old.signature == part.signature);
    let breaks = |breach| match breach {
        BreachKind::Altered => true,
        BreachKind::Edited => is_signed_alike,
        BreachKind::Forged => !is_signed_alike,
        _ => false,
    };
    let entries = endpoint.rule.iter();
    let about = entries.filter(|rule| rule.carrier.is_some() && rule.carrier == part.carrier());
    about.filter(|rule| breaks(rule.breach)).map(severity_of).max()
}

/// Whether a visible text bears the signature of another one: pieces of a stream were joined.
fn is_joined(before: &[&Part], now: &Part) -> bool {
    let is_visible = |part: &Part| part.kind == PartKind::Text;
    is_visible(now)
        && before
            .iter()
            .any(|old| is_visible(old) && old.signature == now.signature)
}

/// All of it is there, and no endpoint is known to check the signature of a text (`tests/facts/providers.md` 3.1).
fn joined(brought: &Brought<'_>, issued: &Issued) -> Draft {
    let message = format!(
        "the signature of exchange {} comes back on its text joined with other parts; it is to go back in the part that it came in",
        issued.exchange
    );
    Draft::of(&RULE, message)
        .severity(Severity::Note)
        .at(brought.pointer())
        .sent("a signed part joined with others")
        .expected("the parts as they came")
        .once(Once::Thing(issued.exchange.to_string()))
}

fn is_same(old: &Part, new: &Part) -> bool {
    old.signature == new.signature && old.text == new.text
}

/// An empty text, a space or a dot: `required-reasoning-missing` says what becomes of it.
fn is_placeholder(part: &Part) -> bool {
    part.signature.is_none() && matches!(part.text.trim(), "" | ".")
}

#[cfg(test)]
mod tests {
    use holdover_profile::provider::{Book, Confidence};
    use holdover_wire::Wire;
    use holdover_wire::neutral::History;
    use serde_json::{Value, json};

    use super::*;
    use crate::testkit::chat::{Chat, thought};

    fn detailed(text: &str, signature: &str) -> Value {
        json!({"role": "assistant", "content": "Hello.", "reasoning_details": [
            {"type": "reasoning.text", "text": text, "signature": signature, "format": "anthropic-claude-v1", "index": 0}]})
    }

    fn brings_back(kept: &Value) -> Vec<String> {
        let mut chat = Chat::at("/api/v1/chat/completions", "anthropic/claude-opus-4.5");
        chat.says(
            "hello",
            &detailed("Let me think about this.", "sig-of-the-first-answer"),
        );
        chat.keeps(kept);
        chat.asks("and then?");
        chat.answers(&detailed("Let me think of that too.", "sig-of-the-second-answer"));
        chat.found()
    }

    #[test]
    fn another_signature_is_an_error() {
        let kept = detailed("Let me think about it.", "sig-of-the-First-answer");
        assert_eq!(brings_back(&kept), ["signature-altered:error"]);
    }

    #[test]
    fn another_signature_on_the_same_text_is_an_error() {
        let kept = detailed("Let me think about this.", "sig-of-the-First-answer");
        assert_eq!(brings_back(&kept), ["signature-altered:error"]);
    }

    #[test]
    fn the_same_one_is_clean() {
        let kept = detailed("Let me think about this.", "sig-of-the-first-answer");
        assert_eq!(brings_back(&kept), Vec::<String>::new());
    }

    /// A compaction block of Anthropic.
    fn compaction(content: &str, signature: &str) -> Part {
        let block = json!({"type": "compaction", "content": content, "signature": signature});
        let body = json!({"messages": [{"role": "assistant", "content": [block]}]});
        let body = body.as_object().expect("an object");
        let history = History::read(Wire::AnthropicMessages, "/v1/messages", body).expect("a history");
        history.assistant()[0].1.parts[0].clone()
    }

    #[test]
    fn of_several_entries_the_worst_that_fits_decides() {
        let mut endpoint = (**Book::builtin().find("claude-5").expect("an endpoint")).clone();
        let issued = compaction("A summary.", "sig-of-the-summary");
        let part = compaction("Another summary.", "sig-of-the-summary");
        let edited = |endpoint: &Endpoint| named(endpoint, &[&issued], &part);
        // Nobody has seen the refusals of these blocks: both entries are of low confidence.
        assert_eq!(edited(&endpoint), Some(Severity::Note));
        let mut sure = endpoint
            .rule
            .iter()
            .find(|rule| rule.name == "compaction-content")
            .expect("an entry")
            .clone();
        sure.confidence = Confidence::High;
        endpoint.rule.push(sure);
        assert_eq!(edited(&endpoint), Some(Severity::Error));
    }

    #[test]
    fn an_entry_about_signatures_says_nothing_of_a_text_under_its_own_signature() {
        let mut endpoint = (**Book::builtin().find("claude-5").expect("an endpoint")).clone();
        for rule in &mut endpoint.rule {
            if rule.name == "compaction-signature" {
                rule.confidence = Confidence::High;
            }
        }
        let issued = compaction("A summary.", "sig-of-the-summary");
        let edited = compaction("Another summary.", "sig-of-the-summary");
        let forged = compaction("A summary.", "sig-of-another-one");
        assert_eq!(named(&endpoint, &[&issued], &edited), Some(Severity::Note));
        assert_eq!(named(&endpoint, &[&issued], &forged), Some(Severity::Error));
    }

    /// A stream ends with an empty text that bears the signature (`tests/facts/providers.md` section 15.3).
    fn streamed(kept: &Value) -> Vec<String> {
        let mut chat = Chat::at("/v1beta/models/gemini-3-pro:generateContent", "");
        chat.gemini(
            &[json!({"role": "user", "parts": [{"text": "hello"}]})],
            &json!([{"text": "Hel"}, {"text": "lo."}, {"text": "", "thoughtSignature": "sig-of-the-first-answer"}]),
        );
        chat.gemini(
            &[
                json!({"role": "user", "parts": [{"text": "hello"}]}),
                json!({"role": "model", "parts": kept}),
                json!({"role": "user", "parts": [{"text": "and then?"}]}),
            ],
            &json!([{"text": "Then."}]),
        );
        chat.found()
    }

    #[test]
    fn a_signature_on_the_text_of_its_answer_joined_is_a_note() {
        let signed = |text: &str| json!([{"text": text, "thoughtSignature": "sig-of-the-first-answer"}]);
        assert_eq!(streamed(&signed("Hello.")), ["signature-altered:note"]);
        assert_eq!(streamed(&signed("Hello!")), ["signature-altered:error"]);
    }

    #[test]
    fn an_unsigned_text_that_was_edited_is_a_warning() {
        let mut chat = Chat::of("deepseek-v4-pro");
        let mut message = chat.says("hello", &thought("Let me think about this, nonce one."));
        message["reasoning_content"] = "I thought of something else entirely.".into();
        chat.keeps(&message);
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), ["signature-altered:warning"]);
    }
}
