//! `reasoning-of-another-provider`: what one provider thought is sent to another one.

use holdover_profile::provider::Endpoint;
use holdover_wire::ItemKind;
use holdover_wire::neutral::Part;

use crate::draft::{Draft, Once};
use crate::provider::Sent;
use crate::provider::issued::reasoning;
use crate::rules::rule;
use crate::sent::TokenSeen;
use crate::turn::Turn;

rule! {
    name: "reasoning-of-another-provider", class: Provider, severity: Error,
    summary: "a request holds reasoning that another provider issued",
    what: "A session moved from one provider to another, and the request brings the reasoning of the first in the field in which the second has its own.",
    why: "A signature or an encrypted payload opens only where it was made: the request is refused, now or at the next turn that sends it again. Plain text is read as what the model itself thought.",
    fix: "at a handover keep text, calls and outputs, leave the reasoning behind, and record the reset",
    clients: {},
}

/// Reasoning in a request that an answer of another provider, or of a backend with other keys, issued, and none of its
/// own.
pub(crate) fn check(sent: &Sent<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for brought in &sent.brought {
        for part in reasoning(brought.turn) {
            if let Some(from) = stranger(sent, part) {
                drafts.push(draft(&from, &sent.endpoint.name, brought.pointer()));
            }
        }
    }
    drafts
}

/// Who issued this, where nobody did who is asked: several may have thought the same.
fn stranger(sent: &Sent<'_>, part: &Part) -> Option<String> {
    let issuers = || sent.book.issuers(part);
    let token = part.signature.as_deref();
    let by_responses = token.is_some_and(|token| sent.world.ledger.by_token(token).is_some());
    let is_own = by_responses && sent.world.responses_provider() == sent.endpoint.provider;
    if is_own || issuers().any(|issued| is_kin(&issued.endpoint, sent.endpoint)) {
        return None;
    }
    match issuers().max_by_key(|issued| issued.exchange) {
        Some(issued) => Some(format!(
            "`{}` (exchange {})",
            issued.endpoint.name, issued.exchange
        )),
        None => by_responses.then(|| "the Responses API".to_owned()),
    }
}

/// Reasoning items in a request of the Responses API whose payload another wire issued, and only another provider.
pub(crate) fn to_responses(turn: &Turn<'_>) -> Vec<Draft> {
    let reasoning = turn.input.iter().filter(|sent| sent.kind == ItemKind::Reasoning);
    let unknown = reasoning.filter(|sent| sent.token == TokenSeen::Unknown);
    let strange = unknown.filter_map(|sent| {
        let issuers = turn
            .world
            .elsewhere
            .issuers_of_token(sent.view.encrypted_content()?);
        let asked = turn.world.responses_provider();
        let is_strange = issuers.iter().all(|issuer| issuer.provider != asked);
        let issuer = issuers.last().filter(|_| is_strange)?;
        let from = format!("`{}` (exchange {})", issuer.provider, issuer.exchange);
        Some(draft(&from, &turn.world.profile.name, sent.pointer()))
    });
    strange.collect()
}

/// Whether one reads what the other issued: one provider, one wire, one backend, one family.
fn is_kin(issuer: &Endpoint, asked: &Endpoint) -> bool {
    issuer.name == asked.name
        || (issuer.provider == asked.provider
            && issuer.wire == asked.wire
            && issuer.backend == asked.backend
            && issuer.model_family == asked.model_family)
}

fn draft(from: &str, to: &str, pointer: String) -> Draft {
    let message = format!("reasoning that {from} issued is sent to `{to}`, which cannot read it");
    Draft::of(&RULE, message)
        .at(pointer.clone())
        .sent(format!("reasoning of {from}"))
        .expected("text, calls and outputs; reasoning of its own issuer only")
        .once(Once::Thing(pointer))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testkit::chat::{Chat, thought};
    use crate::testkit::{msg, rs, token, user};

    /// The path of the next request is another provider's.
    fn moved(kept: &serde_json::Value) -> Vec<String> {
        let mut chat = Chat::of("deepseek-v4-pro");
        chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(kept);
        chat.moves("/v1/chat/completions", "glm-4.7");
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        chat.found()
    }

    #[test]
    fn thoughts_of_one_provider_at_another_are_an_error() {
        let found = moved(&thought("Let me think about this, nonce one."));
        assert_eq!(found, ["reasoning-of-another-provider:error"]);
    }

    #[test]
    fn text_alone_is_clean() {
        let text = thought("Let me think about this, nonce one.")["content"].clone();
        assert_eq!(
            moved(&json!({"role": "assistant", "content": text})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn another_model_of_one_family_is_clean() {
        let mut chat = Chat::of("kimi-k2-thinking");
        let first = chat.says("hello", &thought("Let me think about this, nonce one."));
        chat.keeps(&first);
        chat.moves("/v1/chat/completions", "kimi-k2.5");
        chat.asks("and then?");
        chat.answers(&thought("Done thinking about it, nonce two."));
        assert_eq!(chat.found(), Vec::<String>::new());
    }

    /// Both thought the same, in conversations of their own.
    #[test]
    fn a_thought_that_two_providers_had_belongs_to_both() {
        let same = thought("Let me think about this, nonce one.");
        for (asked, other) in [("deepseek-v4-pro", "glm-4.7"), ("glm-4.7", "deepseek-v4-pro")] {
            let mut chat = Chat::of(asked);
            chat.says("hello", &same);
            chat.forget();
            chat.moves("/v1/chat/completions", other);
            chat.says("hello", &same);
            chat.forget();
            chat.moves("/v1/chat/completions", asked);
            chat.asks("hello");
            chat.keeps(&same);
            chat.asks("and then?");
            chat.answers(&thought("Done thinking about it, nonce two."));
            assert_eq!(chat.found(), Vec::<String>::new(), "{asked}");
            // A third one had no such thought.
            chat.moves("/v1/chat/completions", "kimi-k2-thinking");
            chat.answers(&thought("Thinking about it anew, nonce three."));
            assert_eq!(chat.found(), ["reasoning-of-another-provider:error"], "{asked}");
        }
    }

    /// An entry of `reasoning_details` with a payload.
    fn sealed(token: &str) -> serde_json::Value {
        json!({"role": "assistant", "content": "Hello.", "reasoning_details": [
            {"type": "reasoning.encrypted", "data": token, "signature": token, "index": 0}]})
    }

    #[test]
    fn a_payload_that_the_responses_api_issued_as_well_is_its_own() {
        let path = "/api/v1/chat/completions";
        let brings = |issued_here: bool| {
            let mut chat = Chat::at(path, "anthropic/claude-opus-4.5");
            chat.says("hello", &sealed(&token(1, "done")));
            if issued_here {
                chat.responses(&[user("hello")], &[rs(1), msg(1, "Hello.")]);
            }
            chat.responses(
                &[user("hello"), rs(1), msg(1, "Hello."), user("more")],
                &[msg(2, "More.")],
            );
            chat.found()
        };
        assert_eq!(brings(true), Vec::<String>::new());
        assert_eq!(brings(false), ["reasoning-of-another-provider:error"]);
    }
}
